"""Turns a hand into the observations of a reader under the felt and a dealer's panel. Independent of formats."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, zip_longest

from pitwatch.daemon.captures.capture import Line
from pitwatch.daemon.captures.hand_histories.hand import Board, Cards, Dealt, Discarded, Folded, Hand, Shown, Step
from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.config import Config
from pitwatch.rules.table import shows

ACT = 3.0
"""Seconds for which somebody thinks."""
CARD = 0.5
"""Seconds from one card to the next."""
PAUSE = 20.0
"""Seconds from the end of one hand to the next."""

PUT, TAKEN = "card_placed", "card_removed"


def observations(path: str, hands: list[Hand], config: Config) -> Iterator[tuple[int, Line]]:
    """(number of the hand, observation), for the first reader of cards and the first panel of the table. Raises
    UsageError if it has none, or the reader has a place for burn cards, of which a history says nothing."""
    found = {device.type: device for device in reversed(config.devices)}
    for needed in ("card_position", "panel"):
        if needed not in found:
            raise UsageError(f"{config.path}: device: no {needed}; a hand history needs a card_position and a panel")
    felt, panel = found["card_position"], found["panel"]
    if shows(frozenset(felt.cls.events_with((), felt.settings)), f"{PUT}:burn"):
        raise UsageError(
            f'{config.path}: device "{felt.id}" reads burn cards, and a hand history holds none: every burn would seem '
            'to be missing; give it channels without "burn" (protocol = "card_lines")'
        )
    t = 0.0
    for number, hand in enumerate(hands, 1):
        t += PAUSE
        yield number, Line(t, panel.id, event="key_pressed", data={"key": "no_more_bets"})
        for wait, event, to, card in _acts(hand.steps):
            t += wait
            yield number, Line(t, felt.id, event=event, data={"card": card, "to": to})
        t += ACT
        yield number, Line(t, panel.id, event="key_pressed", data={"key": "round_over"})


Act = tuple[float, str, str, str | None]
"""Seconds after the one before, event, position, card."""


def _acts(steps: tuple[Step, ...]) -> Iterator[Act]:
    lying: dict[str, list[str | None]] = {}
    drawing = False
    wait = 0.0
    for dealing, group in groupby(steps, key=lambda step: isinstance(step, Dealt)):
        if dealing:
            dealt = [step for step in group if isinstance(step, Dealt)]
            for seat, card in _each(dealt) if drawing else _laps(dealt):
                lying.setdefault(seat, []).append(card)
                yield wait + CARD, PUT, seat, card
                wait = 0.0
            continue
        for step in group:
            wait += ACT
            for act in _other(step, lying):
                yield wait + CARD, *act
                wait = 0.0
            drawing = drawing or isinstance(step, Discarded)


def _laps(dealt: list[Dealt]) -> Iterator[tuple[str, str | None]]:
    """One card at a time round the table, which a history writes as all cards of a player together."""
    missing = ("", None)
    for lap in zip_longest(*([(step.seat, card) for card in step.cards] for step in dealt), fillvalue=missing):
        yield from (each for each in lap if each is not missing)


def _each(dealt: list[Dealt]) -> Iterator[tuple[str, str | None]]:
    """In a draw everybody gets all his cards together."""
    for step in dealt:
        yield from ((step.seat, card) for card in step.cards)


def _other(step: Step, lying: dict[str, list[str | None]]) -> Iterator[tuple[str, str, str | None]]:
    match step:
        case Board(cards):
            yield from ((PUT, "community", card) for card in cards)
        case Folded(seat):
            yield from ((TAKEN, seat, card) for card in lying.pop(seat, []))
        case Discarded(seat, cards):
            for card in cards:
                held = lying.get(seat, [])
                taken = card if card in held else None
                if taken in held:
                    held.remove(taken)
                yield TAKEN, seat, card
        case Shown(seat, cards):
            yield from _turned(seat, cards, lying)
        case _:
            pass


def _turned(seat: str, cards: Cards, lying: dict[str, list[str | None]]) -> Iterator[tuple[str, str, str | None]]:
    """Cards that lay unread are lifted and laid again with their faces up."""
    held = lying.get(seat, [])
    shown = [card for card in cards if card is not None and card not in held]
    for card in shown:
        if None in held:
            held[held.index(None)] = card
            yield TAKEN, seat, None
            yield PUT, seat, card
