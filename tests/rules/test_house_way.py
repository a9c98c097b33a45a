"""The House Way charts of the books, line by line: seven cards, and the two that go low."""

from __future__ import annotations

from random import Random

import pytest

from pitwatch.rules.book import load_game
from pitwatch.rules.games.pai_gow.house_way import HouseWay
from pitwatch.rules.hands.joker_hands import WILD, Ranking
from pitwatch.rules.play.cards import DECK, JOKER

GAMES = (
    "toledo-2020/pai-gow-poker", "toledo-2020/face-up-pai-gow-poker", "columbus-2016/pai-gow-poker",
    "california/pai-gow-poker", "california/pai-gow-poker-jokers-wild", "california/fortune-pai-gow-poker",
    "california/face-up-pai-gow-poker",
)  # fmt: skip


def way(game: str) -> tuple[HouseWay, Ranking]:
    tables = load_game(game).tables
    ranking = Ranking(tables["joker"], tables["ace-to-five"])
    return HouseWay(tables["house-way"], ranking, tables["joker"] == WILD), ranking


def ranks(low: frozenset[str]) -> str:
    """The ranks of two cards, the joker as an ace."""
    return " ".join(sorted(("A" if card == JOKER else card[0] for card in low), key="AKQJT98765432".index))


def low(game: str, hand: str) -> str | None:
    lows = way(game)[0].lows(hand.split())
    assert lows is None or len({ranks(each) for each in lows}) == 1
    return None if lows is None else ranks(lows[0])


OHIO = "toledo-2020/pai-gow-poker"


@pytest.mark.parametrize(
    ("hand", "front"),
    [
        ("AS QH JD 9C 7S 4H 2D", "Q J"),  # 2416
        ("9S 9H AD QC 7S 4H 2D", "A Q"),  # 2418
        ("5S 5H 3D 3C KS 9H 7D", "K 9"),  # 2426: kept, a king goes low
        ("5S 5H 3D 3C QS 9H 7D", "3 3"),
        ("TS TH 3D 3C AS 9H 7D", "A 9"),  # 2430
        ("TS TH 3D 3C KS 9H 7D", "3 3"),
        ("TS TH 3D 3C JK 9H 7D", "A 9"),  # the joker as an ace
        ("9S 9H 8D 8C KS QH 3D", "8 8"),  # 2428
        ("JS JH 3D 3C AS 9H 7D", "3 3"),  # 2432-2436
        ("9S 9H 5D 5C 2S 2H AD", "9 9"),  # 2438
        ("9S 9H 9D KC QS 4H 2D", "K Q"),  # 2440
        ("AS AH AD KC QS 4H 2D", "A K"),  # 2442
        ("9S 9H 9D 5C 5S 5H 2D", "9 9"),  # 2451
        ("9S 8H 7D 6C 5S KH QD", "K Q"),  # 2455
        ("9S 8H 7D 6C 5S 4H QD", "Q 9"),  # 2455: the straight from four to eight
        ("9S 8H 7D 6C 5S KH KD", "K K"),  # 2457
        ("9S 8H 7D 6C 5S 9H 2D", None),  # one pair, and the pair cannot go low
        ("AS KH QD JC TS TH 2D", None),  # 2459
        ("9S 8H 7D 6C 5S 9H 5D", "5 5"),  # 2463: as two pair, medium and small, no ace
        ("9S 8H 7D 6C 5S 9H 9D", "9 9"),  # 2465
        ("9S 9H 9D 6C 6S AH KD", "6 6"),  # 2467
        ("9S 9H 9D 6C 6S 4H 4D", "6 6"),  # 2469
        ("9S 9H 9D 9C 6S 6H KD", "6 6"),  # 2473
        ("9S 9H 9D 9C 6S 6H 6D", "6 6"),  # 2475
        ("JS JH JD JC 6S 4H AD", "J J"),  # 2477
        ("9S 9H 9D 9C 6S 4H QD", "9 9"),  # 2479
        ("9S 9H 9D 9C 6S 4H KD", "K 6"),  # 2481
        ("6S 6H 6D 6C 9S 4H QD", "Q 9"),  # 2483
        ("AS AH AD AC JK 4H QD", "A A"),  # 2485
        ("AS AH AD AC JK KH KD", "K K"),  # 2485
        ("KS QH JD 8C JK 4H 2D", "K Q"),  # the joker as an ace, second and third highest low
        ("KS KH JD 9C JK 8H 7D", None),  # the joker may be an ace or complete a straight
    ],
)
def test_the_house_way_of_toledo(hand: str, front: str | None) -> None:
    assert low(OHIO, hand) == front


