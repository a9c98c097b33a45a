"""The questions about the lines of one device: which line is which, and how they are wired."""

from __future__ import annotations

from typing import Any

from pitwatch.daemon.newtable.asking import Asker
from pitwatch.daemon.newtable.plugs import Plug
from pitwatch.devices.base import Device

DEBOUNCE_US = {"panel": 5000, "seats": 5000, "enclosure": 5000, "shuffler": 2000, "progressive": 2000, "peek": 2000}
"""Keys and switches, relays (docs/hardware.md, Lines); beams and card readers need none."""

MOST_GPIO = 255


def ask_lines(asker: Asker, kind: str, cls: type[Device], chip: Plug | None) -> dict[str, dict[str, Any]]:
    """The lines of a device of this class; `chip` None: at a sensor node."""
    wiring = _wiring(asker, kind)
    most = chip.lines - 1 if chip is not None and chip.lines else MOST_GPIO
    lines: dict[str, dict[str, Any]] = {}
    taken: set[int] = set()

    def number(answer: str) -> str:
        if not (answer.isascii() and answer.isdigit() and int(answer) <= most):
            raise ValueError(f"the number of a line from 0 to {most} is right")
        if int(answer) in taken:
            raise ValueError(f"line {answer} is taken by another wire of this device")
        return answer

    def number_or_none(answer: str) -> str:
        return answer if answer == "none" else number(answer)

    for pattern, carries in cls.LINES.items():
        for name in _names(asker, pattern, carries):
            question = f"  {name} ({carries}): line"
            if name in cls.REQUIRED:
                answer = asker.ask("", question, None, number)
            else:
                answer = asker.ask("", question, "none", number_or_none)
            if answer == "none":
                continue
            taken.add(int(answer))
            place = {} if chip is None else {"chip": chip.path}
            lines[name] = {**place, "line": int(answer), **wiring}
    return lines


def _names(asker: Asker, pattern: str, carries: str) -> list[str]:
    """The names of lines that go by a pattern; a plain name is itself."""
    if not pattern.endswith("*"):
        return [pattern]

    def check(answer: str) -> str:
        if answer != "none" and not all(each.isprintable() for each in answer.split()):
            raise ValueError("names with blanks between them are right")
        return answer

    answer = asker.ask("", f"  {pattern} ({carries}): what stands for the *, with blanks between", "none", check)
    return [] if answer == "none" else [pattern[:-1] + each for each in answer.split()]


def _wiring(asker: Asker, kind: str) -> dict[str, Any]:
    usual = asker.yes("", "  Contacts or open collectors to ground, with the board's pull-up (the usual wiring)", True)
    wiring: dict[str, Any] = {"active_low": True, "bias": "pull-up"} if usual else {}
    debounce = DEBOUNCE_US.get(kind, 0)
    return {**wiring, "debounce_us": debounce} if debounce else wiring
