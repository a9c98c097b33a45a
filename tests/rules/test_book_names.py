"""Every name in the books that come with Pitwatch is read by something, as `rules check` takes it, and every rule that
devices are to judge is judged by something."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from pitwatch import rules, sim_hw
from pitwatch.rules.book import books, games, load_game
from pitwatch.rules.book.bookwords import unknown_rule
from pitwatch.rules.engine.registry import watched_rules
from pitwatch.rules.game import CHOICE, Game

FOR_PEOPLE = {
    "aces-up-pays", "adjacent-positions", "aggregate-payout", "blackjack-pays", "bonus-wager", "collection-schedule",
    "commission", "cutting-card", "fortune-7", "fortune-bonus", "no-bet-light", "ox-8", "patron-card-control",
    "several-hands", "shuffle", "start-by", "tie-bet", "two-areas",
}  # fmt: skip
"""What the house decides or the document states and no device shows."""

RULES_PUT_TOGETHER = {"wrong-card-count-dealer", "wrong-card-count-player"}

PUT_TOGETHER = {"split-hands-aces", "split-hands-tens"}
"""Read under a name that the code puts together."""


def _code() -> str:
    folders = [Path(module.__path__[0]) for module in (rules, sim_hw)]
    return "".join(path.read_text() for folder in folders for path in sorted(folder.rglob("*.py")))


def _names(game: Game) -> set[str]:
    return {*game.figures, *game.options, *game.tables}


def test_every_name_is_read_or_for_people() -> None:
    code = _code()
    unread: dict[str, str] = {}
    for folder in books():
        for name in games(folder):
            game = load_game(f"{folder.name}/{name}")
            tables, needs = str(game.tables), str([rule.needs for rule in game.rules.values()])
            for each in _names(game):
                if f'"{each}"' not in code and f"'{each}'" not in tables and f"{CHOICE}{each}:" not in needs:
                    unread.setdefault(each, game.path)
    assert {each: game for each, game in unread.items() if each not in FOR_PEOPLE | PUT_TOGETHER} == {}
    assert set(unread) >= FOR_PEOPLE | PUT_TOGETHER, "these are read by now"


@cache
def _judged_by_devices() -> dict[str, list[Game]]:
    found: dict[str, list[Game]] = {}
    for folder in books():
        for game in (load_game(f"{folder.name}/{name}") for name in games(folder)):
            for rule in game.rules.values():
                if not rule.only_a_person_sees:
                    found.setdefault(rule.id, []).append(game)
    return found


def test_every_rule_that_devices_judge_has_its_name_in_the_code_or_in_the_games_tables() -> None:
    code = "".join(path.read_text() for path in sorted(Path(rules.__path__[0]).rglob("*.py")))
    unread = {
        rule
        for rule, played in _judged_by_devices().items()
        if f'"{rule}"' not in code and any(f"'{rule}'" not in str(game.tables) for game in played)
    }
    assert unread == RULES_PUT_TOGETHER


def test_the_rules_that_watchers_judge_are_those_in_their_code() -> None:
    code = "".join(path.read_text() for path in Path(rules.__path__[0], "watchers").glob("[!_]*.py"))
    code = re.sub(r"^RULES = \(.*?\)", "", code, flags=re.DOTALL | re.MULTILINE)  # what they declare proves nothing
    code += Path(rules.__path__[0], "house.py").read_text()
    assert {rule for rule in _judged_by_devices() if f'"{rule}"' in code} == watched_rules()
    assert all(f'"{rule}"' in code for rule in watched_rules())


def test_a_rule_by_another_name_is_judged_by_nothing() -> None:
    assert unknown_rule("roulette", "floater") is None
    assert unknown_rule("roulette", "duplicate-card") is None, "a watcher's, in whatever game"
    assert unknown_rule("", "third-card-rule") is None, "general.toml serves every family"
    says = unknown_rule("roulette", "third-card-rule")
    assert says is not None
    assert "no rule of roulette is called 'third-card-rule'" in says
    assert unknown_rule("blackjack", "my-jackpot", [{"hand": "sevens", "announce": "my-jackpot"}]) is None
