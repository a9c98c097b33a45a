"""Key-card readers at their real timing, 50 us pulses 2 ms apart, on lines of the kernel, by either back end."""

from __future__ import annotations

from itertools import pairwise

import pytest

from pitwatch.devices.protocols import wiegand
from pitwatch.devices.wiegand_reader import WiegandReader
from pitwatch.hal.factory import Factory
from pitwatch.hal.line import LineSpec
from tests.hal.rigs import RealTime
from tests.kernel.guest.play import Player
from tests.kernel.guest.rigs import LABEL
from tests.kernel.guest.sim_chip import HeaderChip

D0, D1 = 14, 15
PULSE_NS = 50_000
PITCH_NS = 2_000_000
TORN_NS = 10_000_000
LATE_NS, LATE_STAMPS = 150_000, 2
"""Later than the others by so much, and more than so many of them, kernel stamps are no longer those of a board."""


def swipe(bits, begin=0):
    """Both wires rest high; a pulse on one of them is a bit."""
    moves = []
    for i, bit in enumerate(bits):
        t = begin + i * PITCH_NS
        moves += [(t, D1 if bit else D0, 0), (t + PULSE_NS, D1 if bit else D0, 1)]
    return moves


class Reader(RealTime):
    """A key reader as the daemon runs it: edges in, ticks at its deadline."""

    def __init__(self, link):
        super().__init__()
        self.link = link
        self.chip = HeaderChip()
        for line in (D0, D1):
            self.chip.wire(line, 1)
        self.online = False
        self._reset()
        specs = [LineSpec(name, LABEL, line, True, "pull-up") for name, line in (("d0", D0), ("d1", D1))]
        self.bank = Factory(self.clock).lines(link, specs, "keys")
        self.bank.start(self._edge, lambda count, t: self.seen.append(("lost", count)), self._state)

    def _reset(self):
        self.device = WiegandReader("keys", {"timing": "exact" if self.link == "wiegand:" else "late"})
        self.seen = []
        self.edges = []

    def _state(self, online, reason):
        self.online = online

    def _edge(self, line, level, t):
        self.edges.append((line, level, t))
        self._take(self.device.edge(line, level, t))

    def _take(self, observations):
        self.seen += [(each.event, each.data) for each in observations]
        if self.device.deadline is not None:
            self.clock.call_at(self.device.deadline, self._tick)

    def _tick(self):
        due = self.device.deadline
        if due is not None and self.clock.now() >= due:
            self._take(self.device.tick(due))

    async def play(self, moves):
        """When the wires moved. Played again if the machine, busy with other things, tore it for 10 ms."""
        moves = sorted(moves)
        for _ in range(10):
            self._reset()
            player = Player(self.chip.lines, moves)
            player.go()
            await self.until(lambda player=player: player.done, 10)
            moved = player.moved()
            await self.wait(0.15)
            if not self._torn(moves, moved):
                return moved
        pytest.skip("the machine is too busy to play or hear a swipe without a pause")

    def _torn(self, moves, moved):
        late = [at - t for (t, _, _), at in zip(moves, moved, strict=True)]
        pauses = [after - before for before, after in pairwise(late)]
        if len(self.edges) == len(moved):
            pauses += [t - at for (_, _, t), at in zip(self.edges, moved, strict=True)]
            if self.link == "wiegand:":
                stamps = [t - at for (_, _, t), (at, _, _) in zip(self.edges, moves, strict=True)]
                middle = sorted(stamps)[len(stamps) // 2]
                if sum(abs(each - middle) > LATE_NS for each in stamps) > LATE_STAMPS:
                    return True
        elif self.link != "wiegand:":
            return True  # lgpio's thread was late by more edges than the kernel keeps for it
        return max(pauses) > TORN_NS


@pytest.fixture(params=["wiegand:", "wiegand:RPi.GPIO"])
async def reader(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    reader = Reader(request.param)
    await reader.until(lambda: reader.online, 2)
    yield reader
    reader.bank.stop()


@pytest.mark.parametrize(
    ("facility", "card", "length"), [(12, 34567, 26), (255, 0, 26), (0, 1, 26), (4097, 65535, 34), (1, 400000, 37)]
)
async def test_a_swipe_is_read(reader, facility, card, length):
    await reader.play(swipe(wiegand.bits(facility, card, length)))
    assert reader.seen == [("credential_presented", {"credential": f"{facility}:{card}", "bits": length})]
    assert len(reader.edges) == 2 * length


async def test_the_kernel_s_stamps_show_the_pulses_as_they_were(reader):
    if reader.link != "wiegand:":
        pytest.skip("RPi.GPIO tells no time of an edge")
    moved = await reader.play(swipe(wiegand.bits(12, 34567, 26)))
    late = sorted(t - at for (_, _, t), at in zip(reader.edges, moved, strict=True))
    assert late[0] >= 0
    assert late[len(late) // 2] < 500_000
    widths = sorted(off - on for (_, _, on), (_, _, off) in zip(reader.edges[::2], reader.edges[1::2], strict=True))
    assert PULSE_NS * 0.9 < widths[len(widths) // 2] < 4 * PULSE_NS


async def test_swipes_one_after_another_are_all_read(reader):
    cards = [(12, 34567), (12, 34568), (99, 1)]
    moves = []
    for i, (facility, card) in enumerate(cards):
        moves += swipe(wiegand.bits(facility, card, 26), i * 150_000_000)
    await reader.play(moves)
    assert [data["credential"] for event, data in reader.seen] == [f"{f}:{c}" for f, c in cards]


@pytest.mark.parametrize("missing", [0, 13, 25])
async def test_a_missing_bit_is_told_and_no_card_is_made_of_it(reader, missing):
    bits = wiegand.bits(12, 34567, 26)
    await reader.play(swipe(bits[:missing] + bits[missing + 1 :]))
    assert [(event, data["reason"]) for event, data in reader.seen[:1]] == [("device_fault", "bad_length")]
    assert "credential_presented" not in [event for event, _ in reader.seen]


async def test_two_cards_at_once_are_no_card(reader):
    moves = swipe(wiegand.bits(12, 34567, 26)) + swipe(wiegand.bits(99, 1, 26), PITCH_NS // 2)
    await reader.play(moves)
    assert [(event, data["reason"]) for event, data in reader.seen[:1]] == [("device_fault", "bad_length")]
    assert "credential_presented" not in [event for event, _ in reader.seen]


async def test_a_pulse_of_noise_alone_opens_nothing(reader):
    noise = [(0, D1, 0), (5_000, D1, 1)]
    await reader.play(noise)
    assert "credential_presented" not in [event for event, _ in reader.seen]
    await reader.play(noise + swipe(wiegand.bits(12, 34567, 26), 100_000_000))
    assert ("credential_presented", {"credential": "12:34567", "bits": 26}) in reader.seen
