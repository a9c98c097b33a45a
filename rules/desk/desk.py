"""The desk that procedures and watchers write at: the open round, breaches, alerts, deadlines.

Knows no game. The book decides what a breach is worth; availability decides whether it may be judged at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

import msgspec

from pitwatch.rules.desk.availability import Availability
from pitwatch.rules.game import Game
from pitwatch.rules.records import (
    NOTHING_KEPT,
    VOIDING,
    Alert,
    Citation,
    Irregularity,
    Kept,
    Record,
    Round,
    seconds,
)
from pitwatch.rules.table import TableFacts


class OpenRound:
    """A round in progress. `cards` and `counts` by position; `seen` holds what was reported already.

    `hands`: the progressive hands that the procedure made out at a position by the end, best paid first; None if its
    cards were not all seen. `mixed`: cards that were out were shuffled in again, so the same card may come twice.
    `unjudged`: rules that could not be judged in it though every device was there. `again`: journal sequence of a card
    of which the procedure knows that it lay there before.
    """

    def __init__(self, number: int, opened: int, partial: bool):
        self.number = number
        self.opened = opened
        self.partial = partial
        self.void: str | None = None
        self.mixed = False
        self.cards: dict[str, list[str | None]] = {}
        self.counts: dict[str, int] = {}
        self.irregularities: list[str] = []
        self.seen: set[tuple[str, object]] = set()
        self.hands: dict[str, tuple[str, ...] | None] = {}
        self.unjudged: set[str] = set()
        self.again: int | None = None


class Listener(Protocol):
    """Whoever wants to know that a round opens or closes, or that a rule was broken."""

    def round_opened(self) -> None: ...
    def round_closing(self) -> None: ...
    def round_closed(self, round_: Round) -> dict[str, list[int]]: ...
    def breached(self, rule: str, observed: dict[str, Any]) -> None: ...


class Desk:
    """One table's desk. `t` and `seq` are the time (ns) and journal sequence of the input being worked on."""

    def __init__(self, game: Game, table: TableFacts, last_round: int = 0, kept: Kept = NOTHING_KEPT):
        self.game = game
        self.kept = kept
        """What an earlier run left of its monitors."""
        self.table = table
        self.availability = Availability(game, table)
        self.options: dict[str, Any] = game.settle_options(table.options)
        self.t = 0
        self.seq = 0
        self.aligned = False
        self.broken_off = False
        """The stream ends in the middle of a round: what is missing of it may still have come."""
        self.round: OpenRound | None = None
        self.dealt_out: Callable[[], bool] = lambda: False
        """Whether surely all cards of the open round are dealt; the procedure knows."""
        self.last_round = last_round
        self.out: list[Record] = []
        self.listeners: list[Listener] = []
        self._alerts: dict[str, Alert] = {}

    # -- what the book and the house say

    def figure(self, name: str) -> Any:
        return self.game.figure(name)

    def option(self, name: str) -> Any:
        """The house's value; None if the game declares no such option."""
        return self.options.get(name)

    def has(self, *needs: str) -> bool:
        """Whether the table has a device that can show one of these `type.event`, on line or not."""
        return any(self.table.provides(need) for need in needs)

    # -- rounds

    def boundary(self) -> None:
        """A clean boundary has been seen: from here on everything that is on line is judged."""
        self.aligned = True
        self.availability.boundary()

    def open_round(self) -> OpenRound:
        """Open the next round now; partial if the table is still aligning."""
        self.last_round += 1
        self.availability.fresh()
        self.round = OpenRound(self.last_round, self.t, partial=not self.aligned)
        for listener in self.listeners:
            listener.round_opened()
        return self.round

    def close_round(
        self, result: dict[str, Any], partial: bool = False, void: str | None = None, closed: int | None = None
    ) -> None:
        """Close the open round now and put its record out. `closed`: when it was over (ns), if that was before."""
        was = self.round
        if was is None:
            return
        for listener in self.listeners:
            listener.round_closing()
        unseen = self.availability.not_observable()
        unseen += tuple(rule for rule in self.game.rules if rule in was.unjudged and rule not in unseen)
        more: dict[str, Any] = {"not_observable": unseen} if unseen else {}
        record = Round(
            round=was.number,
            game=self.game.path,
            opened=seconds(was.opened),
            closed=seconds(self.t if closed is None else closed),
            partial=was.partial or partial,
            void=was.void or void,
            cards=was.cards,
            counts=was.counts,
            result=result,
            irregularities=tuple(was.irregularities),
            **more,
        )
        counted: dict[str, list[int]] = {}
        for listener in self.listeners:
            counted |= listener.round_closed(record)
        self.out.append(msgspec.structs.replace(record, counted=counted) if counted else record)
        self.round = None

    @property
    def misdealt(self) -> str | None:
        """The rule of category misdeal that was broken first in the open round; None if none was."""
        told = (each.rpartition("/")[2] for each in (self.round.irregularities if self.round is not None else ()))
        return next((rule for rule in told if self.game.rules[rule].category == "misdeal"), None)

    def leave_unjudged(self, rules: Iterable[str]) -> None:
        """What was seen of the open round leaves open whether these rules were kept: its record says so."""
        if self.round is not None:
            self.round.unjudged.update(rule for rule in rules if self.availability.watched(rule))

    def withdraw_round(self) -> None:
        """What was taken for the first card of a round was none: the open round never was, its number is free again."""
        if self.round is not None:
            self.round = None
            self.last_round -= 1

    # -- breaches

    def judges(self, rule: str) -> bool:
        """Whether the book has the rule and it can be judged now."""
        return self.aligned and not self.broken_off and self.availability.judgeable(rule)

    def breach(
        self,
        rule: str,
        observed: dict[str, Any],
        required: dict[str, Any] | None = None,
        evidence: Iterable[int] = (),
        *,
        once: object = None,
        always: bool = False,
        round_number: int | None = None,
    ) -> bool:
        """A rule was broken: put the irregularity out, unless the book has no such rule or it cannot be judged.

        `evidence`: journal sequences besides the present one. A rule is put out once a round for each `once`.
        `always`: the observation proves itself (a person's report, an opened enclosure), aligned or not.
        `round_number`: the closed round it belongs to, whether or not the next one is open.
        Returns whether it was put out.
        """
        written = self.game.rules.get(rule)
        if written is None or not (always or self.judges(rule)):
            return False
        round_ = self.round if round_number is None else None
        if round_ is not None:
            if (rule, once) in round_.seen:
                return False
            round_.seen.add((rule, once))
        full = f"{self.game.path}/{rule}"
        self.out.append(
            Irregularity(
                rule=full,
                category=written.category,
                severity=written.severity,
                round=round_.number if round_ else round_number,
                observed=observed,
                required=required or {},
                disposition=written.disposition,
                instruction=written.instruction,
                notify=written.notify,
                citation=Citation(
                    document=self.game.document, section=written.section, lines=written.lines, title=self.game.title
                ),
                evidence=tuple(sorted({*evidence, self.seq})),
                says=written.says,
            )
        )
        if round_ is not None:
            round_.irregularities.append(full)
            if written.disposition in VOIDING and round_.void is None:
                round_.void = rule
        for listener in self.listeners:
            listener.breached(rule, observed)
        return True

    # -- alerts

    def raise_alert(self, key: str, condition: str, device: str, detail: dict[str, Any]) -> None:
        """A condition that lasts begins; saying it again changes nothing."""
        if key not in self._alerts:
            alert = Alert(
                key=key, raised=True, condition=condition, device=device, since=seconds(self.t), detail=detail
            )
            self._alerts[key] = alert
            self.out.append(alert)

    def clear_alert(self, key: str) -> None:
        """The condition is over; clearing what was never raised says nothing."""
        was = self._alerts.pop(key, None)
        if was is not None:
            self.out.append(Alert(key=key, raised=False, condition=was.condition, device=was.device, since=was.since))
