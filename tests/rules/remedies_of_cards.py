"""Ways out that documents name, as pit logs: the fault, what the crew then does, a clean round. What holds of every
game of cards, and the games whose hands are all void when one of them is wrong."""

from __future__ import annotations

from typing import NamedTuple

from tests.rules.pit_log import CALL, OVER, laid, seated, taken

FELT = ("card_position", "panel", "shuffler", "enclosure", "seats", "discard_rack", "key_reader")
SHOE = ("shoe", "panel", "shuffler", "enclosure", "seats", "peek", "key_reader")
METER = (*FELT, "progressive")


class Play(NamedTuple):
    """`fault` and what the crew then does; `clean` rounds of the game follow, `rounds` of them whole and valid."""

    rule: str
    game: str
    devices: tuple[str, ...]
    fault: str
    remedy: str
    clean: str
    options: dict[str, object] = {}  # noqa: RUF012
    told: tuple[str, ...] | None = None


def key(name: str) -> str:
    return f"panel key_pressed key={name}\n"


def drawn(cards: str) -> str:
    """ "KS 1, 9C d, 2H b": to seat-1, the dealer, the burn."""
    places = {"d": "dealer", "b": "burn", "P": "player", "B": "banker"}
    pairs = [each.split() for each in cards.split(", ")]
    return "".join(f"shoe card_drawn card={card} to={places.get(to, 'seat-' + to)}\n" for card, to in pairs)


def dealt(**hands: str) -> str:
    return "".join(laid(to.replace("_", "-"), cards) for to, cards in hands.items())


def collected(**hands: str) -> str:
    return "".join(taken(to.replace("_", "-"), cards) for to, cards in hands.items())


def swept(**hands: str) -> str:
    """Taken from the felt and laid on the discards."""
    return collected(**hands) + "".join(laid("discard", cards) for cards in hands.values())


# --- a clean round of each family

STUD = {"seat_1": "AH 9D 4C", "dealer": "QC 8D 3S"}
CARNIVAL = seated(1) + CALL + dealt(**STUD) + collected(**STUD) + OVER
HOLE = {"seat_2": "KH KD", "seat_5": "AS AD"}
STREETS = (laid("burn", "null") + laid("community", "TH 4C 9S") + laid("burn", "null") + laid("community", "2D")
           + laid("burn", "null") + laid("community", "JS"))  # fmt: skip
POKER = (
    CALL + laid("seat-2", "KH") + laid("seat-5", "AS") + laid("seat-2", "KD") + laid("seat-5", "AD") + STREETS + OVER
)
PILES = {
    "seat_1": "AS QH JD 9C 7S 4H 2D", "seat_2": "KS KH KD 5C 5S 8H 3D", "dealer": "AH KC TC 9S 8S 6D 4D",
}  # fmt: skip
PAI_GOW = seated(1, 2) + CALL + dealt(**PILES) + collected(**PILES) + OVER
WAR = seated(1) + CALL + drawn("KS 1, 9C d") + OVER
JACK = CALL + drawn("TS 1, 6H d, 9C 1, KD d, 2S d") + OVER
BACCARAT = CALL + drawn("6D P, 7S B, KC P, KH B") + OVER
ROLL = """dice throw_started dice=2
dice end_wall_struck dice=2
dice dice_settled faces=[3,4] at=["layout","layout"]
"""
SPIN = """wheel rotor direction=cw rpm=16.2
wheel ball_launched direction=ccw
+15
panel key_pressed key=no_more_bets
wheel ball_left_rim revolutions=14 direction=ccw
+5
wheel ball_settled pocket="17"
"""
SQUARES = laid("community", "AS KH QS") + CALL + laid("dealer", "4C 9H AD") + OVER

