"""Hands that make a bad beat, or just fail to: two patrons' own cards and the board. Knows no table and no wire."""

from __future__ import annotations

ROYAL = ["AH", "KH"]
HEART_BOARD = ["TH", "JH", "QH", "JS", "3C"]
QUAD_JACKS = ["JC", "JD"]
JUNK = ["2C", "4D"], ["5C", "7D"]

Hands = tuple[list[list[str]], list[str]]
"""The winner's cards and the loser's; the board."""


def hands(fault: str, with_board: bool, own: int) -> Hands:
    """The jackpot hands, `own` cards to each. `fault`: the rule that tells of them."""
    if not with_board:
        return [["5C", "5D", "5H", "5S", "8C", "9D", "TC"], ["2C", "2D", "2H", "2S", "8D", "9C", "TD"]], []
    if fault == "mini-bad-beat-jackpot":
        return _padded([["7C", "7S"], ["AC", "KC"]], own), ["AS", "AH", "KD", "7H", "7D"]
    if fault == "hole-cards-not-used":
        return _padded([ROYAL, ["JC", "2C"]], own), ["TH", "JH", "QH", "JS", "JD"]
    return _padded([ROYAL, QUAD_JACKS], own), HEART_BOARD


def _padded(pairs: list[list[str]], own: int) -> list[list[str]]:
    return [[*pair, *junk[: own - len(pair)]] for pair, junk in zip(pairs, JUNK, strict=True)]
