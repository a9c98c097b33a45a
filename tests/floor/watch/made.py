"""Messages as tables send them, made by hand. For tests only."""

from __future__ import annotations

import json
from typing import Any

from pitwatch.floor.message import Message, read_message

NOW = 1_800_000_000.0


def message(
    kind: str,
    data: dict[str, Any],
    sequence: int | None = None,
    table: str = "toledo/RL-07",
    subtopic: str = "",
    boot: str = "b1",
    retained: bool = False,
    **envelope: Any,
) -> Message:
    """Through the reader of real ones."""
    event = {
        "id": f"{table.rpartition('/')[2]}/{boot}/{sequence}",
        "source": f"/{table}",
        "type": f"pitwatch.{kind}.v1",
        "bootid": boot,
        "data": data,
    }
    if sequence is not None:
        event["sequence"] = sequence
    payload = json.dumps(event | envelope).encode()
    return read_message("pitwatch/1", f"pitwatch/1/{table}/{subtopic or kind}", payload, retained)


def removed(subtopic: str, table: str = "toledo/RL-07") -> Message:
    return read_message("pitwatch/1", f"pitwatch/1/{table}/{subtopic}", b"", False)


def irregularity(sequence: int, severity: str = "alert", rule: str = "same-direction-spin", **more: Any) -> Message:
    data = {
        "rule": f"toledo-2020/roulette/{rule}",
        "category": "no-spin",
        "severity": severity,
        "round": 3,
        "observed": {"ball": "cw", "rotor": "cw"},
        "required": {"ball": "ccw"},
        "disposition": "no-spin",
        "instruction": "Announce No Spin.",
        "notify": ["Floor"],
        "says": more.pop("says", "The ball is spun in the direction of the wheel"),
        "citation": {"document": "d.txt", "section": "Eight", "lines": "1658", "title": "Plan"},
        "evidence": more.pop("evidence", [1, 2]),
    }
    return message("irregularity", data, sequence, subtopic=more.pop("subtopic", f"irregularity/{severity}"), **more)


def observation(sequence: int, **more: Any) -> Message:
    data = {"t": 1.0, "device": "wheel", "event": "ball_launched", "data": {"direction": "cw"}}
    return message("observation", data, sequence, subtopic=more.pop("subtopic", "observation/wheel"), **more)


def status(state: str, **more: Any) -> Message:
    data = {"state": state, "version": "0.1.0", "game": "toledo-2020/roulette", "journal": "ok", "boot": "b1"}
    return message("status", data, **more)


def alert(sequence: int, key: str = "wheel-fault", raised: bool = True, **more: Any) -> Message:
    data = {"key": key, "raised": raised, "condition": "device fault", "device": "wheel", "since": 1.0, "detail": {}}
    return message("alert", data, sequence, subtopic=f"alert/{key}", **more)


def round_over(sequence: int, number: int, **more: Any) -> Message:
    data = {"round": number, "game": "roulette", "result": {"pocket": "17"}, "partial": False, "void": None}
    return message("round", data, sequence, **more)


def acknowledged(sequence: int, of: int, by: str = "ann", **more: Any) -> Message:
    arguments = {"sequence": of, "note": "seen"}
    data = {"verb": "acknowledge", "request": "r", "by": by, "accepted": True, "reason": "", "arguments": arguments}
    return message("request", data, sequence, subtopic="requested", **more)