CARDS = {  # family: a game, its devices, a clean round of it
    "carnival-poker": ("columbus-2016/three-card-poker", FELT, CARNIVAL),
    "poker-room": ("columbus-2016/texas-holdem", FELT, POKER),
    "pai-gow": ("columbus-2016/pai-gow-poker", FELT, PAI_GOW),
    "war": ("columbus-2016/casino-war", SHOE, WAR),
    "blackjack": ("columbus-2016/blackjack", SHOE, JACK),
    "baccarat": ("columbus-2016/mini-baccarat", SHOE, BACCARAT),
}

# --- what the crew does

BY_HAND = "shuffler door_opened\nshuffler cards_removed\n" + key("cards_verified") + key("hand_shuffled")
MENDED = "shuffler jam_cleared\nshuffler door_closed\nshuffler shuffle_started\nshuffler shuffle_completed cards=null\n"
SHUFFLING = "shuffler shuffle_started\n"
AGAIN = key("deck_changed") + "shuffler shuffle_started\nshuffler shuffle_completed cards=null\n"


def of_every_card_game() -> list[Play]:
    plays = []
    for game, devices, clean in CARDS.values():
        for rule, fault in (
            ("shuffler-fault-during-shuffle", SHUFFLING + "shuffler jammed\n"),
            ("shuffler-fault-during-shuffle", SHUFFLING + "shuffler stopped\n"),
            ("shuffle-count-failed", SHUFFLING + "shuffler count_failed cards=51\n"),
        ):
            plays += [
                Play(rule, game, devices, clean + fault, BY_HAND, clean),
                Play(rule, game, devices, clean + fault, MENDED, clean),
                Play(rule, game, devices, clean + fault, BY_HAND + MENDED, clean),
            ]
        fault = "shuffler device_fault reason=motor\n"
        plays.append(Play("equipment-malfunction", game, devices, clean + fault, "shuffler device_recovered\n", clean))
        plays.append(Play("equipment-malfunction", game, devices, clean + fault, BY_HAND, clean))
        opened = "enclosure opened\n"
        plays.append(Play("tampering-suspected", game, devices, clean + opened, "enclosure closed\n" + AGAIN, clean))
        miscount = "shuffler shuffle_started\nshuffler shuffle_completed cards=51\n"
        for remedy in (AGAIN, BY_HAND):
            plays.append(Play("deck-count-mismatch", game, devices, clean + miscount, remedy, clean))
    return plays


