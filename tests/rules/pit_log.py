"""Lines of a pit log, see `table`, as the tests of several games write them."""

from __future__ import annotations

CALL = "panel key_pressed key=no_more_bets\n"
OVER = "panel key_pressed key=round_over\n"


def seated(*seats: int) -> str:
    return "".join(f"seats seat_taken seat=seat-{seat}\n" for seat in seats)


def laid(to: str, cards: str) -> str:
    return "".join(f"card_position card_placed card={card} to={to}\n" for card in cards.split())


def taken(to: str, cards: str) -> str:
    return "".join(f"card_position card_removed card={card} to={to}\n" for card in cards.split())
