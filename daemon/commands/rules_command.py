"""`pitwatch rules`: lists, shows, checks and compares rule books, and shows the coverage at a table."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from pitwatch.daemon.common.pages import Page
from pitwatch.rules.book import book as books
from pitwatch.rules.book import bookwords, changes
from pitwatch.rules.book.coverage import NO_CARDS, Covered, applies, cover
from pitwatch.rules.game import PERSON, Control, Figure, Game, Option, Outcome, Phase, Rule

COMMAND = {"name": "rules", "turn": 70, "help": "show, check and compare rule books"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Shows rule books: what is judged, what the document requires, and on which lines."
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    everywhere = argparse.ArgumentParser(add_help=False)
    everywhere.add_argument("--json", action="store_true", help="print JSON")
    verbs.add_parser("list", help="list all books and games", parents=[everywhere])
    show = verbs.add_parser("show", help="show one game in full", parents=[everywhere])
    show.add_argument("game", metavar="BOOK/GAME")
    coverage = verbs.add_parser(
        "coverage", help="list the rules that a table's devices can judge", parents=[everywhere]
    )
    coverage.add_argument("table", metavar="TABLE.toml")
    check = verbs.add_parser("check", help="report all mistakes in a book, with file and line", parents=[everywhere])
    check.add_argument("path", metavar="PATH", help="a book's folder, one of its files, or the id of a book")
    differ = verbs.add_parser(
        "changes", help="list the verdicts that differ between two versions of a book", parents=[everywhere]
    )
    differ.description = "Exits 1 if the newer book may judge play differently, 0 if only words or nothing changed."
    differ.add_argument("old", metavar="OLD", help="a book's folder, or the id of a book")
    differ.add_argument("new", metavar="NEW", help="the other version of the same book")
    differ.add_argument("--words", action="store_true", help="also list differences in words and citations")


def run(args: argparse.Namespace) -> int:
    verbs = {"list": _list, "show": _show, "coverage": _coverage, "check": _check, "changes": _changes}
    return verbs[args.verb](args)


def _put(data: Any) -> None:
    print(msgspec.json.format(msgspec.json.encode(data), indent=2).decode())


# -- list


def _list(args: argparse.Namespace) -> int:
    loaded = {folder: [books.read_game(folder, name) for name in books.games(folder)] for folder in books.books()}
    if args.json:
        _put([_entry(game) for games in loaded.values() for game in games])
        return 0
    page = Page()
    for games in loaded.values():
        if not games:
            continue
        page.heading(f"{games[0].book}  ({_title(games[0])})")
        rows = [("GAME", "FAMILY", "BY DEVICE", "BY A PERSON", "NAME")]
        for game in games:
            entry = _entry(game)
            rows.append((game.path, game.family, str(entry["by_device"]), str(entry["by_person"]), game.name))
        page.columns(rows)
    print(page)
    return 0


def _entry(game: Game) -> dict[str, Any]:
    by_person = sum(rule.only_a_person_sees for rule in game.rules.values())
    not_applicable = sum(not applies(game, rule) for rule in game.rules.values())
    return {
        "game": game.path,
        "name": game.name,
        "family": game.family,
        "section": game.section,
        "lines": game.lines,
        "document": game.document,
        "edition": game.edition,
        "by_device": len(game.rules) - by_person - not_applicable,
        "by_person": by_person,
        "not_applicable": not_applicable,
    }


def _title(game: Game) -> str:
    return f"{game.title}, {game.edition}" if game.edition else game.title


# -- show


def _show(args: argparse.Namespace) -> int:
    game = books.load_game(args.game)
    if args.json:
        _put(game)
        return 0
    page = Page()
    page.heading(f"{game.name}  ({game.path})")
    page.paragraph(f"{_title(game)}, Section {game.section}, lines {game.lines} of {game.document}.", 2)
    _show_options(page, game)
    _show_figures(page, game)
    if game.phases:
        page.heading("The round")
        for phase in game.phases:
            page.field(phase.id, f"{phase.says}. {_cite(phase)}", column=22)
    rules = list(game.rules.values())
    unknown = bookwords.unknown_rules(game)
    watched = [rule for rule in rules if not rule.only_a_person_sees and rule.id not in unknown]
    _show_rules(page, "Watched by devices", [rule for rule in watched if applies(game, rule)])
    _show_rules(page, "Seen by a person only, reported at the panel", [r for r in rules if r.only_a_person_sees])
    _show_rules(page, f"Not applicable: {NO_CARDS}", [rule for rule in watched if not applies(game, rule)])
    _show_rules(page, "Judged by nothing, see rules check", [rule for rule in rules if rule.id in unknown])
    _show_controls(page, game.controls)
    if game.outcomes:
        page.heading("Outcomes")
        for outcome in game.outcomes:
            page.field(outcome.name, f"{outcome.trigger}. {_cite(outcome)}", column=22)
    if game.remarks:
        page.heading("Remarks on the document")
        for remark in game.remarks:
            page.field("-", remark, column=2)
    print(page)
    return 0


def _show_options(page: Page, game: Game) -> None:
    if game.options:
        page.heading("What the house decides")
        for name, option in game.options.items():
            text = f"{option.says}: {option.allows()} (else {_word(option.default)}). {_cite(option)}"
            page.field(name, text, column=22)


def _show_figures(page: Page, game: Game) -> None:
    if game.figures:
        page.heading("Figures")
        for name, figure in game.figures.items():
            page.field(name, f"{_word(figure.value)}: {figure.says}. {_cite(figure)}", column=22)


def _cite(item: Figure | Option | Phase | Control | Outcome) -> str:
    """Its lines, with the section if that is not the game's own."""
    return f"[Section {item.section}, {item.lines}]" if item.section else f"[{item.lines}]"


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _show_rules(page: Page, title: str, rules: list[Rule]) -> None:
    if not rules:
        return
    page.heading(f"{title} ({len(rules)})")
    for number, rule in enumerate(rules):
        if number:
            page.line()
        page.field(rule.id, f"{rule.says}.", column=max(22, len(rule.id) + 2))
        page.field("seen by", _needs(rule), 4)
        worth = f"{rule.category}, {rule.severity}, {rule.disposition}"
        page.field("verdict", worth + (", at the crew's discretion" if rule.optional else ""), 4)
        page.field("remedy", rule.instruction, 4)
        page.field("notify", "; ".join(rule.notify), 4)
        derived = "; the document states the duty, not the consequence" if rule.derived else ""
        page.field("source", f"Section {rule.section}, lines {rule.lines}{derived}", 4)


