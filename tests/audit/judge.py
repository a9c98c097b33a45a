"""Plays a case as `pitwatch replay` plays a capture, and says what came out otherwise than written. For tests only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from msgspec.json import decode

from pitwatch.daemon.captures import capture
from pitwatch.daemon.captures.replaying import Replay, Tape
from pitwatch.daemon.config import config
from pitwatch.daemon.contract.messages import encode
from tests.audit.case_file import Case


def records(case: Case, folder: Path) -> list[tuple[str, Any]]:
    """(kind, data) of the rounds and irregularities, as a subscriber gets them."""
    table, played = folder / "table.toml", folder / "play.jsonl"
    table.write_text(case.table)
    played.write_text("".join(json.dumps(line) + "\n" for line in case.capture))
    out: list[tuple[str, Any]] = []
    tape = Tape(frozenset({"round", "irregularity"}), lambda kind, _, data: out.append((kind, decode(encode(data)))))
    with capture.opened(str(played)) as file:
        Replay(config.load(table), tape).run(capture.lines(str(played), file), str(played))
    return out


def differences(case: Case, folder: Path) -> list[str]:
    """What came out otherwise than the case says, a line each."""
    found = records(case, folder)
    irregularities = [data for kind, data in found if kind == "irregularity"]
    rounds = [data for kind, data in found if kind == "round"]
    wrong = []
    reported = sorted(each["rule"].rpartition("/")[2] for each in irregularities)
    if reported != sorted(case.irregularities):
        wrong.append(f"irregularities {reported}, not {sorted(case.irregularities)}")
    for detail in case.details:
        of_rule = [each for each in irregularities if each["rule"].rpartition("/")[2] == detail["rule"]]
        rest = {key: value for key, value in detail.items() if key != "rule"}
        if not any(_fits(rest, each) for each in of_rule):
            wrong.append(f"no {detail['rule']} with {rest}; there are {of_rule}")
    if case.rounds is not None:
        if len(rounds) != len(case.rounds):
            wrong.append(f"{len(rounds)} rounds, not {len(case.rounds)}")
        for number, (wanted, round_) in enumerate(zip(case.rounds, rounds, strict=False), 1):
            if not _fits(wanted, round_):
                wrong.append(f"round {number} is {round_}, not {wanted}")
    return wrong


def _fits(wanted: Any, found: Any) -> bool:
    """Whether `found` has all that `wanted` names; a list must be the same all through."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(key in found and _fits(wanted[key], found[key]) for key in wanted)
    if isinstance(wanted, list):
        return isinstance(found, list) and len(wanted) == len(found) and all(map(_fits, wanted, found))
    return bool(wanted == found)
