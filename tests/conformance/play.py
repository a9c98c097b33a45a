"""One case played: clean rounds must be silent and whole, a fault must give its own verdict alone, as the book has it.

Every function returns what was wrong, one line each; an empty list is what is hoped for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from pitwatch.devices.observation import Observation
from pitwatch.rules.engine import Engine
from pitwatch.rules.game import Game
from pitwatch.rules.records import Irregularity
from pitwatch.rules.table import DeviceFacts, TableFacts
from tests.conformance.cases import Case
from tests.sim_hw.tablerun import Heard

AROUND = 4
"""Rounds played with a fault among them."""


def clean(case: Case, rounds: int, seed: int) -> list[str]:
    """Play rounds without a fault."""
    where = f"{case}, {rounds} clean rounds, seed {seed}"
    return [f"{where}: {each}" for each in _tried(lambda: noise(case.bench.run(rounds, seed), rounds))]


def _tried(what: Callable[[], Iterable[str]]) -> list[str]:
    """What was wrong; an exception is wrong too, and the run goes on with the next."""
    try:
        return list(what())
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]


def noise(heard: Heard, rounds: int) -> Iterator[str]:
    for rule, count in sorted(heard.rules.items()):
        yield f"{rule} reported {count} times"
    if len(heard.rounds) != rounds:
        yield f"{len(heard.rounds)} rounds put out"
    for what, found in (
        ("partial", [each.round for each in heard.rounds if each.partial]),
        ("void", [each.round for each in heard.rounds if each.void]),
    ):
        if found:
            yield f"round {found[0]} and {len(found) - 1} more are {what}"
    said = Counter(each.event for each in heard.observations if each.event in ("device_fault", "bytes_discarded"))
    for event, count in said.items():
        yield f"{count} {event}"


def fault(case: Case, rule: str, seed: int) -> list[str]:
    """Play a few rounds in one of which the dealer breaks the rule."""
    return [f"{case}, {rule}, seed {seed}: {each}" for each in _tried(lambda: _verdicts(case, rule, seed))]


def _verdicts(case: Case, rule: str, seed: int) -> Iterator[str]:
    (planned,) = case.bench.plan(AROUND, seed, [rule])
    heard = case.bench.run(AROUND, seed, [planned])
    if heard.rules != Counter(planned.expects):
        said = _list(sorted(heard.rules.elements()))
        yield f"in round {planned.round_index + 1} expected {_list(planned.expects)}, reported {said}"
    for round_ in heard.rounds:
        if round_.partial:
            yield f"round {round_.round} is partial"
    for each in heard.irregularities:
        yield from differences(case.bench.game, each)


def _list(rules: tuple[str, ...] | list[str]) -> str:
    return ", ".join(rules) or "nothing"


def differences(game: Game, found: Irregularity) -> list[str]:
    """Where an irregularity is not what the game's book says of its rule."""
    path, _, rule_id = found.rule.rpartition("/")
    rule = game.rules.get(rule_id)
    if rule is None or path != game.path:
        return [f"{found.rule} is no rule of {game.path}"]
    written = {
        "category": (found.category, rule.category),
        "severity": (found.severity, rule.severity),
        "disposition": (found.disposition, rule.disposition),
        "instruction": (found.instruction, rule.instruction),
        "notify": (found.notify, rule.notify),
        "document": (found.citation.document, game.document),
        "section": (found.citation.section, rule.section),
        "lines": (found.citation.lines, rule.lines),
    }
    return [f"{rule_id}.{key} is {is_!r}, in the book {book!r}" for key, (is_, book) in written.items() if is_ != book]


def reported(game: Game) -> list[str]:
    """Let a person report every rule of the game at a panel: each gives its own verdict and no other."""
    engine = Engine(game, TableFacts(devices=(DeviceFacts("panel", "panel", frozenset(("key_pressed",))),)))
    wrong = []
    for seq, rule in enumerate(game.rules, start=1):
        records = engine.feed(seq, Observation(seq * 1_000_000_000, "panel", "key_pressed", {"key": f"report:{rule}"}))
        found = [each for each in records if isinstance(each, Irregularity)]
        if [each.rule for each in found] != [f"{game.path}/{rule}"]:
            wrong.append(f"{game.path}, report:{rule}: reported {_list([each.rule for each in found])}")
        wrong += [f"{game.path}, report:{rule}: {each}" for one in found for each in differences(game, one)]
    return wrong
