"""Ways out that documents name, as pit logs: what only one game has."""

from __future__ import annotations

from tests.rules.pit_log import CALL, OVER, laid, seated, taken
from tests.rules.remedies_of_cards import (
    AGAIN,
    BACCARAT,
    FELT,
    JACK,
    ROLL,
    SHOE,
    SPIN,
    SQUARES,
    Play,
    dealt,
    drawn,
    key,
)

# --- roulette, craps


def of_the_wheel() -> list[Play]:
    wheel = ("wheel", "panel", "enclosure")
    game, no_spin = "columbus-2016/roulette", key("no_spin")
    before, fall = SPIN.split("+5\n")
    taken_out = "wheel object_detected\nwheel wheel_state state=before_game\n"
    settled = "wheel object_detected\n" + fall
    rolling = before + "+5\n"
    fast = rolling.replace("revolutions=14", "revolutions=3")
    with_it = rolling.replace("=ccw", "=cw")
    ways = (no_spin + taken_out, no_spin + settled, no_spin + "wheel wheel_state state=before_game\n")
    plays = [
        Play(rule, game, wheel, fault, way, SPIN)
        for rule, fault in (
            ("same-direction-spin", with_it), ("under-minimum-revolutions", fast),
            ("foreign-object", rolling + "wheel object_detected\n"), ("floater", rolling + "wheel ball_floating\n"),
        )
        for way in ways
    ]  # fmt: skip
    expelled = rolling + "wheel ball_expelled\n"
    differs = SPIN + 'wheel result_announced pocket="18"\n'
    skipped = SPIN.replace("ball_launched", "ball_launched spin=7") + SPIN.replace(
        "ball_launched", "ball_launched spin=9"
    )
    return [
        *plays,
        Play("ball-expelled", game, wheel, expelled, no_spin, SPIN),
        Play("ball-expelled", game, wheel, expelled, "", SPIN),
        Play("result-mismatch", game, wheel, differs, "enclosure opened\nenclosure closed\n", SPIN, {},
             ("result-mismatch", "tampering-suspected")),
        Play("result-mismatch", game, wheel, differs, "wheel wheel_state state=before_game\n", SPIN),
        Play("spin-counter-skip", game, wheel, skipped, "wheel wheel_state state=before_game\n", SPIN),
        Play("equipment-malfunction", game, wheel, "wheel device_fault reason=x\n", "wheel device_recovered\n", SPIN),
        Play("tampering-suspected", game, wheel, "enclosure opened\n", "enclosure closed\n", SPIN),
    ]  # fmt: skip


def of_the_dice() -> list[Play]:
    game, dice, no_roll = "columbus-2016/craps", ("dice", "panel", "enclosure", "key_reader"), key("no_roll")
    inspected, changed, whole = key("dice_inspected"), key("dice_set_changed"), "dice dice_counted dice=5\n"
    off = "dice throw_started dice=2\ndice end_wall_struck dice=1\ndice die_off_table zone=rail-left\n"
    off += 'dice dice_settled faces=[3,null] at=["layout","off"]\n'

    def at(place: str) -> str:
        return ROLL.replace('"layout"]', f'"{place}"]')

    improper = (
        ("die-on-die", at("stacked")), ("die-on-chip-bank", at("bank")), ("die-in-cup-or-on-rail", at("rail")),
        ("far-end-not-hit", ROLL.replace("struck dice=2", "struck dice=1")),
        ("dice-not-released-together", ROLL.replace("dice=2", "dice=2 spread_ms=900", 1)), ("die-off-table", off),
    )  # fmt: skip
    plays = [Play(rule, game, dice, fault, no_roll, ROLL) for rule, fault in improper]
    plays += [Play(rule, game, dice, fault, no_roll + inspected + whole, ROLL) for rule, fault in improper]
    lost = ("die-off-table", "die-lost")
    back = ("die-off-table", "die-returned-uninspected")
    plays += [
        Play("die-off-table", game, dice, off, inspected + whole, ROLL),
        Play("die-off-table", game, dice, off, changed + whole, ROLL),
        Play("die-off-table", game, dice, off, "key_reader credential_presented credential=1:1\n" + whole, ROLL),
        Play("die-lost", game, dice, off + "dice dice_counted dice=4\n", changed + whole, ROLL, {}, lost),
        Play("die-lost", game, dice, off + "dice dice_counted dice=4\n", changed, ROLL, {}, lost),
        Play("die-returned-uninspected", game, dice, off + whole + ROLL, inspected, ROLL, {}, back),
        Play("die-returned-uninspected", game, dice, off + whole + ROLL, changed + whole, ROLL, {}, back),
        Play("dice-count-wrong", game, dice, ROLL + "dice dice_counted dice=6\n", inspected + whole, ROLL),
        Play("dice-count-wrong", game, dice, ROLL + "dice dice_counted dice=6\n", changed + whole, ROLL),
        Play("dice-count-wrong", game, dice, ROLL.replace("dice=2", "dice=3", 1), no_roll + inspected + whole, ROLL),
        Play("equipment-malfunction", game, dice, "dice device_fault reason=lamp\n", "dice device_recovered\n", ROLL),
        Play("tampering-suspected", game, dice, "enclosure opened\n", changed + "enclosure closed\n", ROLL),
    ]
    return plays


