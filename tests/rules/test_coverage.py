"""What a table's devices can judge, and what they would need."""

from __future__ import annotations

from pathlib import Path

import pytest

from pitwatch.devices.registry import find
from pitwatch.rules.book import BOOKS, load_game
from pitwatch.rules.book.coverage import NO_CARDS, Covered, cover
from pitwatch.rules.table import DeviceFacts, TableFacts
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


@pytest.mark.parametrize(("protocol", "followed"), [("card_lines", False), ("angel_eye", False), ("ndjson", True)])
def test_a_shoe_that_does_not_say_where_cards_go_judges_no_hand(protocol: str, followed: bool) -> None:
    """It counts the cards all the same, and with a reader under the felt nothing is wanting."""
    shoe = DeviceFacts("shoe", "shoe", frozenset(find("shoe", protocol).events_with((), {})))
    for others, judged in ((("panel",), followed), (("panel", "card_position"), True)):
        table = TableFacts(devices=(*facts(*others).devices, shoe))
        covered = {each.rule.id: each for each in cover(load_game("toledo-2020/blackjack"), table)}
        hands = ("dealer-drew-against-rule", "wrong-initial-sequence", "player-drew-on-21", "relief-dealer-no-burn")
        assert [covered[rule].judged for rule in hands] == [judged] * len(hands)
        assert all(covered[rule].judged for rule in ("duplicate-card", "cut-card-mid-round"))
        if not judged:
            assert covered[hands[0]].missing == ("shoe.card_drawn:placed | card_position.card_placed",)


@pytest.mark.parametrize(
    ("game", "hands"),
    [
        ("california/pan-9-dragon-9-bonus", ("wrong-card-count", "dealer-drew-against-rule", "late-wager")),
        ("columbus-2016/texas-holdem", ("wrong-card-count", "premature-deal")),
        ("california/pai-gow-poker", ("wrong-card-count", "packet-order")),
        ("california/casino-war", ("wrong-initial-sequence", "relief-dealer-no-burn", "missing-war-burn")),
        ("toledo-2020/three-card-poker", ("packet-order", "unbet-pile")),
        ("california/ez-baccarat-panda-8", ("wrong-initial-sequence",)),
    ],
)
def test_what_only_the_place_of_a_card_shows(game: str, hands: tuple[str, ...]) -> None:
    shoe = DeviceFacts("shoe", "shoe", frozenset(find("shoe", "card_lines").events_with((), {})))
    for others, judged in ((("panel", "seats"), False), (("panel", "seats", "card_position"), True)):
        table = TableFacts(devices=(*facts(*others).devices, shoe))
        covered = {each.rule.id: each for each in cover(load_game(game), table)}
        assert [covered[rule].judged for rule in hands] == [judged] * len(hands)
        assert covered["duplicate-card"].judged


def test_a_shoe_that_knows_player_and_banker_is_enough_for_their_order() -> None:
    shoe = DeviceFacts("shoe", "shoe", frozenset(find("shoe", "angel_eye").events_with((), {})))
    covered = cover(load_game("california/ez-baccarat-panda-8"), TableFacts(devices=(shoe,)))
    assert {each.rule.id for each in covered if each.judged} >= {"wrong-initial-sequence", "third-card-rule"}


def test_every_rule_is_judged_or_lacks_something() -> None:
    for each in cover(GAME, facts("wheel", "panel", "enclosure")):
        assert each.judged != bool(each.missing or each.never)
        assert each.judged or each.only_a_person or each.never == NO_CARDS


@pytest.mark.parametrize("devices", [("wheel",), ("wheel", "shuffler")])
@pytest.mark.parametrize(
    ("game", "apart"),
    [
        ("toledo-2020/roulette", {"shuffler-fault-during-shuffle", "shuffle-count-failed"}),
        ("toledo-2019/craps", {"shuffler-fault-during-shuffle", "shuffle-count-failed"}),
        ("columbus-2016/craps-free-craps", {"shuffler-fault-during-shuffle", "shuffle-count-failed"}),
        ("toledo-2020/blackjack", set()),
        ("california/party-craps", set()),
    ],
)
def test_rules_on_cards_do_not_apply_where_there_are_none(game: str, apart: set[str], devices: tuple[str, ...]) -> None:
    covered = cover(load_game(game), facts(*devices))
    assert {each.rule.id for each in covered if each.never == NO_CARDS} == apart
    assert {each.rule.id for each in covered if not each.applies} == apart
    assert not any(each.judged or each.missing for each in covered if each.rule.id in apart)


