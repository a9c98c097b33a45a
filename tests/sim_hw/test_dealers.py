"""Simulated dealers are found by what their own modules declare, and by nothing else."""

from __future__ import annotations

from pathlib import Path

from pitwatch.rules.engine import registry
from pitwatch.sim_hw.simulate import dealers
from tests.copied_tree import copy_of, python

DEALER = '''"""A dealer of big six."""

from pitwatch.sim_hw.dealers.roulette import AutomaticRoulette

PLAYS = {"big-six": ["wheel/slingshot2", "BigSix"]}


class BigSix(AutomaticRoulette):
    """A dealer."""
'''


def test_every_family_with_rounds_has_a_dealer_and_readers_come_before_lines() -> None:
    assert {family for family in registry.families() if not dealers(family)} == {"schedule"}
    assert [need for need, _, _ in dealers("roulette")] == ["wheel/mercury360", "wheel/slingshot2", "wheel/lines"]


def test_a_dealer_that_is_added_is_found(tmp_path: Path) -> None:
    tree = copy_of(tmp_path / "tree", "hal", "devices", "rules", "sim_hw")
    show = "from pitwatch.sim_hw.simulate import dealers; print(dealers('big-six'))"
    assert python(tree, "-c", show).stdout == "[]\n"
    (tree / "pitwatch" / "sim_hw" / "dealers" / "big_six.py").write_text(DEALER)
    expected = [("wheel/slingshot2", "pitwatch.sim_hw.dealers.big_six", "BigSix")]
    assert python(tree, "-c", show).stdout == f"{expected}\n"