def of_one_family() -> list[Play]:
    carnival, felt, clean = CARDS["carnival-poker"]
    first = {"seat_1": "AH 9D 4C"}
    fourth = {"seat_1": "AH 9D 4C 2C", "dealer": "QC 8D 3S"}
    begun = seated(1) + CALL
    jam = "shuffler jammed\n"
    packets = "shuffler packet_dispensed cards=3 to=seat-1\n"
    redealt = {"seat_1": "KH 9C 4D", "dealer": "QD 8C 3H"}
    again = dealt(**redealt) + collected(**redealt) + OVER
    plays = [
        # all hands are void: the cards are collected and shuffled, and the next round dealt
        *(
            Play("wrong-card-count", carnival, felt, begun + dealt(**fourth), after + remedy + OVER, clean)
            for after in (collected(**fourth), swept(**fourth), "")
            for remedy in ("", key("misdeal"), BY_HAND, AGAIN, SHUFFLING + "shuffler shuffle_completed cards=52\n")
        ),
        # or dealt again at once, without another call
        *(
            Play("wrong-card-count", carnival, felt, begun + dealt(**fourth), swept(**fourth) + remedy + again, clean)
            for remedy in ("", key("misdeal"), BY_HAND, AGAIN, SHUFFLING + "shuffler shuffle_completed cards=52\n")
        ),
        *(
            Play("shuffler-fault-during-deal", carnival, felt, begun + packets + dealt(**first) + jam, remedy, clean)
            for remedy in (
                swept(**first) + BY_HAND + OVER,
                swept(**first) + BY_HAND + again,
                BY_HAND + OVER,
                collected(**first) + MENDED + OVER,
                MENDED + swept(**first) + OVER,
            )
        ),
        Play(
            "duplicate-card", carnival, felt, begun + dealt(seat_1="AH 9D 4C", dealer="AH 8D 3S"), OVER + AGAIN, clean
        ),
        Play("foreign-card", carnival, felt, begun + dealt(seat_1="AH 9D 4C", dealer="JK 8D 3S"), OVER + AGAIN, clean),
    ]
    pai_gow, felt, clean = CARDS["pai-gow"]
    begun = seated(1, 2) + CALL
    wrong = PILES | {"seat_2": PILES["seat_2"] + " TD"}
    again = dealt(**PILES) + collected(**PILES) + OVER
    plays += [
        *(
            Play("wrong-card-count", pai_gow, felt, begun + dealt(**wrong), swept(**wrong) + remedy, clean)
            for remedy in (
                OVER,
                key("misdeal") + OVER,
                BY_HAND + OVER,
                AGAIN + OVER,
                BY_HAND + again,
                AGAIN + again,
                again,
            )
        ),
        *(
            Play(
                "shuffler-fault-during-deal",
                pai_gow,
                felt,
                begun + laid("seat-1", PILES["seat_1"]) + jam,
                taken("seat-1", PILES["seat_1"]) + remedy,
                clean,
            )
            for remedy in (BY_HAND + OVER, BY_HAND + again, MENDED + OVER)
        ),
        Play(
            "duplicate-card",
            pai_gow,
            felt,
            begun + dealt(**PILES | {"seat_2": "AS KH KD 5C 5S 8H 3D"}),
            OVER + AGAIN,
            clean,
        ),
        Play("foreign-card", "toledo-2020/blackjack", SHOE, CALL + drawn("TS 1, 6H d, JK 1"), OVER + AGAIN, JACK),
    ]
    war, shoe, clean = CARDS["war"]
    seven_kings = "".join(drawn(f"KS {seat}") for seat in range(1, 8)) + drawn("9C d")
    """Of six decks."""
    seven = (
        CALL + "".join(drawn(f"{rank}H {seat}") for seat, rank in enumerate("2345678", start=1)) + drawn("9C d") + OVER
    )
    on_felt = seated(1) + CALL + dealt(seat_1="KS", dealer="9C") + collected(seat_1="KS", dealer="9C") + OVER
    plays += [
        *(
            Play("wrong-card-count", war, shoe, seated(1) + CALL + drawn("KS 1, 9C d, 4C 1"), remedy, clean)
            for remedy in (OVER, key("misdeal") + OVER, BY_HAND + OVER, BY_HAND + drawn("KH 1, 9D d") + OVER)
        ),
        *(
            Play(
                "wrong-card-count",
                war,
                FELT,
                seated(1) + CALL + dealt(seat_1="KS 4C", dealer="9C"),
                swept(seat_1="KS 4C", dealer="9C") + remedy,
                on_felt,
            )
            for remedy in (
                OVER,
                BY_HAND + OVER,
                dealt(seat_1="KH", dealer="9D") + OVER,
                AGAIN + dealt(seat_1="KH", dealer="9D") + OVER,
            )
        ),
        *(
            Play("shuffler-fault-during-deal", war, shoe, seated(1) + CALL + drawn("KS 1") + jam, remedy, clean)
            for remedy in (BY_HAND + OVER, BY_HAND + drawn("KH 1, 9D d") + OVER, MENDED + OVER)
        ),
        Play("duplicate-card", war, shoe, seated(*range(1, 8)) + CALL + seven_kings, OVER + AGAIN, seven),
        Play("foreign-card", war, shoe, seated(1) + CALL + drawn("JK 1, 9C d"), OVER + AGAIN, clean),
    ]
    return plays


def plays() -> list[Play]:
    return of_every_card_game() + of_one_family()
