"""What hands count (Section Two, lines 105-108, 113), and the dealer's rule against published exact tables."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from pitwatch.rules.book import load_game
from pitwatch.rules.games.blackjack.hand import Count, Score, must_stand, summary
from pitwatch.rules.games.blackjack.house import House

GAME = load_game("toledo-2020/blackjack")
COUNT = Count(GAME.tables["points"], GAME.figure("target"))
RANKS = "A23456789T"


@pytest.mark.parametrize(
    ("cards", "total", "soft"),
    [
        ("AS KD", 21, True),
        ("AS AD", 12, True),
        ("AS AD 9C", 21, True),
        ("AS AD TC", 12, False),
        ("AS 6D", 17, True),
        ("AS 6D TC", 17, False),
        ("TS 6D 6C", 22, False),
        ("JS QD KC", 30, False),
        ("AS AD AC AH 7S", 21, True),
        ("2S 3D", 5, False),
    ],
)
def test_a_hand_counts(cards: str, total: int, soft: bool) -> None:
    assert COUNT.score(cards.split()) == Score(total, soft)


def test_what_was_not_read_counts_nothing() -> None:
    assert COUNT.score(["TS", None]) is None
    assert COUNT.score(["TS", "JK"]) is None  # a joker has no worth in this book
    assert COUNT.score(["TS", "XX"]) is None
    assert summary(COUNT, ["TS", None]) is None
    assert COUNT.equal("TS", "KD") is True
    assert COUNT.equal("TS", "9D") is False
    assert COUNT.equal("TS", None) is None


def test_a_blackjack_has_two_cards_and_no_split_behind_it() -> None:
    assert COUNT.natural(["AS", "KD"])
    assert not COUNT.natural(["AS", "5D", "5C"])
    assert not COUNT.natural(["AS", "9D"])
    split = summary(COUNT, ["AS", "KD"], split=True)
    assert split is not None
    assert (split["total"], split["blackjack"]) == (21, False)


def final_hands(up: str, decks: int, soft_stands: bool) -> Counter[str]:
    """The exact distribution of the dealer's final hand, every order of cards weighed."""
    left = dict.fromkeys(RANKS, 4 * decks) | {"T": 16 * decks}
    left[up] -= 1

    @cache
    def scored(ranks: str) -> tuple[Score, bool]:
        cards: list[str | None] = [f"{rank}S" for rank in ranks]
        score = COUNT.score(cards)
        assert score is not None
        return score, COUNT.natural(cards)

    found: Counter[str] = Counter()

    def draw(ranks: str, chance: float) -> None:
        score, natural = scored("".join(sorted(ranks)))
        if len(ranks) > 1 and (natural or must_stand(score, GAME.figure("dealer-stands"), soft_stands)):
            found["BJ" if natural else "bust" if COUNT.bust(score) else str(score.total)] += chance  # type: ignore[assignment]
            return
        whole = sum(left.values())
        for rank in RANKS:
            if left[rank]:
                part = left[rank] / whole
                left[rank] -= 1
                draw(ranks + rank, chance * part)
                left[rank] += 1

    draw(up, 1.0)
    return found


@pytest.mark.parametrize(
    ("up", "seventeen", "blackjack", "bust"),
    [
        ("A", 0.126128, 0.313726, 0.11654),
        ("2", 0.138976, 0, 0.352973),
        ("6", 0.166948, 0, 0.420823),
        ("7", 0.372345, 0, 0.259854),
        ("8", 0.130857, 0, 0.238627),
    ],
)
def test_the_dealers_final_hand_as_published(up: str, seventeen: float, blackjack: float, bust: float) -> None:
    """One deck, dealer stands on soft 17, before a peek: wizardofodds.com, blackjack appendix 2B."""
    found = final_hands(up, 1, soft_stands=True)
    assert found["17"] == pytest.approx(seventeen, abs=1e-6)
    assert found["BJ"] == pytest.approx(blackjack, abs=1e-6)
    assert found["bust"] == pytest.approx(bust, abs=1e-6)


def bust_rate(soft_stands: bool) -> float:
    return sum(final_hands(up, 6, soft_stands)["bust"] * (4 if up == "T" else 1) / 13 for up in RANKS)


def test_how_often_the_dealer_busts_with_six_decks() -> None:
    """28.57 % where a soft 17 draws (philihp.com, blackjack dealer odds, summed); about 28.2 % where it stands."""
    assert bust_rate(soft_stands=False) == pytest.approx(0.2857, abs=2e-4)
    assert bust_rate(soft_stands=True) == pytest.approx(0.282, abs=5e-4)


def ends_on(total: int, game: str, **options: object) -> float:
    """How often the dealer's hand of a game ends on a total, every order of cards weighed."""
    house = House(load_game(game), load_game(game).settle_options(options))
    decks = int(options["decks"])  # type: ignore[call-overload]
    left = dict.fromkeys(RANKS, 4 * decks) | {"T": 16 * decks}

    @cache
    def ended(ranks: str) -> float | None:
        """The total, once the dealer draws no more."""
        cards = [f"{rank}S" for rank in ranks]
        score = house.count.score(cards)
        assert score is not None
        return score.total if len(ranks) > 1 and house.dealer_stands(cards) else None

    def draw(ranks: str) -> float:
        final = ended("".join(sorted(ranks)))
        if final is not None:
            return float(final == total)
        whole, found = sum(left.values()), 0.0
        for rank in RANKS:
            if left[rank]:
                part = left[rank] / whole
                left[rank] -= 1
                found += part * draw(ranks + rank)
                left[rank] += 1
        return found

    return draw("")


@pytest.mark.parametrize(
    ("game", "decks", "published"),
    [
        ("toledo-2020/double-deck-blackjack", 2, 0.073470),
        ("toledo-2020/free-bet-blackjack", 6, 0.073536),
        ("toledo-2020/zappit-blackjack", 8, 0.073544),
        ("columbus-2016/blackjack-switch", 6, 0.073536),
    ],
)
def test_how_often_the_dealer_ends_on_22(game: str, decks: int, published: float) -> None:
    """Tables that draw on a soft 17: wizardofodds.com, Push 22. The page's other column, for tables that stand, is
    0.0003 above what any enumeration gives; it falls with the decks where all else rises, and is not compared."""
    assert ends_on(22, game, decks=decks, soft_17="draw") == pytest.approx(published, abs=1e-6)
