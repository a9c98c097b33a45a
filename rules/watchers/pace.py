"""How fast the table is played, for `statistic/pace`: the same phases as `pitwatch archive pace`, while they happen.

Every time is of the monotonic clock, so a clock that is set changes nothing. Nothing of the cards is in it.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import msgspec

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.desk.part import Part
from pitwatch.rules.fairness.dealer import UNKNOWN, Dealer
from pitwatch.rules.fairness.ledger import LEVELS
from pitwatch.rules.fairness.played import Cycle, Stretch
from pitwatch.rules.fairness.slow_play import C, SlowPlay
from pitwatch.rules.records import Pace as PaceNow
from pitwatch.rules.records import Round, Statistic, seconds
from pitwatch.rules.watchers.stoppages import Stoppages

WATCHER = {"turn": 110, "class": "Pace"}
RULES: tuple[str, ...] = ()

EVERY_NS = 300_000_000_000
"""So often the newest figures are put out while the table is played."""

HOUR_S = 3600.0

STATE_ROUNDS = 500
"""Counted rounds after which the monitor's state is put out; those since are read again after a crash."""

ALERT_LEVEL = LEVELS.index("alert")

PLAY_KEYS = frozenset(("no_more_bets", "round_over"))
"""Keys of ordinary play. Any other one tells of something that takes time."""


