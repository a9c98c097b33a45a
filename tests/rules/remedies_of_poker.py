"""Ways out that documents name, as pit logs: the poker room."""

from __future__ import annotations

from collections.abc import Iterator

from pitwatch.rules.play.cards import DECK
from tests.rules.pit_log import CALL, OVER, laid, taken
from tests.rules.remedies_of_cards import AGAIN, FELT, Play, key

RAZZ, STUD, DRAWMAHA, CHINESE = (
    "california/razz", "columbus-2016/seven-card-stud", "california/drawmaha", "california/chinese-poker",
)  # fmt: skip
SHUFFLED = key("hand_shuffled")
BURN = laid("burn", "null")
SEATS = tuple(f"seat-{n}" for n in range(1, 9))


class Stub:
    """Deals the cards of one deck in order."""

    def __init__(self) -> None:
        self._cards: Iterator[str] = iter(DECK)

    def deal(self, *seats: str, cards: int = 1) -> str:
        return "".join(laid(seat, next(self._cards)) for _ in range(cards) for seat in seats)


def stud(seats: tuple[str, ...], streets: int, stub: Stub) -> str:
    """Three cards each and so many further streets, each after a burn and its betting."""
    dealt = stub.deal(*seats, cards=3) + "+8\n"
    return dealt + "".join(BURN + stub.deal(*seats) + "+8\n" for _ in range(streets))


def whole(seats: tuple[str, ...] = SEATS[:3]) -> str:
    return CALL + stud(seats, 4, Stub()) + OVER


def of_razz() -> list[Play]:
    three = SEATS[:3]
    stub = Stub()
    begun = CALL + stud(three, 0, stub)
    early = BURN + "".join(laid(seat, card) for seat, card in zip(three, ("KS", "QS", "JS"), strict=True))
    out = "".join(taken(seat, card) + laid("burn", card) for seat, card in zip(three, ("KS", "QS", "JS"), strict=True))
    out += laid("burn", "null null null")
    called = CALL + stud(three, 0, stub_called := Stub()) + CALL + BURN + stub_called.deal(*three) + "+8\n"
    rest_called = "".join(CALL + BURN + stub_called.deal(*three) + "+8\n" for _ in range(3)) + CALL + OVER
    bare = "".join(laid(seat, card) for seat, card in zip(three, ("KS", "QS", "JS"), strict=True))
    moved = taken(three[0], "KS") + laid("burn", "KS")
    for card, to, source in (("QS", three[0], three[1]), ("JS", three[1], three[2])):
        moved += taken(source, card) + laid(to, card)
    moved += laid(three[2], "TS") + "+8\n"
    later = "".join(BURN + stub.deal(*three) + "+8\n" for _ in range(3)) + OVER
    accepted = "+8\n" + later
    twice = begun + BURN + BURN + bare
    six = stud(three, 3, six_stub := Stub()) + BURN + six_stub.deal(*three[1:])
    return [
        Play("premature-deal", RAZZ, FELT, called + early, out + "+8\n" + rest_called, whole()),
        Play("burn-missing", RAZZ, FELT, begun + bare, moved + later, whole()),
        Play("burn-missing", RAZZ, FELT, begun + bare, accepted, whole()),
        Play("burn-extra", RAZZ, FELT, twice, accepted, whole()),
        Play("wrong-card-count", RAZZ, FELT, CALL + six + OVER, "", whole()),
    ]


def of_a_short_stub() -> list[Play]:
    plays = []
    for game in (RAZZ, STUD, "california/seven-card-stud", "toledo-poker-guide/seven-card-stud"):
        begun = CALL + stud(SEATS, 3, Stub())
        folds = "".join(taken(seat, "null null null null null null") for seat in SEATS[3:])
        enough = laid("seat-1", "2C") + laid("seat-2", "3C") + laid("seat-3", "4C") + OVER
        plays += [
            Play("stub-short", game, FELT, begun + folds, shuffle + BURN + enough, whole())
            for shuffle in (SHUFFLED, "")
        ]
        common = BURN + laid("community", "5C") + OVER
        both = ("stub-short", "stub-plus-burns-short")
        plays.append(Play(both[1], game, FELT, begun + SHUFFLED, common, whole(), {}, both))
        plays.append(Play(both[0], game, FELT, begun, common, whole()))
    return plays


