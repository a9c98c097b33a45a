"""The pace of a table while it is played: figures worked out by hand, the notice of slow play, and what must not raise
it."""

from __future__ import annotations

import random
from collections.abc import Callable
from hashlib import sha256

import msgspec
import pytest

from pitwatch.rules.fairness.slow_play import PAUSE
from pitwatch.rules.records import NOTHING_KEPT, UNSET, Irregularity, Kept, Pace, Round, Statistic, StatisticState
from pitwatch.rules.statistics.pace import MeanRise
from pitwatch.rules.table import StatisticsFacts
from tests.rules.fairness_tables import SECOND, RouletteTable, Table

TARGET = 36.0
"""Rounds an hour: one in 100 s."""


class Wheel(RouletteTable):
    """Spins whose ends are told by `seconds` after the end before."""

    def __init__(self, target: float | None = TARGET, idle_s: float = 900.0, **more: object):
        facts = StatisticsFacts(target=target, idle_s=idle_s)
        super().__init__(statistics=facts, people={"12:1": "dealer", "12:9": "supervisor"}, **more)  # type: ignore[arg-type]
        self.end = self.t

    def at(self, t: float) -> None:
        """The next event comes at that second."""
        self.t = round((t - 1) * SECOND)

    def after(self, seconds: float, before: Callable[[], None] = lambda: None) -> None:
        """A spin that rests so long after the one before: launched 30 s, bets over 10 s before it rests."""
        end = self.end / SECOND + seconds
        before()
        self.at(end - 31)
        self.see("wheel", "rotor", rpm=16.0, direction="ccw")
        self.see("wheel", "ball_launched", direction="cw")
        self.at(end - 10)
        self.see("panel", "key_pressed", key="no_more_bets")
        self.at(end)
        self.see("wheel", "ball_settled", pocket="17")
        self.end = self.t

    @property
    def paces(self) -> list[Pace]:
        return [each.pace for each in self.of(Statistic) if each.monitor == "pace"]

    @property
    def slow(self) -> list[Irregularity]:
        return [each for each in self.of(Irregularity) if each.rule.endswith("/pace-drift")]


def test_figures_of_an_hour_a_turn_and_an_opening() -> None:
    table = Wheel()
    for seconds in (100, 120, 80, 100):
        table.after(seconds)
    table.see("panel", "key_pressed", key="dealer_change")
    table.see("key_reader", "credential_presented", credential="12:1")
    table.after(50)
    table.after(50)
    table.stop()
    now = table.paces[-1]
    # The first spin is open for the 30 s from its launch: 30 + 120 + 80 + 100 + 50 + 50 = 430 s for 6 rounds.
    assert (now.game, now.open, now.target) == ("toledo-2020/roulette", True, TARGET)
    assert (now.opening.rounds, now.opening.open_s, now.opening.rounds_an_hour) == (6, 430.0, 50.2)
    assert now.hour == now.opening
    assert now.dealer == sha256(b"12:1").hexdigest()[:12]
    assert (now.turn.rounds, now.turn.rounds_an_hour) == (2, 72.0)
    # From the end of a round to the launch: 90 50 70 20 20. Bets open: 110 70 90 40 40. No more bets to rest: 10.
    assert (now.opening.next_s, now.opening.bets_open_s) == (50.0, 70.0)
    assert (now.opening.no_more_bets_s, now.opening.result_s) == (10.0, 0.0)
    assert (now.opening.seats_a_round, now.opening.voids_per_100, now.opening.irregularities_per_100) == (None, 0, 0)
    # The turn before ended with four rounds, of nobody's credential.
    ended = [each for each in table.paces if each.dealer is None][-1]
    assert (ended.turn.rounds, ended.turn.rounds_an_hour) == (4, 43.6)


def test_the_hour_leaves_out_what_is_older() -> None:
    table = Wheel()
    for _ in range(60):
        table.after(100)
    table.stop()
    now = table.paces[-1]
    assert now.opening.rounds == 60
    assert (now.hour.rounds, now.hour.rounds_an_hour) == (37, 36.0)