@pytest.mark.parametrize(
    ("game", "hand", "front"),
    [
        ("columbus-2016/pai-gow-poker", "9S 9H 9D 9C 6S 6H KD", None),  # not in that chart
        ("california/pai-gow-poker", "QS QH 3D 3C AS KH 7D", "3 3"),  # 2548
        ("california/pai-gow-poker", "JS JH 3D 3C AS KH 7D", "A K"),
        ("california/pai-gow-poker", "8S 8H 3D 3C KS JH 7D", "K J"),
        ("california/pai-gow-poker", "5S 5H 3D 3C QS JH 7D", "Q J"),
        ("california/pai-gow-poker", "5S 5H 3D 3C TS JH 7D", "3 3"),
        ("california/pai-gow-poker", "9S 8H 7D 6C 5S 9H 2D", "9 2"),  # 2554: pair or no pair
        ("california/pai-gow-poker", "KS KH KD KC 5S 5H 2D", "5 5"),  # 2563
        ("california/pai-gow-poker", "KS KH KD KC AS QH 2D", "K K"),
        ("california/pai-gow-poker", "JS JH JD JC KS QH 2D", "K Q"),
        ("california/pai-gow-poker", "8S 8H 8D 8C QS JH 2D", "Q J"),
        ("california/fortune-pai-gow-poker", "9S 8H 7D 6C 5S 9H 5D", None),  # 3126 and 3131
        ("california/face-up-pai-gow-poker", "9H 9D QD JD 4D 7D 7C", "7 7"),  # 8268
        ("california/face-up-pai-gow-poker", "KS JC AH TC 7S 5H 3D", "K J"),  # 8247
        ("california/face-up-pai-gow-poker", "AC QD 3S 3C JH 8D 4C", "A Q"),  # 8249
        ("california/face-up-pai-gow-poker", "3D 3S KH KS 7H 6C 2D", "3 3"),  # 8251
        ("california/face-up-pai-gow-poker", "AC 7H JD JS 8C 8H 4S", "A 7"),  # 8253
        ("california/face-up-pai-gow-poker", "KS 9S 8C 8D 4D 4H 7C", "K 9"),  # 8255
        ("california/face-up-pai-gow-poker", "QH 8C 5H 5S 4H 4C 2S", "Q 8"),  # 8257
        ("california/face-up-pai-gow-poker", "9C 9S 7D 7C 5H 5S AC", "9 9"),  # 8262
        ("california/face-up-pai-gow-poker", "AC 8D AD AS 5D 4C 2S", "A 8"),  # 8263
        ("california/face-up-pai-gow-poker", "JH TC KH KD KC 7S 5H", "J T"),  # 8264
        ("california/face-up-pai-gow-poker", "AS 9S 6S 5S 4C 3D 2S", "A 9"),  # 8266
        ("california/face-up-pai-gow-poker", "4C 4H 8H 8S 8D AC KH", "4 4"),  # 8270
        ("california/face-up-pai-gow-poker", "QC QD QH QS 9S 7D 5C", "Q Q"),  # 8271
        ("california/face-up-pai-gow-poker", "JD JS JH JC QD TS 7H", "J J"),  # 8272
        ("california/face-up-pai-gow-poker", "8H 8D 8C 8S JC 7S 4D", "8 8"),  # 8276
        ("california/face-up-pai-gow-poker", "9H 8C 5S 5D 5H 5C 2S", "9 8"),  # 8278
        ("california/face-up-pai-gow-poker", "4C 4H 5H 5D 5C 5S 2S", "4 4"),  # 8280
        ("california/face-up-pai-gow-poker", "KS AH AD AC AS 5C JK", None),  # a wild joker
    ],
)
def test_the_house_ways_of_the_other_books(game: str, hand: str, front: str | None) -> None:
    assert low(game, hand) == front


@pytest.mark.parametrize("game", GAMES)
def test_no_house_way_is_ever_foul(game: str) -> None:
    rng = Random(game)
    chart, ranking = way(game)
    for _ in range(400):
        hand = rng.sample([*DECK, JOKER], 7)
        for front in (chart.lows(hand) or [])[:3]:
            assert not ranking.foul([card for card in hand if card not in front], sorted(front)), hand


def test_unknown_or_missing_cards_have_no_house_way() -> None:
    chart, _ = way(OHIO)
    assert chart.lows(["AS", "KS", "QS", "JS", "TS", "2D"]) is None
    assert chart.lows(["AS", "AS", "QS", "JS", "TS", "2D", "3D"]) is None
