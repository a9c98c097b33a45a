"""Noise on the wire of a shoe whose frames carry a running number, whole baccarat rounds played at the wire: between
frames it hides nothing, and a frame that is lost makes no round that looks whole."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwatch.devices.protocols import angel_eye as wire
from pitwatch.sim_hw import WireEvent
from tests.sim_hw.tablerun import BenchTable, Heard, hear

ROUNDS = 6


def without_panel() -> BenchTable:
    table = BenchTable("baccarat")
    table.devices = [each for each in table.devices if each.type in ("shoe", "shuffler")]
    return table


WITH_KEYS, ALONE = BenchTable("baccarat"), without_panel()
TABLES = pytest.mark.parametrize("table", [WITH_KEYS, ALONE], ids=["with keys", "alone"])


def played(table: BenchTable, seed: int) -> list[WireEvent]:
    return list(table.events(ROUNDS, seed))


def frames_of(events: list[WireEvent]) -> list[int]:
    """Where a frame of the shoe comes, but for the one that starts it."""
    return [i for i, each in enumerate(events) if each.device == "shoe" and each.rx is not None][1:]


def noise_at(t: int, data: bytes) -> WireEvent:
    return WireEvent(t, "shoe", data, None, 0)


def outcome(heard: Heard) -> list[tuple[object, object]]:
    return [(each.cards, each.result) for each in heard.rounds]


def looks_like_a_frame(rng: random.Random) -> bytes:
    """A frame begun, a whole one with a wrong check, or one that ends in the middle."""
    whole = wire.frame(rng.choice("0123456789ABCDEF"), wire.card_data(rng.randrange(2), rng.randrange(1, 4), "8S"))
    return rng.choice([whole[: rng.randrange(1, len(whole))], whole[:-1] + b"x", whole[:-2] + whole[:5]])


def any_noise(rng: random.Random) -> bytes:
    if rng.random() < 0.5:
        return looks_like_a_frame(rng)
    return bytes(rng.randrange(256) for _ in range(rng.randint(1, 20)))


@TABLES
def test_noise_between_the_frames_leaves_every_round_whole(table: BenchTable) -> None:
    for seed in range(60):
        rng, events = random.Random(seed), played(table, seed)
        clean, frames = hear(table, events), frames_of(events)
        for i in sorted(rng.sample(range(1, len(frames)), 8)):
            between = events[frames[i - 1]].t_ns, events[frames[i]].t_ns
            events.append(noise_at(rng.randint(*between), any_noise(rng)))
        events.sort(key=lambda each: each.t_ns)
        heard = hear(table, events)
        assert heard.rules == Counter(), seed
        assert not [each for each in heard.rounds if each.partial], seed
        assert outcome(heard) == outcome(clean), seed
        assert [each for each in heard.observations if each.event == "bytes_discarded"], seed


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 40), st.integers(0, 200), st.binary(min_size=1, max_size=30))
def test_noise_right_before_any_frame_of_a_round(seed: int, which: int, noise: bytes) -> None:
    events = played(ALONE, seed)
    frames = frames_of(events)
    at = frames[which % len(frames)]
    clean = hear(ALONE, events)
    shoe = wire.Framer().feed(noise)
    events.insert(at, noise_at(events[at].t_ns, noise))
    heard = hear(ALONE, events)
    if not shoe:  # else it forged a frame, with its check
        assert outcome(heard) == outcome(clean)
        assert not [each for each in heard.rounds if each.partial]
    assert heard.rules == Counter()


def hurt(rng: random.Random, frame: bytes) -> bytes:
    """The frame with one to three bytes changed or lost, none of it left that is a frame."""
    while True:
        data = bytearray(frame)
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(data))
            if rng.random() < 0.5:
                data[at] ^= rng.randrange(1, 256)
            else:
                del data[at]
        if not wire.Framer().feed(bytes(data)):
            return bytes(data)


@TABLES
@pytest.mark.parametrize("lost", [1, 2, 3])
def test_a_frame_lost_in_noise_never_makes_a_whole_round_of_less(table: BenchTable, lost: int) -> None:
    """Every copy of some frames in a row is damaged: a round is partial, or all that it has was heard elsewhere."""
    partial = 0
    for seed in range(60):
        rng, events = random.Random(seed), played(table, seed)
        clean = outcome(hear(table, events))
        frames = frames_of(events)
        different = list(dict.fromkeys(events[i].rx for i in frames[rng.randrange(len(frames)) :][:20]))[:lost]
        first = next(i for i in frames if events[i].rx == different[0])
        for i in (i for i in frames if first <= i < first + 60 and events[i].rx in different):
            rx = events[i].rx
            assert rx is not None
            events[i] = events[i]._replace(rx=hurt(rng, rx))
        heard = hear(table, events)
        assert heard.rules == Counter(), seed
        for each in heard.rounds:
            assert each.partial or (each.cards, each.result) in clean, seed
        partial += any(each.partial for each in heard.rounds)
    assert partial > 30


def test_a_frame_that_leaves_no_trace_is_missed_by_the_next_number() -> None:
    """Nothing at all came of it; the number must have run on for a while."""
    for seed in range(60):
        rng, events = random.Random(seed), played(ALONE, seed)
        clean = outcome(hear(ALONE, events))
        gone = events[rng.choice(frames_of(events)[35:])].rx
        first = next(i for i in frames_of(events)[35:] if events[i].rx == gone)
        near = [i for i in frames_of(events) if first <= i < first + 6 and events[i].rx == gone]
        events = [each for i, each in enumerate(events) if i not in near]
        heard = hear(ALONE, events)
        assert heard.rules == Counter(), seed
        for each in heard.rounds:
            assert each.partial or (each.cards, each.result) in clean, seed