class Pace(Part):
    def __init__(self, desk: Desk):
        super().__init__(desk)
        facts = desk.table.statistics
        self._on = facts.watch
        self._idle_s = facts.idle_s
        self._dealer = Dealer(desk)
        self._unnamed = False
        """This turn began with the panel's key; a credential tells whose it is."""
        self._seats: set[str] | None = set() if desk.has("seats.seat_taken") else None
        self._seated: int | None = None
        """When the open round began."""
        self._stoppages = Stoppages()
        self._bets: float | None = None
        self._bets_again: float | None = None
        """The last time that no more bets was called after `_bets`: it may close the round and open the next."""
        self._settled: float | None = None
        self._last: float | None = None
        """When the last round closed; None if none did since the table opened."""
        self._irregularities = 0
        self._explained = True
        """Something beside play happened since the last round closed."""
        self._open, self._since = False, 0.0
        self._idle_at: int | None = None
        self._hour: deque[Cycle] = deque()
        self._turn, self._opening = Stretch(), Stretch()
        self._told: int | None = None
        self._waiting: list[tuple[int, int]] = []
        self._news = self._now = False
        self._rounds = 0
        self._slow = self._monitor(facts.target, C * facts.scale) if facts.target is not None and self._on else None

    def _monitor(self, target: float, c: float) -> SlowPlay:
        """As an earlier run left it. Without a state the first round puts one out, so that a crash loses none."""
        monitor, name, kept = SlowPlay(target, c), SlowPlay.monitor, self.desk.kept
        monitor.changed = True
        self._rounds = STATE_ROUNDS
        for state in kept.states:
            if state.monitor == name and state.equipment == monitor.equipment:
                try:
                    monitor.restore(state)
                except ValueError:  # of a program that counted otherwise: a new epoch
                    monitor = SlowPlay(target, c)
                    monitor.changed = True
                else:
                    monitor.changed, self._rounds = False, 0
        for number, counted in kept.counted:
            for milliseconds in counted.get(name, ()):
                if number > monitor.upto and monitor.counts(milliseconds):
                    monitor.take(milliseconds, number)
                    if monitor.level >= ALERT_LEVEL:  # was reported
                        monitor.begin_again()
        return monitor

    def handlers(self, prefix: str) -> dict[str, Any]:
        return super().handlers(prefix) if self._on else {}

    # -- what happens between and in rounds

    def on_key_pressed(self, observation: Observation) -> None:
        key = observation.data.get("key")
        if key == "no_more_bets":
            self._no_more_bets()
        if key not in PLAY_KEYS:
            self._explained = True
        if key == "dealer_change":
            self._new_turn()
            self._unnamed = True
        self._dealer.key(key)

    def on_credential_presented(self, observation: Observation) -> None:
        self._explained = True
        shown = Dealer(self.desk)
        shown.credential(observation.data.get("credential"))
        if shown.name in (UNKNOWN, self._dealer.name):
            return
        if not self._unnamed:
            self._new_turn()
        self._unnamed = False
        self._dealer = shown

    def _new_turn(self) -> None:
        """A turn ends with what was dealt in it."""
        self._put_out()
        self._turn = Stretch()

    def on_wheel_state(self, observation: Observation) -> None:
        if observation.data.get("state") == "no_more_bets":
            self._no_more_bets()

    def _no_more_bets(self) -> None:
        if self._bets is None:
            self._bets = seconds(self.desk.t)
        else:
            self._bets_again = seconds(self.desk.t)

    def on_ball_settled(self, observation: Observation) -> None:
        if self._settled is None:
            self._settled = seconds(self.desk.t)

    on_dice_settled = on_result_declared = on_ball_settled

    def on_seat_taken(self, observation: Observation) -> None:
        seat = observation.data.get("seat")
        if seat is not None and self._seats is not None:
            self._seats.add(seat)

    def on_seat_left(self, observation: Observation) -> None:
        if self._seats is not None:
            self._seats.discard(observation.data.get("seat") or "")
            self._explained = self._explained or not self._seats  # dealt to nobody

    def on_shuffle_started(self, observation: Observation) -> None:
        self._stoppages.shuffle_started(observation.device, seconds(self.desk.t))

    def on_shuffle_completed(self, observation: Observation) -> None:
        self._stoppages.shuffle_completed(observation.device, seconds(self.desk.t))

    def on_jammed(self, observation: Observation) -> None:
        self._explained = True
        self._stoppages.jammed(observation.device, seconds(self.desk.t))

    def on_jam_cleared(self, observation: Observation) -> None:
        self._explained = True
        self._stoppages.jam_cleared(observation.device, seconds(self.desk.t))

    def missed(self, observation: Observation) -> None:
        """Whatever stops or delays play with a reason of its own."""
        self._explained = True

    on_device_fault = on_device_recovered = on_device_online = missed
    on_shoe_started = on_reader_error = on_reader_error_cleared = on_locked = on_unlocked = missed
    on_count_failed = on_meter_locked = on_meter_unlocked = on_jackpot = on_hand_keyed = on_opened = on_closed = missed
    on_ball_missing = on_ball_expelled = on_ball_floating = on_object_detected = on_launch_failed = missed
    on_die_off_table = missed

    def breached(self, rule: str, observed: dict[str, Any]) -> None:
        self._explained = True
        self._irregularities += 1

    # -- rounds

    def round_opened(self) -> None:
        self._seated = len(self._seats) if self._seats is not None else None
        self._settled = None
        if self._rounds >= STATE_ROUNDS and not self._waiting:
            self._keep()
        self._playing()

    def round_closed(self, round_: Round) -> dict[str, list[int]]:
        if not self._on:
            return {}
        self._playing()
        cycle, milliseconds = self._cycle(round_), None
        if not (self._explained or round_.partial or round_.void or cycle.next is None):
            milliseconds = round(1000 * (round_.closed - (self._last or 0.0) - cycle.shuffle_s))
        self._last = round_.closed
        called = (each for each in (self._bets, self._bets_again) if each is not None and each >= round_.closed)
        self._bets, self._bets_again, self._settled = next(called, None), None, None
        self._irregularities, self._explained = 0, self._seats is not None and not self._seats
        for stretch in (self._turn, self._opening):
            stretch.add(cycle)
        self._hour.append(cycle)
        self._news = True
        self._wake()
        if milliseconds is None or self._slow is None or not self._slow.counts(milliseconds):
            return {}
        self._waiting.append((milliseconds, round_.round))
        return {self._slow.monitor: [milliseconds]}

    def _cycle(self, round_: Round) -> Cycle:
        opened, closed, last = round_.opened, round_.closed, self._last
        long = closed - opened > self._idle_s
        played = last is not None and opened - last <= self._idle_s
        before = opened - last if last is not None and played else 0.0
        begin = last if last is not None and played else opened
        phases: dict[str, float | None] = {}
        if not round_.partial and not long:
            bets = self._bets if self._bets is not None and self._bets < closed else None
            settled = self._settled if self._settled is not None and self._settled >= opened else None
            phases["no_more_bets"] = None if bets is None else max((settled or closed) - bets, 0.0)
            phases["result"] = None if settled is None else max(closed - settled, 0.0)
            if last is not None and played:
                phases["next"] = max(before, 0.0)
                phases["bets_open"] = None if bets is None else max(bets - last, 0.0)
        return Cycle(
            closed=closed,
            open_s=max(before, 0.0) + min(max(closed - opened, 0.0), self._idle_s),
            partial=round_.partial,
            void=round_.void is not None,
            irregularities=self._irregularities,
            seats=self._seated,
            shuffle_s=self._stoppages.shuffled(begin, opened),
            jam_s=self._stoppages.stuck(begin, closed),
            **phases,
        )

    # -- what is put out

    def _playing(self) -> None:
        """A round begins or ends: the table is open, until no round is seen for long."""
        if not self._on:
            return
        if not self._open:
            self._open, self._since, self._now = True, seconds(self.desk.t), True
            self._last = None
            self._opening = Stretch()
            self._news = True
        self._idle_at = self.desk.t + round(self._idle_s * 1e9)
        self._wake()

    def _wake(self) -> None:
        self.deadline = self.desk.t

    def tick(self) -> None:
        for milliseconds, number in self._waiting:
            self._count(milliseconds, number)
        self._waiting.clear()
        if self._rounds >= STATE_ROUNDS:
            self._keep()
        t = self.desk.t
        if self._idle_at is not None and t >= self._idle_at:
            self._open, self._since, self._idle_at = False, seconds(t) - self._idle_s, None
            self._news = self._now = True
        if self._now or self._told is None or t - self._told >= EVERY_NS:
            self._put_out()
        self.deadline = self._idle_at

    def _count(self, milliseconds: int, number: int) -> None:
        monitor = self._slow
        assert monitor is not None
        monitor.take(milliseconds, number)
        self._rounds += 1
        if monitor.level >= ALERT_LEVEL:
            self._news = True
            self._put_out()
            self.desk.out.append(monitor.notice(self.desk.game, self.desk.seq))
            monitor.begin_again()

    def finish(self) -> None:
        if not self._on:
            return
        for milliseconds, number in self._waiting:
            self._count(milliseconds, number)
        self._waiting.clear()
        self._put_out()
        self._keep()

    def _keep(self) -> None:
        if self._slow is not None and self._slow.changed:
            self.desk.out.append(self._slow.kept(self._slow.equipment))
            self._slow.changed = False
        self._rounds = 0

    def _put_out(self) -> None:
        if not self._news:
            return
        self._news = self._now = False
        self._told = self.desk.t
        since = seconds(self.desk.t) - HOUR_S
        while self._hour and self._hour[0].closed < since:
            self._hour.popleft()
        now = PaceNow(
            game=self.desk.game.path,
            open=self._open,
            since=self._since,
            target=self.desk.table.statistics.target,
            dealer=None if self._dealer.name == UNKNOWN else self._dealer.name,
            hour=Stretch(self._hour).played(),
            turn=self._turn.played(),
            opening=self._opening.played(),
        )
        self.desk.out.append(msgspec.structs.replace(self._statistic(), pace=now))

    def _statistic(self) -> Statistic:
        """Without the house's figure nothing is judged."""
        if self._slow is not None:
            return self._slow.report()
        c = C * self.desk.table.statistics.scale
        return Statistic(
            monitor=SlowPlay.monitor, key="", epoch=1, since=0, n=0, ln_e=0.0, r=0.0, c=c, level="record", told=None
        )
