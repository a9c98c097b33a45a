"""Baccarat's cards that lie face down: read when they are turned, by the shoe, or at the reader's second try."""

from __future__ import annotations

import pytest

from tests.rules.pit_log import CALL, OVER, laid, taken
from tests.rules.table import Played, facts, play

GAMES = (
    "toledo-2020/mini-midi-baccarat",
    "toledo-2020/ez-baccarat",
    "columbus-2016/mini-baccarat",
    "california/dragon-dai-bacc-2-0",
)
BACKS = laid("player", "null") + laid("banker", "null") + laid("player", "null") + laid("banker", "null")
SHOE = "shoe shoe_started decks=8\n"


def at(log: str, *devices: str, game: str = GAMES[0]) -> Played:
    options = {} if "california" in game else {"decks": 8}
    return play(game, facts(*(devices or ("card_position", "panel")), options=options), CALL + log + OVER)


def lifted(player: str, banker: str) -> str:
    both = "".join(taken(to, "null null") + laid(to, cards) for to, cards in (("player", player), ("banker", banker)))
    return BACKS + both


def turned(player: str, banker: str) -> str:
    return BACKS + laid("player", player) + laid("banker", banker)


@pytest.mark.parametrize("shown", [lifted, turned])
@pytest.mark.parametrize("game", GAMES)
def test_cards_that_are_turned_count(shown: object, game: str) -> None:
    def result(player: str, banker: str, then: str = "") -> tuple[list[str], str | None]:
        assert callable(shown)
        played = at(shown(player, banker) + then, game=game)
        return played.rules, played.rounds[0].result["winner"]

    assert result("TS 9C", "9D 7H") == ([], "player")
    assert result("2S 3H", "KD 4C", laid("player", "7C") + laid("banker", "9D")) == ([], "banker")
    assert result("2S 5H", "KD 6C", laid("player", "7C"))[0] == ["third-card-rule"]


@pytest.mark.parametrize("unread", [True, False])
def test_the_shoe_knows_the_faces_of_cards_that_lie_face_down(unread: bool) -> None:
    def round_(cards: str) -> str:
        lines = ""
        for word in cards.split():
            to = {"P": "player", "B": "banker"}[word[0]]
            lines += f"shoe card_drawn card={word[2:]} to={to}\n" + laid(to, "null" if unread else word[2:])
        return lines

    devices = ("shoe", "card_position", "panel")
    stands = round_("P:2S B:5D P:4H B:2C")
    played = at(stands, *devices)
    assert (played.rules, played.rounds[0].result["points"]) == ([], {"player": 6, "banker": 7})
    assert at(stands + round_("P:9C"), *devices).rules == ["third-card-rule"]
    in_place = laid("player", "2S 4H") + laid("banker", "5D 2C")
    assert at(stands + in_place, *devices).rules == []
    assert at(stands + in_place, *devices).rounds[0].result["winner"] == "banker"


def test_a_card_read_at_the_second_try_is_no_card_more() -> None:
    dealt = laid("player", "TS") + laid("banker", "9D") + laid("player", "9C") + laid("banker", "null")
    played = at(dealt + "-0.7\n" + laid("banker", "7H"))
    assert (played.rules, played.rounds[0].result["winner"]) == ([], "player")
    later = at(laid("player", "TS") + laid("banker", "2D") + laid("player", "6C") + laid("banker", "null 7H"))
    assert len(later.rounds[0].cards["banker"]) == 3


@pytest.mark.parametrize("game", GAMES)
def test_a_card_drawn_wrongly_and_taken_back_counts_no_more(game: str) -> None:
    """001 line 8711: the player stands on six."""
    dealt = laid("player", "2D") + laid("banker", "KD") + laid("player", "4C") + laid("banker", "6H")
    drawn = dealt + laid("player", "9D")
    kept = at(drawn, game=game)
    assert (kept.rules, kept.rounds[0].result["winner"]) == (["third-card-rule"], "banker")
    back = at(drawn + taken("player", "9D"), game=game)
    assert (back.rules, back.rounds[0].result["points"]) == (["third-card-rule"], {"player": 6, "banker": 6})
    cleared = at(drawn + taken("player", "2D 4C 9D") + taken("banker", "KD 6H"), game=game)
    assert cleared.rounds[0].result["winner"] == "banker"
