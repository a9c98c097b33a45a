"""What the cards of a war are worth against the dealer's, and what a tie wins. Pure functions."""

from __future__ import annotations

from typing import Any

from pitwatch.rules.hands.poker_ranking import HEIGHT
from pitwatch.rules.play.cards import all_read, rank, suit


def shown(cards: list[str | None]) -> dict[str, Any]:
    return {"card": cards[0] if cards else None, **({"war": cards[1]} if len(cards) > 1 else {})}


def _compare(card: str | None, other: str | None) -> str | None:
    read = all_read([card, other])
    if read is None or any(rank(each) not in HEIGHT for each in read):
        return None
    mine, theirs = (HEIGHT[rank(each)] for each in read)
    return "tie" if mine == theirs else "higher" if mine > theirs else "lower"


def against(cards: list[str | None], dealer: list[str | None]) -> dict[str, Any]:
    """The first cards and, after a war, the second; what a wager on ties would win."""
    first = _compare(cards[0], dealer[0]) if dealer else None
    found: dict[str, Any] = {**shown(cards), "against_dealer": first}
    second = _compare(cards[1], dealer[1]) if len(cards) > 1 and len(dealer) > 1 else None
    if len(cards) > 1:
        found["war_against_dealer"] = second
    if first == "tie":
        found["tie"] = _tie(cards, dealer, second)
    return found


def _tie(cards: list[str | None], dealer: list[str | None], second: str | None) -> str:
    """four-of-a-kind, double, suited or basic, from the best paid down."""
    read = all_read([cards[0], dealer[0]]) or []
    if second == "tie":
        four = {rank(card) for card in (*cards[:2], *dealer[:2]) if card is not None}
        return "four-of-a-kind" if len(four) == 1 else "double"
    return "suited" if len({suit(card) for card in read}) == 1 else "basic"