def test_it_is_put_out_every_five_minutes_of_play_and_when_the_table_closes() -> None:
    table = Wheel()
    for _ in range(31):
        table.after(100)
    at = [each for each in table.of(Statistic) if each.monitor == "pace"]
    assert len(at) == 11  # at once, then with every third round
    table.see("panel", "device_fault", reason="x")
    assert table.paces[-1].open
    table.at(table.end / SECOND + 901)
    table.see("panel", "device_recovered")
    assert not table.paces[-1].open
    assert table.paces[-1].since == table.end / SECOND
    many = len(table.paces)
    table.at(table.end / SECOND + 30_000)
    table.see("panel", "device_fault", reason="x")
    assert len(table.paces) == many
    table.after(31_000)
    now = table.paces[-1]
    assert now.open
    table.stop()
    assert (table.paces[-1].opening.rounds, table.paces[-1].opening.next_s) == (1, None)


def test_shuffles_jams_and_seats() -> None:
    table = Table("toledo-2020/three-card-poker", "shuffler", "panel", "seats")

    def at(t: float, device: str, event: str, **data: object) -> None:
        table.t = round((t - 1) * SECOND)
        table.see(device, event, **data)

    at(1, "seats", "seat_taken", seat="seat-1")
    at(2, "seats", "seat_taken", seat="seat-2")
    for start in (100, 200):
        at(start, "panel", "key_pressed", key="no_more_bets")
        at(start + 40, "panel", "key_pressed", key="round_over")
    at(250, "seats", "seat_left", seat="seat-2")
    at(260, "shuffler", "shuffle_started")
    at(270, "shuffler", "jammed")
    at(285, "shuffler", "jam_cleared")
    at(300, "shuffler", "shuffle_completed", cards=52)
    at(310, "shuffler", "shuffle_started")  # goes on into the round: 10 s of it hold up play
    at(320, "panel", "key_pressed", key="no_more_bets")
    at(350, "shuffler", "shuffle_completed", cards=52)
    at(360, "panel", "key_pressed", key="round_over")
    table.stop()
    now = [each.pace for each in table.of(Statistic) if each.monitor == "pace"][-1]
    assert now.opening.rounds == 3
    assert (now.opening.shuffle_s, now.opening.jam_s) == (50.0, 15.0)
    assert now.opening.seats_a_round == round((2 + 2 + 1) / 3, 2)
    assert now.opening.open_s == 260.0
    assert all(each.counted is UNSET for each in table.rounds)


def noisy(seed: int, many: int, mean: float) -> list[float]:
    rng = random.Random(seed)
    return [min(max(rng.gauss(mean, 0.25 * mean), 40.0), PAUSE * 100) for _ in range(many)]


def test_slow_play_is_a_notice_with_the_figures() -> None:
    table = Wheel()
    for seconds in noisy(1, 400, 160.0):
        table.after(seconds)
    told = table.slow[0]
    assert (told.severity, told.category, told.disposition) == ("notice", "procedure", "none-stated")
    assert told.observed["statistic"] == "pace"
    assert 20 < told.observed["rounds_an_hour"] < 25
    assert told.observed["finding"].endswith("36 expected")
    assert told.required["rounds_an_hour"] == TARGET
    assert told.says.startswith("The table is played slower")
    assert {each.severity for each in table.slow} == {"notice"}


def test_without_a_figure_of_the_house_nothing_is_judged() -> None:
    table = Wheel(target=None)
    for seconds in noisy(1, 400, 250.0):
        table.after(seconds)
    table.stop()
    assert table.slow == []
    assert not any("pace" in (each.counted or {}) for each in table.rounds)
    assert {(each.n, each.r, each.ln_e) for each in table.of(Statistic) if each.monitor == "pace"} == {(0, 0.0, 0.0)}
    assert not [each for each in table.of(StatisticState) if each.monitor == "pace"]


@pytest.mark.parametrize("mean", [70.0, 100.0, 120.0])
def test_play_at_the_houses_pace_stays_silent(mean: float) -> None:
    table = Wheel()
    for seconds in noisy(2, 1500, mean):
        table.after(seconds)
    assert table.slow == []


def closed(table: Wheel) -> None:
    """For an hour, before each round."""
    table.after(3600)


def paused(table: Wheel) -> None:
    table.after(PAUSE * 100 + 20)


