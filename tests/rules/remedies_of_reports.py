"""Ways out that documents name, as pit logs: of what a person reports at the panel, where devices see what follows."""

from __future__ import annotations

from pitwatch.rules.play.cards import DECK
from tests.rules.pit_log import CALL, OVER, laid, seated, taken
from tests.rules.remedies_of_cards import (
    AGAIN,
    BY_HAND,
    CARDS,
    FELT,
    PILES,
    ROLL,
    Play,
    collected,
    dealt,
    drawn,
    key,
    swept,
)
from tests.rules.remedies_of_poker import CHINESE, RAZZ, SEATS, Stub, stud, whole


def report(rule: str) -> str:
    return key(f"report:{rule}")


def of_void_rounds() -> list[Play]:
    """The cards are collected and shuffled, and the next round is dealt; or dealt anew in the same round."""
    plays: list[Play] = []
    exposed = "dealer-card-exposed"
    carnival, felt, clean = CARDS["carnival-poker"]
    first = {"seat_1": "AH 9D 4C", "dealer": "QC 8D"}
    anew = {"seat_1": "KH 9C 4D", "dealer": "QD 8C 3H"}
    for game in (carnival, "toledo-2020/three-card-poker"):
        begun = seated(1) + CALL + dealt(**first) + report(exposed)
        redealt = dealt(**anew) + collected(**anew) + OVER
        plays += [Play(exposed, game, felt, begun, way, clean) for way in _ways(swept(**first), redealt)]
    piles = {seat: cards for seat, cards in PILES.items() if seat != "dealer"} | {"dealer": "AH KC TC"}
    again = dealt(**PILES) + collected(**PILES) + OVER
    for game in ("columbus-2016/pai-gow-poker", "toledo-2020/pai-gow-poker"):
        begun = seated(1, 2) + CALL + dealt(**piles) + report(exposed)
        plays += [Play(exposed, game, FELT, begun, way, CARDS["pai-gow"][2]) for way in _ways(swept(**piles), again)]
    war, shoe, clean = CARDS["war"]
    begun = seated(1) + CALL + drawn("KS 1") + report(exposed)
    plays += [Play(exposed, war, shoe, begun, way, clean) for way in _ways("", drawn("KH 1, 9D d") + OVER)]
    return plays + of_misdeals()


def _ways(taken_in: str, again: str) -> list[str]:
    shuffles = (BY_HAND, AGAIN, key("misdeal") + BY_HAND)
    return [taken_in + shuffle + end for shuffle in shuffles for end in (OVER, again)] + [OVER, taken_in + OVER]


def of_misdeals() -> list[Play]:
    game, felt = "california/pai-gow-poker", FELT
    seats = {f"seat_{n}": " ".join(DECK[7 * (n - 1) : 7 * n]) for n in range(1, 8)}
    begun = seated(*range(1, 8)) + CALL + dealt(**seats)
    clean = CALL + dealt(**seats) + collected(**seats) + OVER
    again = dealt(**seats) + collected(**seats) + OVER
    plays = [
        Play(rule, game, felt, begun + report(rule), way, clean)
        for rule in ("misdeal-joker-or-ace", "misdeal-two-cards") for way in _ways(swept(**seats), again)
    ]  # fmt: skip
    stacks = {seat.replace("-", "_"): " ".join(DECK[13 * n : 13 * n + 13]) for n, seat in enumerate(SEATS[:4])}
    begun, clean = CALL + dealt(**stacks), CALL + dealt(**stacks) + OVER
    plays += [
        Play(rule, CHINESE, felt, begun + report(rule), way, clean)
        for rule in ("misdeal-boxed", "misdeal-five-exposed") for way in _ways(swept(**stacks), dealt(**stacks) + OVER)
    ]  # fmt: skip
    return plays


def of_dice_and_cups() -> list[Play]:
    """Pai gow of California: the cup is taken back and shaken again."""
    game, devices = "california/pai-gow-poker", (*FELT, "dice")
    seats = {f"seat_{n}": " ".join(DECK[7 * (n - 1) : 7 * n]) for n in range(1, 8)}
    shaken = "dice shaker_count shakes=3\ndice start_number number={}\n"
    deal = "".join(dealt(**{f"seat_{n}": seats[f"seat_{n}"]}) for n in range(1, 8))
    clean = CALL + shaken.format(8) + deal + collected(**seats) + OVER
    begun = seated(*range(1, 8)) + CALL + shaken.format(9)
    rule = "dice-change-of-mind"
    return [Play(rule, game, devices, begun + report(rule), shaken.format(8) + deal + OVER, clean)]


def of_razz() -> list[Play]:
    """A card dealt off the table is replaced last; a seat that folded is dealt to; a last card is exposed."""
    three = SEATS[:3]
    stub = Stub()
    begun = CALL + stud(three, 0, stub)
    third = [stub.deal(seat) for seat in three]
    burned = laid("burn", "null")
    later = "".join(burned + stub.deal(*three) + "+8\n" for _ in range(3)) + OVER
    off = begun + burned + third[0] + report("card-dealt-off-table") + third[2]
    fold_stub = Stub()
    folding = CALL + stud(three, 0, fold_stub)
    fold = "".join(taken("seat-2", DECK[1 + 3 * n]) for n in range(3)) + report("forced-bet-fold")
    rest = "".join(burned + fold_stub.deal(*three) + "+8\n" for _ in range(4)) + OVER
    seventh = CALL + stud(three, 3, last := Stub()) + burned + last.deal("seat-1") + report("seventh-card-exposed")
    return [
        Play("card-dealt-off-table", RAZZ, FELT, off, third[1] + "+8\n" + later, whole()),
        Play("card-dealt-off-table", RAZZ, FELT, off, laid("burn", "KS") + third[1] + "+8\n" + later, whole()),
        Play("forced-bet-fold", RAZZ, FELT, folding + fold, rest, whole()),
        Play(
            "seventh-card-exposed", RAZZ, FELT, seventh, laid("seat-2", "null") + laid("seat-3", "null") + OVER, whole()
        ),
    ]


def of_card_in_error() -> list[Play]:
    game, shoe = "columbus-2016/commission-free-baccarat-dragon-bonus", CARDS["baccarat"][1]
    clean = CARDS["baccarat"][2]
    rule = "face-up-card-in-shoe"
    start = "shoe shoe_started decks=8\n" + clean
    phantom = drawn("6D P, 7S B, KC P, KH B") + OVER
    return [
        Play(rule, game, shoe, start + report(rule), phantom, clean),
        Play(
            rule,
            game,
            shoe,
            start + CALL + drawn("6D P, 7S B") + report(rule),
            drawn("KC P, KH B") + OVER + phantom,
            clean,
        ),
    ]


def of_the_dice() -> list[Play]:
    """No roll: the shooter throws again."""
    game, dice = "columbus-2016/craps", ("dice", "panel")
    thrown = "dice throw_started dice=2\n"
    return [
        Play(rule, game, dice, fault + report(rule), way, ROLL)
        for rule in ("no-roll-hits-patron", "no-roll-other")
        for fault in (thrown, ROLL)
        for way in ("", key("no_roll"), key("no_roll") + "dice dice_counted dice=5\n")
    ]


def plays() -> list[Play]:
    return [*of_void_rounds(), *of_dice_and_cups(), *of_razz(), *of_card_in_error(), *of_the_dice()]
