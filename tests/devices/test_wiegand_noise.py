"""Noise on the lines of a Wiegand reader makes no credential; every card at every published timing is read, and so is
the one after the noise."""

import random

import pytest

from pitwatch.devices.protocols import wiegand
from pitwatch.devices.protocols.pulse_timing import EXACT, IN_A_THREAD
from pitwatch.devices.wiegand_reader import WiegandReader

US, MS = 1_000, 1_000_000
BURSTS = 20_000
PUBLISHED = [(width, apart) for width in (20, 50, 100, 200) for apart in (200, 250, 500, 1000, 2000, 5000, 20_000)
             if apart > width]  # fmt: skip


def play(reader, pulses):
    """Pulses of (begin, width, bit); the observations, deadlines kept, and when the last was over."""
    edges = [(t, 1, bit) for t, _, bit in pulses] + [(t + width, 0, bit) for t, width, bit in pulses]
    seen = []
    for t, level, bit in sorted(edges):
        seen += settle(reader, t)
        seen += reader.edge("d1" if bit else "d0", level, t)
    end = max(t for t, _, _ in edges)
    return seen + settle(reader, end + 30 * MS), end + 30 * MS


def settle(reader, t):
    seen = []
    while reader.deadline is not None and reader.deadline <= t:
        seen += reader.tick(reader.deadline)
    return seen


def card(rng, t, width, apart, jitter=0, spikes=0):
    length = rng.choice(wiegand.LENGTHS)
    facility = rng.randrange(1 << wiegand.FACILITY_BITS[length])
    number = rng.randrange(1 << wiegand.CARD_BITS[length])
    late = [rng.randint(0, jitter) for _ in range(length)]
    for i in rng.sample(range(length), spikes):
        late[i] = apart * 7 // 10
    bits = wiegand.bits(facility, number, length)
    return f"{facility}:{number}", [(t + i * apart + late[i], width, bit) for i, bit in enumerate(bits)]


def credentials(seen):
    return [o.data["credential"] for o in seen if o.event == "credential_presented"]


PACES = (400, 1000, 3000, 10_000, 24_000)


def any_burst(rng, t, paces=PACES):
    """Pulses of any number, length and spacing; every other burst has the number of bits of a card."""
    count = rng.choice(wiegand.LENGTHS) if rng.random() < 0.5 else rng.randint(1, 60)
    longest = rng.choice(paces) * US
    shape = rng.choice(("even", "exponential"))
    legal = rng.random() < 0.7
    pulses = []
    for _ in range(count):
        width = rng.randint(20, 200) * US if legal else int(10 ** rng.uniform(3, 6.5))
        pulses.append((t, width, rng.randrange(2)))
        gap = rng.randint(200 * US, longest) if shape == "even" else int(rng.expovariate(3 / longest)) + 1
        t += max(gap, width + 1 * US)
    return pulses


def bursts(number, seed, timing=EXACT, paces=PACES):
    """How many credentials came of so many bursts, and of how many of the cards between them."""
    rng, reader, t = random.Random(seed), WiegandReader("keys", {"timing": timing}), 0
    false = 0
    for i in range(number):
        seen, t = play(reader, any_burst(rng, t, paces))
        false += len(credentials(seen))
        if i % 20 == 0:
            wanted, pulses = card(rng, t, 50 * US, 2 * MS)
            seen, t = play(reader, pulses)
            assert credentials(seen) == [wanted]
    return false


def test_bursts_of_noise_are_no_cards_and_the_next_card_is_read():
    assert bursts(BURSTS, seed=1) <= 1


def test_slow_noise_is_no_card_either_where_a_thread_stamps_the_edges():
    assert bursts(2000, seed=2, timing=IN_A_THREAD, paces=(24_000,)) < 20


@pytest.mark.parametrize(("width", "apart"), PUBLISHED)
def test_every_published_timing_is_a_card(width, apart):
    rng, reader, t = random.Random(width + apart), WiegandReader("keys"), 0
    for _ in range(50):
        wanted, pulses = card(rng, t, width * US, apart * US, jitter=min(40, (apart - width) // 3) * US)
        seen, t = play(reader, pulses)
        assert credentials(seen) == [wanted]
        assert len(seen) == 1


@pytest.mark.parametrize("spikes", [1, 2, 3])
def test_a_stamp_that_is_late_now_and_then_loses_no_card(spikes):
    rng, reader, t = random.Random(spikes), WiegandReader("keys"), 0
    for _ in range(300):
        wanted, pulses = card(rng, t, 50 * US, 2 * MS, jitter=20 * US, spikes=spikes)
        seen, t = play(reader, pulses)
        assert credentials(seen) == [wanted]


def test_edges_stamped_in_a_thread_up_to_ten_ms_late_are_a_card_there():
    rng, reader, t = random.Random(4), WiegandReader("keys", {"timing": IN_A_THREAD}), 0
    for _ in range(300):
        wanted, pulses = card(rng, t, 50 * US, 2 * MS)
        edges, busy = [], 0
        for at, width, bit in pulses:
            busy = max(busy, at + (rng.randint(1, 6) * MS if rng.random() < 0.05 else 100 * US))
            edges += [(busy, 1, bit), (max(busy, at + width) + 10 * US, 0, bit)]
            busy += 20 * US
        seen = []
        for at, level, bit in edges:
            seen += settle(reader, at)
            seen += reader.edge("d1" if bit else "d0", level, at)
        t = edges[-1][0] + 30 * MS
        assert credentials(seen + settle(reader, t)) == [wanted]


@pytest.mark.parametrize(
    ("width", "apart"),
    [(50 * US, 100 * US), (50 * US, 23 * MS), (2 * US, 2 * MS), (600 * US, 2 * MS), (2 * MS, 5 * MS)],
    ids=["too near", "too far", "too short", "too long", "much too long"],
)
def test_pulses_outside_the_timing_are_told_as_such(width, apart):
    _, pulses = card(random.Random(1), 0, width, apart)
    seen, _ = play(WiegandReader("keys"), pulses)
    assert [o.event for o in seen] == ["device_fault", "device_recovered"]
    assert seen[0].data["reason"] == "irregular_pulses"
    assert seen[0].data["bits"] == len(pulses)


def test_a_pulse_of_noise_that_stands_for_a_lost_bit_makes_no_card():
    for missing in range(1, 25):
        for bit in (0, 1):
            _, pulses = card(random.Random(3), 0, 50 * US, 2 * MS)
            lost = pulses.pop(missing)
            pulses.append((pulses[-1][0] + 500 * US, 50 * US, bit))
            seen, _ = play(WiegandReader("keys"), pulses)
            assert credentials(seen) == [], lost