# --- baccarat, blackjack, war, matched


def of_baccarat() -> list[Play]:
    game = "columbus-2016/commission-free-baccarat-dragon-bonus"
    start = seated(1) + "shoe shoe_started decks=8\n" + BACCARAT
    whole = "6D P, 7S B, KC P, KH B"
    relief = key("dealer_change") + drawn("2D b")
    phantom = drawn("6S B, KC P, KH B, 5C P") + OVER  # the card drawn in error was the player's first
    called = CALL + phantom
    one, two = CALL + drawn(whole + ", 2D B"), CALL + drawn("2D P, 3S B, KC P, KH B, 7C P, 2C B, 4C B")
    wrong = CALL + drawn(whole) + "shoe result_declared winner=player pairs=[]\n" + OVER
    failed = start + "shuffler shuffle_started\nshuffler count_failed cards=415\n"
    by_hand = "shuffler cards_removed\n" + key("supervisor") + key("cards_verified") + key("hand_shuffled")
    again = "shoe shoe_started decks=8\n"
    single: dict[str, object] = {"decks": 1}
    twice, joker = "KC P, 7S B, 6D P, KC B", "JK P, 7S B, KC P, KH B"
    one_deck = again.replace("8", "1")
    return [
        *(Play("third-card-rule", game, SHOE, start + one + OVER, way, BACCARAT) for way in (phantom, called, "")),
        *(Play("more-than-one-extra-card", game, SHOE, start + two + OVER, way, BACCARAT) for way in (phantom, "")),
        Play("accidental-burn", game, SHOE, start + relief, drawn(whole) + OVER, BACCARAT),
        Play("accidental-burn", game, SHOE, start + relief, "", BACCARAT),
        *(Play("result-mismatch", game, SHOE, start + wrong, way, BACCARAT) for way in (again, AGAIN + again, "")),
        *(Play("shuffle-count-failed", game, SHOE, failed, way, BACCARAT) for way in (by_hand, by_hand + again)),
        Play("duplicate-card", game, SHOE, one_deck + CALL + drawn(twice) + OVER, AGAIN + again, BACCARAT, single),
        Play("foreign-card", game, SHOE, start + CALL + drawn(joker) + OVER, AGAIN + again, BACCARAT),
    ]  # fmt: skip