def jackpot(table: Wheel) -> None:
    table.after(280, lambda: table.see("panel", "key_pressed", key="hand:royal-flush"))


def supervised(table: Wheel) -> None:
    table.after(280, lambda: table.see("key_reader", "credential_presented", credential="12:9"))


def relieved(table: Wheel) -> None:
    table.after(280, lambda: table.see("panel", "key_pressed", key="dealer_change"))


def off_line(table: Wheel) -> None:
    def gone() -> None:
        table.see("key_reader", "device_offline", reason="x")
        table.see("key_reader", "device_online")

    table.after(280, gone)


def ball_gone(table: Wheel) -> None:
    table.after(280, lambda: table.see("wheel", "ball_missing"))


@pytest.mark.parametrize("pause", [closed, paused, jackpot, supervised, relieved, off_line, ball_gone])
def test_a_pause_that_has_a_reason_is_no_slow_play(pause: Callable[[Wheel], None]) -> None:
    """Even if nothing else ever happens at the table."""
    table = Wheel()
    for _ in range(300):
        pause(table)
    assert table.slow == []
    table.after(100)
    assert sum("pace" in (each.counted or {}) for each in table.rounds) <= 1


def test_a_short_shift_says_nothing() -> None:
    table = Wheel()
    for _ in range(30):
        table.after(PAUSE * 100 - 1)
    table.stop()
    assert table.slow == []


def test_slow_after_a_jackpot_pause_is_still_found() -> None:
    """What is left out is the pause alone."""
    table = Wheel()
    for number in range(300):
        (jackpot if number % 20 == 0 else lambda here: here.after(180))(table)
    assert table.slow


def replayed(table: Wheel, seconds: list[float]) -> None:
    for each in seconds:
        table.after(each)


@pytest.mark.parametrize("stopped", [True, False])
def test_a_restart_goes_on_with_the_same_bits(stopped: bool) -> None:
    times = noisy(3, 90, 130.0)
    first = Wheel()
    replayed(first, times[:60])
    if stopped:
        first.stop()
    second = Wheel(after=first)
    replayed(second, times[60:])
    second.stop()
    figures = [each.counted["pace"][0] for each in second.rounds if "pace" in (each.counted or {})]
    assert len(figures) >= 85
    alone = MeanRise(125.0, 50.0, 200.0)
    for figure in figures:
        alone.take(figure / 1000)
    newest = [each for each in second.of(Statistic) if each.monitor == "pace"][-1]
    assert (newest.n, newest.r) == (len(figures), alone.r)


def test_the_same_play_gives_the_same_bytes() -> None:
    outs = []
    for _ in range(2):
        table = Wheel()
        replayed(table, noisy(4, 300, 150.0))
        table.stop()
        outs.append(msgspec.json.encode(table.records))
    assert outs[0] == outs[1]


def test_another_figure_of_the_house_begins_anew() -> None:
    first = Wheel()
    replayed(first, noisy(5, 60, 130.0))
    first.stop()
    second = Wheel(target=50.0, after=first)
    second.after(100)
    second.after(100)
    second.stop()
    assert [each for each in second.of(Statistic) if each.monitor == "pace"][-1].n == 1


@pytest.mark.parametrize("spoilt", [{"numbers": ""}, {"numbers": "x"}, {"counts": ()}, {"level": 9}])
def test_a_state_that_is_none_begins_anew(spoilt: dict[str, object]) -> None:
    first = Wheel()
    replayed(first, noisy(6, 20, 100.0))
    first.stop()
    state = [each for each in first.of(StatisticState) if each.monitor == "pace"][-1]
    kept = Kept((msgspec.structs.replace(state, **spoilt),), ())
    table = Wheel(kept=kept)
    replayed(table, [100.0, 100.0, 100.0])
    table.stop()
    assert [each for each in table.of(Statistic) if each.monitor == "pace"][-1].n == 2


def test_watching_nothing_tells_nothing() -> None:
    table = RouletteTable(statistics=StatisticsFacts(watch=False, target=TARGET), kept=NOTHING_KEPT)
    table.spin(4)
    table.spin(5)
    table.stop()
    assert table.of(Statistic) == []
    assert [each.counted for each in table.of(Round)] == [UNSET, UNSET]