def test_a_rule_by_a_name_that_nothing_judges_is_not_judged(tmp_path: Path) -> None:
    (tmp_path / "book.toml").write_text('id = "house"\ntitle = "House"\ndocument = "house.txt"\n')
    theirs = BOOKS / "toledo-2020"
    (tmp_path / "general.toml").write_text((theirs / "general.toml").read_text())
    text = (theirs / "roulette.toml").read_text()
    for name, judged in (("same-direction-spin", True), ("same-direction", False)):
        (tmp_path / "roulette.toml").write_text(text.replace('"same-direction-spin"', f'"{name}"'))
        house = load_game(f"{tmp_path}/roulette")
        (found,) = (each for each in cover(house, facts("wheel", "panel")) if each.rule.id == name)
        assert (found.judged, bool(found.never), found.applies) == (judged, not judged, True)
    assert "did you mean 'same-direction-spin'?" in found.never


def test_a_rack_shows_only_that_there_are_too_many_cards() -> None:
    def of_the_count(*types: str) -> Covered:
        game = load_game("toledo-2020/mini-midi-baccarat")
        return next(each for each in cover(game, facts(*types)) if each.rule.id == "deck-count-mismatch")

    rack = of_the_count("shoe", "discard_rack")
    assert (rack.judged, rack.by, rack.partly) == (True, ("discard_rack",), "only too many cards, over a whole shoe")
    assert of_the_count("shuffler", "discard_rack").partly == ""
    assert (of_the_count("shoe").judged, of_the_count("shoe").partly) == (False, "")


def test_where_hands_may_be_given_up_a_stand_is_told_over_some_only() -> None:
    # toledo-2020/blackjack 148: surrender, on the first two cards, is the house's choice
    devices = facts("shoe", "card_position").devices
    for chosen, partly in (
        (False, ""),
        (True, "only over a hand of three cards or more, or when the dealer drew a card and stopped: "),
    ):
        table = TableFacts(devices=devices, options={"surrender": chosen})
        stood = next(
            each
            for each in cover(load_game("toledo-2020/blackjack"), table)
            if each.rule.id == "dealer-stood-against-rule"
        )
        assert stood.judged
        assert stood.partly.partition(": ")[0] == partly.partition(": ")[0]


@pytest.mark.parametrize(
    "rule", [("three-card-poker", "mini-royal-spades-jackpot"), ("ultimate-texas-holdem", "progressive-jackpot-hand")]
)
def test_a_jackpot_is_shown_by_the_meter_or_by_a_lamp_and_the_cards(rule: tuple[str, str]) -> None:
    game, name = rule
    lamps = ["jackpot"]
    for table, judged in (
        (facts("progressive", "panel", without=lamps), False),
        (facts("progressive", "panel", "card_position", without=lamps), True),
        (facts("progressive", "panel", without=["coin_in"]), True),
        (facts("panel", "card_position"), False),
    ):
        covered = {each.rule.id: each for each in cover(load_game(f"toledo-2020/{game}"), table)}
        assert covered[name].judged == judged


def test_a_table_that_sees_no_round_begin_judges_none() -> None:
    """A reader under the felt and a meter show no clean boundary: every round stays partial (contract, alignment)."""
    game = load_game("toledo-2020/crazy-4-poker")
    beginning = "panel.key_pressed:no_more_bets | shuffler.shuffle_started | shoe.shoe_started"
    felt = ("card_position", "seats", "progressive", "key_reader", "enclosure")
    alone = {each.rule.id: each for each in cover(game, facts(*felt))}
    assert [name for name, each in alone.items() if each.judged] == ["equipment-malfunction", "tampering-suspected"]
    assert alone["wrong-card-count"].missing == alone["unlocked-without-key-card"].missing == (beginning,)
    assert alone["meter-decrease-unexplained"].only_a_person
    for each in ("panel", "shuffler"):
        covered = {each.rule.id: each for each in cover(game, facts(*felt, each))}
        assert all(covered[rule].judged for rule in ("wrong-card-count", "unlocked-without-key-card"))
    blind = {each.rule.id: each for each in cover(GAME, facts("wheel", "panel", without=["ball_launched"]))}
    assert blind["late-no-more-bets"].missing[-1] == "wheel.ball_launched"