def of_blackjack() -> list[Play]:
    game, fresh, cut = "toledo-2020/blackjack", "shoe shoe_started decks=6\n", "shoe cut_card_drawn\n"
    shuffle = "shuffler shuffle_started\nshuffler shuffle_completed cards=null\n"
    reshuffled = (fresh, shuffle + fresh, key("hand_shuffled") + fresh, key("deck_changed") + fresh)
    middle = CALL + drawn("TS 1, 6H d") + cut
    rest = drawn("9C 1, KD d, 2S d") + OVER
    three = CALL + drawn("TS 1, 9S 2, 6H d, 9C 1, 2C 1, 8C 2, KD d")
    on_felt = CALL + dealt(seat_1="TS", seat_2="9S", dealer="6H") + laid("seat-1", "9C 2C") + laid("seat-2", "8C")
    on_felt += laid("dealer", "KD")
    taken_away = taken("seat-1", "TS 9C 2C") + laid("discard", "TS 9C 2C")
    dealers = CALL + drawn("TS 1, 9S 2, 6H d, KD d, 5C d, 9C 1, 8C 2")
    felt_round = CALL + dealt(seat_1="TS", dealer="6H") + laid("seat-1", "9C") + laid("dealer", "KD 2S") + OVER
    felt_end = laid("dealer", "2S") + OVER
    barred = {"mid-shoe-entry": "barred"}
    entered = CALL + drawn("TS 1, 9S 2, 6H d, 9C 1, 8C 2, JD d, 4C d") + OVER
    pure, banked = "california/pure-21-5-blackjack", "seats bank_moved seat=seat-{}\n"
    single, one_deck = fresh.replace("6", "1"), CALL + drawn("TS 1, 6H d, TS 1") + OVER
    double, misdeal = "toledo-2020/double-deck-blackjack", key("misdeal")
    war, war_round = "california/casino-war", CALL + drawn("KS 1, 9C d") + OVER
    at_war = CALL + drawn("KS 1, KC d") + cut
    return [
        *(Play("cut-card-first-card", game, SHOE, fresh + JACK + cut, way, JACK) for way in reshuffled),
        *(Play("cut-card-first-card", game, SHOE, fresh + JACK + CALL + cut, way, JACK) for way in reshuffled),
        *(Play("cut-card-mid-round", game, SHOE, fresh + middle, rest + way, JACK) for way in reshuffled),
        *(Play("wrong-card-count-player", game, SHOE, three, way, JACK) for way in (
            drawn("2S d") + OVER, OVER, misdeal + OVER, misdeal + drawn("TS 1, 6H d, 9C 1, KD d, 2S d") + OVER)),
        *(Play("wrong-card-count-player", game, FELT, on_felt, way, felt_round) for way in (
            taken_away + felt_end, felt_end, key("misdeal") + taken_away + OVER)),
        *(Play("wrong-card-count-dealer", game, SHOE, dealers, way, JACK) for way in (OVER, key("misdeal") + OVER)),
        *(Play("mid-shoe-entry", double, SHOE, fresh + JACK + entered, way, entered, barred) for way in reshuffled[:3]),
        Play("bank-held-too-long", pure, SHOE, banked.format(2) + three_rounds(), banked.format(3), deal_by_three()),
        Play("duplicate-card", game, SHOE, single + one_deck, AGAIN + single, JACK, {"decks": 1}),
        *(Play("cut-card-mid-round", war, SHOE, war_round + at_war, drawn("2C b, 3C b, 4C b, 9D 1, 8D d") + OVER + way,
               war_round) for way in (fresh + drawn("2S b"), shuffle + fresh + drawn("2S b"))),
    ]  # fmt: skip


def deal_by_three() -> str:
    return CALL + drawn("KS 1, 8H d, 9C 1, JD d") + OVER


def three_rounds() -> str:
    return deal_by_three() * 3


def of_matched() -> list[Play]:
    game, felt = "california/matched-em", ("card_position", "panel")
    alike = OVER + laid("community", "AS AH QS") + CALL + laid("dealer", "4C")
    ways = (laid("dealer", "9H AD"), key("misdeal") + taken("community", "AS AH QS") + taken("dealer", "4C"))
    return [Play("duplicate-square-card", game, felt, alike, way + OVER, SQUARES) for way in ways]


def of_pai_gow() -> list[Play]:
    game = "california/fortune-pai-gow-poker"
    piles = {"seat-1": "AS QH JD 9C 7S 4H 2D", "seat-2": "KS KH KD 5C 5S 8H 3D", "seat-3": "AC 2C 3C 4C 5D 9H JH"}
    begun = seated(1) + "seats bank_moved seat=seat-2\n" + CALL
    lying = begun + "".join(laid(seat, cards) for seat, cards in piles.items()) + OVER
    clean = begun + "".join(laid(seat, cards) for seat, cards in piles.items() if seat != "seat-3") + OVER
    return [
        Play(
            "unbet-pile", game, FELT, lying, taken("seat-3", piles["seat-3"]) + "seats bank_moved seat=seat-1\n", clean
        )
    ]


def plays() -> list[Play]:
    return [*of_the_wheel(), *of_the_dice(), *of_baccarat(), *of_blackjack(), *of_matched(), *of_pai_gow()]
