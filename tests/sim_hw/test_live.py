"""A table that is acted at while it runs, through the real devices and rules in virtual time.

The dealers put the same on the wires as when a round is simulated at once; what a hand does wrongly is reported, and of
what it does properly nothing."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pitwatch.sim_hw import WireEvent
from pitwatch.sim_hw.hands.act import CannotActError
from pitwatch.sim_hw.live import LiveTable
from pitwatch.sim_hw.scene import SECOND
from tests.sim_hw.tablerun import TABLES, BenchTable, Heard, hear

NAMES = sorted(path.stem for path in TABLES.glob("*.toml"))
STEP = SECOND // 4


def live_table(name: str, rounds: int = 0, seed: int = 5) -> tuple[BenchTable, LiveTable]:
    table = BenchTable(name)
    plan = table.plan(rounds, seed) if rounds else []
    live = LiveTable(
        table.game, table.devices, table.options,
        seed=seed, plan=plan, planned=rounds, people=table.people, seats=table.seats,
    )  # fmt: skip
    return table, live


class ByHand:
    """Drives a table: `rounds` by the dealer, then what a hand does, one act after another."""

    def __init__(self, name: str):
        self.table, self.live = live_table(name)
        self.events: list[WireEvent] = []
        self._run(lambda: self.live.dealing)

    def rounds(self, count: int) -> None:
        self.live.play_rounds(count)
        self.wait(0.25)
        self._run(lambda: self.live.dealing)

    def fault(self, rule: str) -> None:
        self.live.play_fault(rule)
        self._run(lambda: bool(self.live.orders) or self.live.dealing)

    def do(self, device: str, name: str, seconds: float = 1.0, **given: Any) -> None:
        self.live.act(device, name, given)
        self.wait(seconds)

    def wait(self, seconds: float) -> None:
        until = self.live.t + int(seconds * SECOND)
        while self.live.t < until:
            self.events += self.live.advance(min(until, self.live.t + STEP))

    def _run(self, busy: Callable[[], bool]) -> None:
        while busy():
            self.wait(0.25)
        self.wait(0.25)

    def heard(self) -> Heard:
        return hear(self.table, self.events)


@pytest.mark.parametrize("name", NAMES)
def test_a_dealer_puts_the_same_on_the_wires_as_in_a_simulation(name: str) -> None:
    table, live = live_table(name, rounds=12)

    def events() -> Iterator[WireEvent]:
        while live.in_plan:
            yield from live.advance(live.t + STEP)

    simulated = list(table.events(12, 5, table.plan(12, 5)))
    assert list(events())[: len(simulated)] == simulated  # then time goes on


def test_a_hand_at_an_automatic_wheel() -> None:
    hand = ByHand("roulette")
    hand.rounds(2)

    def spin(wait: float = 40, **given: Any) -> None:
        hand.wait(10)
        hand.do("wheel", "launch", 5, **given)
        hand.do("panel", "press:no-more-bets", wait)
        hand.do("panel", "press:round-over", 2)

    spin(pocket="17")
    spin()
    proper = hand.heard()
    assert proper.rules == Counter()
    assert len(proper.rounds) == 4
    assert proper.rounds[2].result["pocket"] == "17"
    spin(way="with the rotor", wait=50)
    spin(wrong="another number is announced")
    spin()
    assert hand.heard().rules == Counter({"same-direction-spin": 1, "result-mismatch": 1})


@pytest.mark.parametrize("wait", [0, 1, 2, 4, 8])
@pytest.mark.parametrize("way", ["against the rotor", "with the rotor"])
def test_the_picture_shows_what_the_wheel_reports(wait: float, way: str) -> None:
    """Also if the launch is asked for while the rotor is still turning round."""
    hand = ByHand("roulette")
    hand.rounds(1)
    hand.wait(wait + 0.01)
    hand.do("wheel", "launch", 10, way=way)
    seen = hand.live.picture()["wheel"]
    launched = [each for each in hand.heard().observations if each.event == "ball_launched"][-1]
    assert seen["ball"]["place"] == "rim"
    assert (seen["ball"]["turns"] * seen["turns"] > 0) == (way == "with the rotor")
    assert launched.data["direction"] == ("cw" if seen["ball"]["turns"] > 0 else "ccw")


def test_a_ball_that_was_taken_out_lands_nowhere() -> None:
    hand = ByHand("roulette")
    hand.rounds(1)
    hand.wait(5)
    hand.do("wheel", "launch", 5)
    with pytest.raises(CannotActError, match="a ball runs already"):
        hand.do("wheel", "launch")
    hand.do("panel", "press:no-spin")
    hand.do("wheel", "take-out", 60)
    settled = [each for each in hand.heard().observations if each.event == "ball_settled"]
    assert len(settled) == 1  # the dealer's


def test_a_hand_spins_too_weakly_and_the_wrong_way() -> None:
    hand = ByHand("roulette-raw")
    hand.rounds(1)

    def spin(**given: Any) -> None:
        hand.do("wheel", "send-rotor", 12)
        hand.do("wheel", "spin", 0.1, **given)
        while (
            (ball := hand.live.picture()["wheel"]["ball"]) is None or ball["place"] != "rim" or abs(ball["turns"]) > 0.8
        ):
            hand.wait(0.25)
        hand.do("panel", "press:no-more-bets", 30)
        hand.do("panel", "press:round-over", 3)

    spin(pocket="5")
    proper = hand.heard()
    assert proper.rules == Counter()
    assert proper.rounds[-1].result["pocket"] == "5"
    spin(revolutions=3)
    spin(way="with the rotor")
    assert set(hand.heard().rules) == {"under-minimum-revolutions", "same-direction-spin"}


def test_a_hand_throws_dice() -> None:
    hand = ByHand("craps")
    hand.rounds(1)
    for faces in (("6", "2"), ("1", "3")):
        hand.do("dice", "throw", 12, first=faces[0], second=faces[1])
    proper = hand.heard()
    assert proper.rules == Counter()
    assert [each.result["total"] for each in proper.rounds[-1:]] == [8]
    hand.do("dice", "throw", 12, place="one goes off the table")
    hand.do("panel", "press:dice-inspected", 3)
    hand.do("dice", "throw", 5, strike="none strikes the far end")
    hand.do("panel", "press:no-roll", 10)
    assert hand.live.picture()["dice"]["dice"][0]["at"] == "layout"
    assert hand.heard().rules == Counter({"die-off-table": 1, "far-end-not-hit": 1})


def deal_baccarat(hand: ByHand, cards: str, **result: str) -> None:
    hand.wait(12)
    hand.do("panel", "press:no-more-bets")
    for number, card in enumerate(cards.split()):
        hand.do("shoe", "card", 1.3, to="player" if number % 2 == 0 else "banker", card=card)
    hand.do("shoe", "result", 6, **result)
    hand.do("rack", "discard", 3, cards=len(cards.split()))
    hand.do("panel", "press:round-over", 2)


def test_a_hand_deals_baccarat() -> None:
    hand = ByHand("baccarat")
    hand.rounds(1)
    deal_baccarat(hand, "9H KD TC 7S")
    proper = hand.heard()
    assert proper.rules == Counter()
    assert proper.rounds[-1].result["winner"] == "player"
    deal_baccarat(hand, "9H KD TC 7S", winner="banker")
    deal_baccarat(hand, "9H KD TC 7S 2D")
    assert hand.heard().rules == Counter({"result-mismatch": 1, "third-card-rule": 1})


def test_a_hand_deals_packets_and_jams_the_shuffler() -> None:
    hand = ByHand("three-card-poker")
    hand.rounds(1)
    for seat in ("seat-1", "seat-2", "seat-3", "seat-4", "seat-5", "seat-6"):
        hand.do("seats", f"line:{seat}", 0.1, level="1" if seat in ("seat-1", "seat-2") else "0")

    def deal(jam: bool) -> None:
        hand.do("rack", "line:empty", level="1")
        hand.do("shuffler", "feed", 32)
        for seat in ("seat-1", "seat-2"):
            hand.do("seats", f"line:{seat}", 1, level="1")
        hand.do("panel", "press:no-more-bets")
        for to in ("seat-1", "seat-2", "dealer"):
            hand.do("shuffler", "packet", 3, to=to)
            if jam:
                hand.do("shuffler", "jam", 5)
                hand.do("shuffler", "clear", 8)
                hand.do("panel", "press:cards-verified", 3)
                break
        hand.wait(15)
        laid = [to for to, pile in hand.live.picture()["felt"]["laid"].items() if pile]
        for to in laid:
            hand.do("felt", "lift", 1, position=to)
        hand.do("rack", "discard", 6, cards=52)
        for seat in ("seat-1", "seat-2"):
            hand.do("seats", f"line:{seat}", 1, level="0")
        hand.do("panel", "press:round-over", 2)

    deal(jam=False)
    assert hand.heard().rules == Counter()
    assert len(hand.heard().rounds) == 2
    deal(jam=True)
    assert hand.heard().rules == Counter({"shuffler-fault-during-deal": 1})


@pytest.mark.parametrize("name", ["roulette", "craps", "baccarat", "three-card-poker"])
def test_a_fault_that_is_asked_for_stands_alone(name: str) -> None:
    hand = ByHand(name)
    first, second = hand.live.faults[0], hand.live.faults[-1]
    hand.fault(first)
    hand.fault(second)
    expected = Counter(rule for each in (first, second) for rule in hand.table.plan(4, 1, [each])[0].expects)
    assert hand.heard().rules == expected


def test_hands_wait_for_the_dealer_and_nobody_disturbs_a_plan() -> None:
    hand = ByHand("roulette")
    hand.live.playing = True
    hand.wait(3)
    with pytest.raises(CannotActError, match="the dealer plays"):
        hand.do("wheel", "launch")
    hand.do("panel", "press:no-spin")  # anybody may press a key
    _, planned = live_table("roulette", rounds=3)
    for ask in (
        lambda: planned.act("panel", "press:no-spin", {}),
        lambda: planned.play_fault("same-direction-spin"),
        lambda: planned.play_rounds(1),
    ):
        with pytest.raises(CannotActError, match="planned"):
            ask()


@pytest.mark.parametrize(
    ("name", "act"), [("roulette", "launch"), ("roulette-mercury", "spin"), ("roulette-raw", "spin")]
)
def test_the_dealer_waits_until_what_a_hand_plays_is_over(name: str, act: str) -> None:
    hand = ByHand(name)
    hand.rounds(1)
    hand.do("wheel", act, 3)
    hand.live.play_rounds(1)
    hand.wait(3)
    assert not hand.live.dealing
    while hand.live.asked_rounds:
        hand.wait(0.25)
    assert (hand.live.picture()["wheel"]["ball"] or {"place": "pocket"})["place"] == "pocket"
    assert hand.live.dealing


@pytest.mark.parametrize(
    ("device", "name", "given", "says"),
    [
        ("nowhere", "launch", {}, "no such device"),
        ("wheel", "explode", {}, "no such device, or nothing named 'explode'"),
        ("wheel", "launch", {"pocket": "37"}, "pocket: '37' is no choice"),
        ("wheel", "launch", {"pocket": ["1"]}, "is no choice"),
        ("wheel", "motor", {"rpm": 31}, "rpm: '31' is not from 0 to 30"),
        ("wheel", "motor", {"rpm": True}, "is not from"),
        ("wheel", "motor", {"rpm": float("nan")}, "is not from"),
        ("wheel", "launch", {"force": 1}, "does not ask for 'force'"),
    ],
)
def test_an_act_that_cannot_be_is_refused_in_one_line(device: str, name: str, given: Any, says: str) -> None:
    _, live = live_table("roulette")
    with pytest.raises(CannotActError, match=says) as refused:
        live.act(device, name, given)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", NAMES)
def test_every_act_at_every_table_can_be_done_at_any_time(name: str) -> None:
    """Whatever hands do, time goes on, and the dealer can take over again."""
    hand = ByHand(name)
    hand.rounds(1)
    for device in hand.live.hands:
        for act in hand.live.acts(device):
            try:
                hand.do(device, act.name, 0.5)
            except CannotActError as error:
                assert str(error)  # noqa: PT017  refused with a reason is good too
            hand.live.picture()
    hand.wait(60)
    before = hand.live.rounds
    hand.rounds(2)
    assert hand.live.rounds == before + 2
    hand.live.close()


@pytest.mark.parametrize("name", NAMES)
def test_hands_and_dealer_act_in_any_order(name: str) -> None:
    """Whatever is done while something else goes on, time goes on and the wires are in order of time."""
    rng = random.Random(name)
    table, live = live_table(name)
    events: list[WireEvent] = []
    for _ in range(120):
        try:
            chosen = rng.random()
            if chosen < 0.05:
                live.let_play(not live.playing)
            elif chosen < 0.1:
                live.play_fault(rng.choice(live.faults))
            elif acts := live.acts(device := rng.choice(list(live.hands))):
                act = rng.choice(acts)
                given = {
                    ask.name: rng.choice(ask.choices) if ask.choices else rng.uniform(ask.low, ask.high)
                    for ask in act.asks
                }
                live.act(device, act.name, given)
        except CannotActError as error:
            assert "\n" not in str(error)  # noqa: PT017
        events += live.advance(live.t + int(rng.choice((0, 0.05, 1, 10, 60)) * SECOND))
        live.picture()
    hear(table, events)