def of_draws() -> list[Play]:
    """Seat 1 gives back two cards and gets one: what it lacks is dealt at once, or once the river lies."""
    three, plays = SEATS[:3], []
    for late in (False, True):
        stub = Stub()
        log = CALL + stub.deal(*three, cards=5) + "+8\n" + BURN + stub.deal("community", cards=3) + "+8\n"
        log += taken("seat-1", f"{DECK[0]} {DECK[3]}") + BURN + stub.deal("community") + stub.deal("seat-1")
        log += "" if late else stub.deal("seat-1")
        log += "+8\n" + BURN + stub.deal("community") + "+8\n"
        plays.append((log, stub.deal("seat-1") + OVER if late else OVER))
    (clean, over), (short, lacking) = plays
    told = "draw-count-mismatch"
    return [
        Play(told, DRAWMAHA, FELT, short, lacking, clean + over),
        Play(told, DRAWMAHA, FELT, short, OVER, clean + over),
    ]


def of_chinese_poker() -> list[Play]:
    def stacks(*changed: tuple[int, str]) -> str:
        cards = list(DECK)
        for at, card in changed:
            cards[at] = card
        return "".join(laid(seat, " ".join(cards[13 * n : 13 * n + 13])) for n, seat in enumerate(SEATS[:4]))

    def lifted() -> str:
        return "".join(taken(seat, " ".join(DECK[13 * n : 13 * n + 13])) for n, seat in enumerate(SEATS[:4]))

    clean, misdeal = CALL + stacks() + OVER, key("misdeal")
    short = CALL + stacks().replace(f"card_position card_placed card={DECK[51]} to=seat-4\n", "")
    joker, twice = CALL + stacks((0, "JK")), CALL + stacks((51, DECK[0]))
    ways = (OVER, misdeal + OVER, misdeal + lifted() + OVER, misdeal + lifted() + AGAIN + stacks() + OVER)
    return [
        *(Play("wrong-card-count", CHINESE, FELT, short, "+12\n" + way, clean) for way in ways),
        *(Play("foreign-card", CHINESE, FELT, joker, way, clean) for way in ways),
        *(Play("duplicate-card", CHINESE, FELT, twice, way, clean) for way in ways),
    ]


def of_bad_beats() -> list[Play]:
    toledo, columbus = "toledo-2020/bad-beat-jackpots", "columbus-2016/bad-beat-jackpot"
    counted = "shuffler shuffle_started\nshuffler shuffle_completed cards={}\n"

    def hand(board: str, *hands: str) -> str:
        first = "".join(
            laid(seat, each.split()[lap]) for lap in range(2) for seat, each in zip(SEATS, hands, strict=False)
        )
        flop, turn, river = board[:8], board[9:11], board[12:]
        streets = (BURN + laid("community", flop), BURN + laid("community", turn), BURN + laid("community", river))
        return CALL + first + "".join("+8\n" + each for each in streets) + OVER

    others = ("2C 6D", "4C 5D")
    quads = hand("TH JH QH JS 3C", "AH KH", "JC JD", *others)
    tens = hand("TH JH QH TS 3C", "AH KH", "TC TD", *others)
    clean = hand("2H 7S 9C KD 4H", "AS KC", "JC JD", *others)
    foreign = hand("2H 7S 9C KD 4H", "AS JK", "JC JD", *others)
    bad, told = "bad-beat-jackpot", ("bad-beat-jackpot", "deck-count-mismatch", "wrong-card-count-at-jackpot")
    return [
        *(
            Play(bad, game, FELT, quads, way, clean)
            for game in (toledo, columbus)
            for way in (counted.format(52), AGAIN, "")
        ),
        Play("mini-bad-beat-jackpot", toledo, FELT, tens, counted.format(52), clean),
        *(
            Play(told[2], columbus, FELT, quads + counted.format(51), way, clean, {}, told)
            for way in (AGAIN, counted.format(52))
        ),
        Play("foreign-card", columbus, FELT, foreign, AGAIN, clean),
    ]


def plays() -> list[Play]:
    return [*of_razz(), *of_a_short_stub(), *of_draws(), *of_chinese_poker(), *of_bad_beats()]
