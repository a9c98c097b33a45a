"""Ways out that documents name, as pit logs: jackpots of the meter, and a shuffler that voids a hand."""

from __future__ import annotations

from pitwatch.rules.book import load_game
from tests.rules.pit_log import CALL, OVER, seated
from tests.rules.remedies_of_cards import AGAIN, BY_HAND, FELT, Play, collected, dealt, drawn, key

METER = (*FELT, "progressive")
LIT = "progressive coin_in seat=seat-{}\n"
OUT = "progressive coin_in_cleared seat=seat-{}\n"
LOCK, UNLOCK = "progressive meter_locked\n", "progressive meter_unlocked\n"
HIT = "progressive jackpot seat=seat-{} hand={}\n"


def card(credential: str) -> str:
    return f"key_reader credential_presented credential={credential}\n"


def keyed(hand: str, on: bool = True) -> str:
    return f"progressive hand_keyed hand={hand} on={str(on).lower()}\n"


# --- jackpots of the meter


def _verified(game: str, deal: str, others: str, dealer: str, hand: str, rules: tuple[str, str]) -> list[Play]:
    """`deal`, a jackpot's cards and `others`, none; the first and the second jackpot are told as `rules`."""
    rule, second = rules
    begun = seated(1, 2) + LIT.format(1) + CALL
    lit = seated(1, 2) + LIT.format(1) + LIT.format(2) + CALL
    won = dealt(seat_1=deal, seat_2=others, dealer=dealer)
    clean = seated(1, 2) + CALL + dealt(seat_1=others, seat_2=dealer, dealer=deal.replace("A", "2")) + OVER
    by_key, hit = key(f"hand:{hand}"), HIT.format(1, hand)
    elsewhere = f"progressive jackpot seat=null hand={hand}\n"
    unlock = card("1:4") + UNLOCK
    taken_in = collected(seat_1=deal, seat_2=others, dealer=dealer)
    plays = [
        Play(rule, game, METER, begun + won + hit + LOCK + OVER, unlock, clean),
        Play(rule, game, METER, begun + won + by_key + hit + LOCK + taken_in + OVER, card("1:1") + unlock, clean),
        Play(rule, game, METER, begun + won + keyed(hand) + hit + OUT.format(1) + LOCK + OVER, unlock, clean),
        Play(rule, game, METER, begun + won + LOCK + hit + unlock, OVER, clean),
        Play(second, game, METER, begun + won + hit + elsewhere + LOCK + OVER, unlock, clean, {}, (rule, second)),
    ]  # fmt: skip
    wrong = begun + dealt(seat_1=others, seat_2=dealer, dealer=deal.replace("A", "2")) + keyed(hand)
    if "keyed-hand-not-seen" in load_game(game).rules:
        plays.append(Play("keyed-hand-not-seen", game, METER, wrong + OVER, keyed(hand, on=False), clean))
    if "unlocked-without-key-card" in load_game(game).rules:
        told = (rule, "unlocked-without-key-card")
        opened = begun + won + hit + LOCK + OVER + UNLOCK
        plays += [
            Play(told[1], game, METER, opened, card("1:4"), clean, {}, told),
            Play(told[1], game, METER, opened, LOCK + unlock, clean, {}, told),
            Play(told[1], game, METER, begun + won + hit + LOCK + OVER + card("1:2") + UNLOCK, unlock, clean, {}, told),
        ]
    if "multiple-jackpots-same-round" in load_game(game).rules:
        spades = deal.translate(str.maketrans("H", "S"))
        both = lit + dealt(seat_1=deal, seat_2=spades, dealer=dealer)
        several = (rule, second, "multiple-jackpots-same-round")
        plays.append(
            Play(several[2], game, METER, both + hit + HIT.format(2, hand) + LOCK + OVER, unlock, clean, {}, several)
        )
    return plays


def of_the_meter() -> list[Play]:
    return [
        *_verified("columbus-2016/crazy-4-poker", "AH KH QH JH TH", "5S 5D 9C 6D 3C", "QC 8D 3S 4H 7D", "royal-flush",
                   ("progressive-jackpot-hand", "second-jackpot-hand")),
        *_verified("columbus-2016/six-card-bonus", "AS KS QS", "5S 5D 9C", "QC 8D 3H", "mini-royal-spades",
                   ("mini-royal-spades-jackpot", "second-mini-royal-spades")),
        *_verified("toledo-2019/three-card-prime", "AD KD QD", "5S 5D 9C", "QC 8D 3H", "mini-royal-diamonds",
                   ("mini-royal-diamonds-jackpot", "second-mini-royal-diamonds")),
    ]  # fmt: skip


def of_the_sevens() -> list[Play]:
    """Blackjack: three sevens, the player's first two and the dealer's first."""
    game, shoe = "toledo-2020/blackjack", ("shoe", "panel", "progressive", "key_reader")
    fresh, hand = "shoe shoe_started decks=6\n", "3-suited-7s"
    lit = LIT.format(1) + LIT.format(2)
    clean = CALL + drawn("TS 1, 9S 2, 6H d, 9C 1, 8C 2, KD d, 2S d") + OVER
    one = drawn("7D 1, 9S 2, 7D d, 7D 1, 8C 2, KD d")
    two = drawn("7D 1, 7D 2, 7D d, 7D 1, 7D 2, KD d")
    hit, unlock = HIT.format(1, hand), card("1:1") + UNLOCK
    begun = fresh + clean + lit + CALL
    rule, second, several = "progressive-jackpot-hand", "second-jackpot-hand", "multiple-jackpots-same-round"
    without, unseen = "unlocked-without-key-card", "keyed-hand-not-seen"
    return [
        Play(rule, game, shoe, begun + one + hit + LOCK + OVER, unlock, clean),
        Play(rule, game, shoe, begun + one + key(f"hand:{hand}") + hit + LOCK + OVER, unlock, clean),
        Play(second, game, shoe, begun + two + hit + HIT.format(2, hand) + LOCK + OVER, unlock, clean, {},
             (several, rule, second)),
        Play(several, game, shoe, begun + two + hit + LOCK + OVER, unlock, clean, {}, (several, rule, second)),
        Play(without, game, shoe, begun + one + hit + LOCK + OVER + UNLOCK, card("1:1"), clean, {}, (rule, without)),
        Play(without, game, shoe, begun + one + hit + LOCK + OVER + UNLOCK, LOCK + unlock, clean, {}, (rule, without)),
        Play(unseen, game, shoe, fresh + clean + CALL + drawn("TS 1, 6H d, 9C 1, KD d, 2S d") + keyed(hand) + OVER,
             keyed(hand, on=False), clean),
    ]  # fmt: skip


def of_a_shuffler_that_voids() -> list[Play]:
    """001 line 8390: it also voids the hand to be dealt from the cards that were being shuffled."""
    game, rule = "california/mississippi-stud", "shuffler-fault-during-shuffle"
    hands = {"community": "2C 5D 9H", "seat_1": "AH KD"}
    clean = seated(1) + CALL + dealt(**hands) + collected(**hands) + OVER
    jam = "shuffler shuffle_started\nshuffler jammed\n"
    return [
        Play(rule, game, FELT, clean + jam, way, clean) for way in (BY_HAND, AGAIN, "shuffler jam_cleared\n" + AGAIN)
    ]


def plays() -> list[Play]:
    return [*of_the_meter(), *of_the_sevens(), *of_a_shuffler_that_voids()]
