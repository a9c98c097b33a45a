"""Cards on the layout of the game: the house's hands above, the players' below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from markupsafe import Markup

from pitwatch.devices.vocabulary import is_card
from pitwatch.floor.watch.payloads import Observation

SUITS = {"C": ("♣", "clubs"), "D": ("♦", "diamonds"), "H": ("♥", "hearts"), "S": ("♠", "spades")}
RANKS = {"A": "ace", "T": "10", "J": "jack", "Q": "queen", "K": "king"}
ABOVE = ("dealer", "banker", "community", "burn", "discard")
MOST_HANDS, MOST_CARDS = 24, 24


def hands_of(round_cards: Mapping[str, Any]) -> dict[str, list[object]]:
    """The hands of a round that is over."""
    found = {}
    for place, cards in list(round_cards.items())[:MOST_HANDS]:
        if isinstance(cards, list):
            found[place] = cards[:MOST_CARDS]
    return found


def hands_in_play(seen: Iterable[Observation], live: Iterable[Observation]) -> dict[str, list[object]]:
    """The hands of the round that is played: `seen` as everybody may see it, a None for a card that is not shown; the
    cards of `live` take their place one by one."""
    faces: dict[str, list[object]] = {}
    for each in live:
        if each.event in ("card_drawn", "card_placed"):
            faces.setdefault(str(each.data.get("to") or "elsewhere"), []).append(each.data.get("card"))
    found: dict[str, list[object]] = {}
    for each in seen:
        place = str(each.data.get("to") or "elsewhere")
        if each.event in ("card_drawn", "card_placed") and (place in found or len(found) < MOST_HANDS):
            hand = found.setdefault(place, [])
            known = faces.get(place, [])
            card = each.data.get("card")
            hand.append(card if card is not None or len(hand) >= len(known) else known[len(hand)])
        elif each.event == "card_removed" and found.get(place):
            found[place].pop()
    return {place: hand[:MOST_CARDS] for place, hand in found.items() if hand}


def drawn(hands: Mapping[str, list[object]]) -> Markup:
    above = [place for place in ABOVE if place in hands]
    below = sorted(place for place in hands if place not in ABOVE)
    rows = [
        Markup('<div class="row">{}</div>').format(Markup("").join(_hand(place, hands[place]) for place in row))
        for row in (above, below)
        if row
    ]
    return Markup('<div class="layout">{}</div>').format(Markup("").join(rows))


def _hand(place: str, cards: list[object]) -> Markup:
    shown = Markup("").join(map(_card, cards))
    return Markup('<div class="hand"><span class="place">{}</span>{}</div>').format(place.replace("-", " "), shown)


def _card(card: object) -> Markup:
    if not is_card(card):
        return Markup('<span class="card back"><span class="unseen">card not shown</span></span>')
    card = str(card)
    if card == "JK":
        return Markup('<span class="card">JK<span class="unseen">joker</span></span>')
    sign, suit = SUITS[card[1]]
    rank = "10" if card[0] == "T" else card[0]
    html = Markup(
        '<span class="card{}"><span aria-hidden="true">{}<br>{}</span><span class="unseen">{} of {}</span></span>'
    )
    return html.format(" red" if card[1] in "DH" else "", rank, sign, RANKS.get(card[0], card[0]), suit)
