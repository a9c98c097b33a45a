"""What a table's devices can judge, and what they would need."""

from __future__ import annotations

from rules.book import load_game
from rules.coverage import cover
from tests.rules.table import facts

GAME = load_game("toledo-2020/roulette")


def test_a_wheel_alone() -> None:
    covered = {each.rule.id: each for each in cover(GAME, facts("wheel"))}
    assert covered["same-direction-spin"].by == ("wheel",)
    assert covered["late-no-more-bets"].missing == ("panel.key_pressed:no_more_bets",)
    assert covered["late-bet"].only_a_person
    assert not covered["late-bet"].judged


def test_a_wheel_that_shows_no_revolutions_judges_none() -> None:
    covered = {each.rule.id: each for each in cover(GAME, facts("wheel", "panel", without=["ball_left_rim"]))}
    assert covered["under-minimum-revolutions"].missing == ("wheel.ball_left_rim",)
    assert covered["late-no-more-bets"].judged, "the ball at rest shows it as well"


def test_every_rule_is_judged_or_lacks_something() -> None:
    for each in cover(GAME, facts("wheel", "panel", "enclosure", "shuffler")):
        assert each.judged != bool(each.missing)
        assert each.judged or each.only_a_person
