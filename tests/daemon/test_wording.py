"""What a record says, as a person reads it in the bench and in surveillance's view."""

from __future__ import annotations

from typing import Any

import pytest

from pitwatch.daemon.contract.wording import fields, result


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"ball": "cw", "rotor": "cw"}, "ball cw, rotor cw"),
        ({"seat": "seat-3", "cards_dealt": 2}, "seat-3, cards dealt 2"),
        ({"seats": ["seat-1", "seat-2"]}, "seat-1 seat-2"),
        ({"seat": None, "seats": []}, "seat not seen, seats none"),
        ({"spread_ms": 864.5, "step_s": 3}, "spread 864.5 ms, step 3 s"),
        ({"spread_ms": None, "_s": "x"}, "spread ms not seen,  s x"),
        ({"inspected": False, "faces": [3, None]}, "inspected no, faces 3 not seen"),
        (
            {"hands": {"seat-1": None, "seat-2": "flush"}, "kept": {}},
            "hands (seat-1 not seen, seat-2 flush), kept none",
        ),
        ({}, "-"),
    ],
)
def test_values_by_name(values: dict[str, Any], said: str) -> None:
    assert fields(values) == said


def test_a_value_of_any_depth_is_told_in_short() -> None:
    deep: Any = 1
    for _ in range(5_000):
        deep = {"more": [deep]}
    assert fields({"deep": deep}).startswith("deep (more (more (")
    assert len(fields({"deep": deep})) < 100


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"pocket": "17"}, "pocket 17"),
        ({"winner": "banker", "margin": None, "points": {"player": 3, "banker": 7}},
         "winner banker, points: player 3 banker 7"),
        ({"dealer": {"hand": "pair", "total": None}, "seat-2": {"total": 18}, "seat-3": {"hand": None}},
         "dealer: pair, seat-2: total 18, seat-3: not seen"),
        ({"winner": None}, "nothing seen"),
    ],
)  # fmt: skip
def test_a_result(values: dict[str, Any], said: str) -> None:
    assert result(values) == said