def _needs(rule: Rule | Control) -> str:
    if PERSON in rule.needs:
        return "a person"
    words = {" | ": " or ", "any.device_fault": "any device", "option.": "the house's option "}
    needs = ", and ".join(rule.needs)
    for sign, word in words.items():
        needs = needs.replace(sign, word)
    return needs


def _show_controls(page: Page, controls: Iterable[Control]) -> None:
    controls = list(controls)
    if controls:
        page.heading(f"Further controls of the document ({len(controls)})")
        for control in controls:
            page.field("-", f"{control.says}. By {_needs(control)}. {_cite(control)}", column=2)


# -- coverage


def _coverage(args: argparse.Namespace) -> int:
    from pitwatch.daemon.config import config
    from pitwatch.daemon.config.table_facts import table_facts

    table = config.load(args.table)
    covered = cover(table.game, table_facts(table))
    judged = [each for each in covered if each.judged]
    lacking = [each for each in covered if each.missing and not each.only_a_person]
    people = [each for each in covered if each.only_a_person]
    nobody = [each for each in covered if each.never and each.applies]
    apart = [each for each in covered if not each.applies]
    if args.json:
        _put(
            {
                "table": table.table.id,
                "game": table.game.path,
                "judged": [
                    {"rule": each.rule.id, "by": each.by, **({"partly": each.partly} if each.partly else {})}
                    for each in judged
                ],
                "needs_more": [{"rule": each.rule.id, "missing": each.missing} for each in lacking],
                "person": [{"rule": each.rule.id} for each in people],
                "nobody": [{"rule": each.rule.id, "because": each.never} for each in nobody],
                "not_applicable": [{"rule": each.rule.id, "because": each.never} for each in apart],
            }
        )
        return 0
    page = Page()
    page.heading(f"{table.table.id}: {table.game.name} ({table.game.path})")
    page.paragraph(
        f"{len(judged)} of {len(covered) - len(apart)} documented irregularities are judged by this table's devices, "
        f"{len(lacking)} need more, {len(people)} only a person sees"
        + (f", {len(nobody)} nothing judges: see rules check." if nobody else "."),
        2,
    )

    def rows(title: str, entries: list[Covered]) -> None:
        if entries:
            page.heading(title)
            page.columns([(each.rule.id, _how(each), f"[{each.rule.lines}]") for each in entries])

    rows("Judged", judged)
    rows("Not observable here", lacking)
    rows("Only a person sees (report at the panel)", people)
    rows("Judged by nothing", nobody)
    rows("Not applicable", apart)
    print(page)
    return 0


def _how(each: Covered) -> str:
    if each.never:
        return each.never
    if each.only_a_person:
        return "panel key report:" + each.rule.id
    if each.missing:
        return "needs " + " and ".join(need.replace(" | ", " or ") for need in each.missing)
    return "by " + ", ".join(each.by) + (f", {each.partly}" if each.partly else "")


# -- check


def _check(args: argparse.Namespace) -> int:
    from pitwatch.rules.book.bookcheck import check_path

    path = Path(args.path)
    if not path.exists() and (books.BOOKS / args.path).is_dir():
        path = books.BOOKS / args.path
    problems = check_path(path)
    if args.json:
        _put(problems)
    else:
        for problem in problems:
            print(problem)
        if not problems:
            print(f"{path}: no mistake found")
    return 1 if problems else 0


# -- changes


def _changes(args: argparse.Namespace) -> int:
    found = changes.changes(_whole_book(args.old), _whole_book(args.new))
    verdicts = [change for change in found if change.verdict]
    if args.json:
        _put([change._asdict() for change in found])
        return 1 if verdicts else 0
    for change in found if args.words else verdicts:
        print(_told(change))
    words = len(found) - len(verdicts)
    if not args.words and words:
        print(f"{words} differences in words and citations alone; --words shows them")
    if not found:
        print(f"{args.old}, {args.new}: no difference")
    return 1 if verdicts else 0


def _whole_book(name: str) -> dict[str, Game]:
    """Every game of a book, named by its id or its folder. Raises BookError."""
    folder = Path(name) if (Path(name) / "book.toml").is_file() else books.book_folder(name)
    return {game: books.read_game(folder, game) for game in books.games(folder)}


def _told(change: changes.Change) -> str:
    what = f"{change.game}: {change.what} {change.name}"
    if change.old is None or change.new is None:
        return f"{what}: {'new' if change.old is None else 'gone'}"
    where = f" {change.field}" if change.field else ""
    note = "" if change.verdict else "  (words only)"
    return f"{what}:{where} {_plain(change.old)} -> {_plain(change.new)}{note}"


def _plain(value: Any) -> str:
    return msgspec.json.encode(value).decode()
