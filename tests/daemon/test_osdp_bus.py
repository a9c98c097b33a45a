"""Key-card readers on an OSDP bus, played by libosdp's peripheral devices on a pseudo-terminal: another's reading of
the standard, which neither lets a wrong packet pass nor a wrong key."""

from __future__ import annotations

import os

import pytest

from pitwatch.devices import osdp_panel
from pitwatch.devices.osdp_panel import Heard, Panel
from pitwatch.devices.protocols import osdp as wire
from pitwatch.devices.protocols import wiegand

pytest.importorskip("osdp", reason="libosdp is not installed")

from tests.daemon.osdp_readers import Bus, Listener

KEY = bytes(range(0x10, 0x20))


@pytest.fixture
async def bus():
    bus = Bus()
    yield bus
    await bus.close()


@pytest.fixture
def key_file(tmp_path):
    path = tmp_path / "keys.scbk"
    path.write_text(KEY.hex() + "\n")
    return path


CARDS = [(12, 34567, 26), (4660, 22136, 34), (1, 400000, 37)]
CREDENTIALS = ["12:34567", "4660:22136", "1:400000"]


@pytest.mark.parametrize("secure", [False, True])
async def test_cards_of_each_length(bus, key_file, secure):
    bus.add(5, KEY if secure else None)
    reader = bus.listen(5, key_file if secure else "").start()
    await bus.until(lambda: reader.online, 5)
    assert bus.readers[5].is_sc_active() is secure
    assert reader.link.identity["serial"] == 0xDEADBEAF
    for card in CARDS:
        bus.present(5, *card)
    await bus.until(lambda: len(reader.cards) == 3, 5)
    assert reader.cards == CREDENTIALS
    assert reader.states == [(True, "")]
    # Over the secure channel nobody reads a card off the wires.
    assert (wire.raw_data(wiegand.bits(*CARDS[0])) in bus.said) is not secure


async def test_a_reader_with_the_default_key(bus, tmp_path):
    (tmp_path / "default").write_text(wire.SCBK_D.hex())
    bus.add(0, wire.SCBK_D)
    reader = bus.listen(0, tmp_path / "default").start()
    await bus.until(lambda: reader.states, 5)
    assert reader.online is bus.readers[0].is_sc_active()


async def test_a_reader_that_is_exchanged_in_a_moment_is_found_by_asking_who_it_is(bus, monkeypatch):
    """It goes on answering in the other's place; only its serial number is another."""
    monkeypatch.setattr(osdp_panel, "ROLL_CALL", 300 * osdp_panel.MS)
    bus.add(5, serial=1001)
    reader = bus.listen(5).start()
    await bus.until(lambda: reader.online, 5)
    await bus.wait(1)
    assert reader.states == [(True, "")], "the same one, asked several times"
    exchanged = (False, f"{bus.path}: another reader answers at address 5; find out who exchanged it")
    bus.add(5, serial=1001)
    await bus.until(lambda: len(reader.states) == 3, 5)
    assert "the reader at address 5 began anew" in reader.states[1][1]
    await bus.wait(1)
    assert exchanged not in reader.states, "the same one, switched off and on"
    bus.add(5, serial=1002)
    await bus.until(lambda: exchanged in reader.states and reader.online, 5)
    assert reader.link.identity["serial"] == 1002


async def test_a_reader_that_holds_another_key_is_not_heard(bus, key_file):
    bus.add(5, bytes(16))
    reader = bus.listen(5, key_file).start()
    await bus.until(lambda: reader.states, 5)
    expected = (
        f"{bus.path}: the reader at address 5 holds another key; write the key that the reader holds into key_file"
    )
    assert not reader.online
    assert reader.states[0][1].startswith(expected)
    bus.present(5, *CARDS[0])
    await bus.wait(1.3)
    assert reader.cards == []
    assert len(reader.states) == 1


async def test_a_reader_that_wants_a_secure_channel_is_told_so(bus):
    bus.add(5, KEY)
    reader = bus.listen(5).start()
    await bus.until(lambda: reader.states, 5)
    assert not reader.online
    assert "it wants a secure channel: give key_file" in reader.states[0][1]


async def test_a_reader_without_power_is_told_and_found_when_it_has_it(bus, key_file):
    bus.add(5, KEY)
    bus.powered.clear()
    reader = bus.listen(5, key_file).start()
    await bus.until(lambda: reader.states, 5)
    assert reader.states == [
        (
            False,
            f"{bus.path}: no answer at address 5; see that the reader has power, that A and B are not exchanged, "
            "and that its speed and address are right",
        )
    ]
    bus.powered.add(5)
    await bus.until(lambda: reader.online, 5)
    bus.present(5, *CARDS[0])
    await bus.until(lambda: reader.cards, 5)
    bus.powered.clear()
    await bus.until(lambda: not reader.online, 5)
    bus.powered.add(5)
    await bus.until(lambda: reader.online, 5)
    bus.present(5, *CARDS[1])
    await bus.until(lambda: len(reader.cards) == 2, 5)
    assert reader.cards == CREDENTIALS[:2]
    assert [online for online, _ in reader.states] == [False, True, False, True]


async def test_two_readers_on_one_bus_and_one_of_them_dead(bus, key_file):
    bus.add(1, KEY)
    bus.add(2)
    bus.add(3)
    bus.powered.remove(3)
    first, second, dead = (bus.listen(n, key_file if n == 1 else "") for n in (1, 2, 3))
    for reader in (first, second, dead):
        reader.start()
    await bus.until(lambda: first.online and second.online and dead.states, 5)
    for card in CARDS:
        bus.present(1, *card)
        bus.present(2, *card)
    await bus.until(lambda: len(first.cards) == len(second.cards) == 3, 10)
    assert first.cards == second.cards == CREDENTIALS
    assert first.states == second.states == [(True, "")]
    assert not dead.online
    first.link.stop()
    bus.present(2, *CARDS[0])
    await bus.until(lambda: len(second.cards) == 4, 5)
    assert first.cards == CREDENTIALS


@pytest.mark.parametrize(
    "damage", [lambda data: b"", lambda data: data[:-3], lambda data: data[:9] + bytes((data[9] ^ 255,)) + data[10:]]
)
async def test_a_card_lost_on_the_cable_is_told_as_such(bus, key_file, damage):
    """libosdp's reader does not say again over the secure channel what got lost, as the standard would have it."""
    bus.add(5, KEY)
    spoilt = []

    def spoil(data):
        (packet,) = wire.Framer().feed(data)
        if packet.code != wire.RAW or spoilt:
            return data
        spoilt.append(data)
        return damage(data)

    bus.spoil = spoil
    reader = bus.listen(5, key_file).start()
    await bus.until(lambda: reader.online, 20)
    bus.present(5, *CARDS[0])
    await bus.until(lambda: len(reader.states) == 3, 20)
    assert damage(spoilt[0]) != spoilt[0]
    assert [online for online, _ in reader.states] == [True, False, True]
    assert "began anew, and what it said last may be lost; see to its cable" in reader.states[1][1]
    bus.present(5, *CARDS[1])
    await bus.until(lambda: reader.cards, 20)
    assert reader.cards == CREDENTIALS[1:2]


def test_a_question_whose_answer_is_lost_is_asked_again_to_the_letter():
    """So that a reader that keeps to the standard says again what it said, and no card is lost."""
    told = Told()
    panel = Panel({1: b""}, told, lambda key: None, os.urandom, 9600)
    panel.connected(0)
    t, answers = 0, [(wire.PDID, bytes(12)), (wire.LSTATR, bytes(2)), (wire.RAW, bytes(4))]
    asked = []
    for code, data in answers:
        while not (out := panel.take_output()):
            t = panel.deadline
            panel.tick(t)
        asked.append(out)
        if code == wire.RAW:  # its first saying is lost
            t = panel.deadline
            panel.tick(t)
            assert panel.take_output() == out
        (question,) = wire.Framer().feed(out)
        panel.feed(wire.encode(0x81, question.sequence, code, data), t + 1_000_000)
    assert told.events == ["up", "said", "said"]
    assert len(set(asked)) == 3


async def test_a_card_slipped_in_without_the_key_is_not_heard(bus, key_file):
    bus.add(5, KEY)
    reader = bus.listen(5, key_file).start()
    await bus.until(lambda: reader.online, 5)

    def forge(data):
        (packet,) = wire.Framer().feed(data)
        forged = wire.encode(0x85, packet.sequence, wire.RAW, wire.raw_data(wiegand.bits(*CARDS[0])))
        return forged if packet.mac else data

    bus.spoil = forge
    await bus.until(lambda: not reader.online, 5)
    assert "sent a reply that is not sealed with its key" in reader.states[-1][1]
    assert reader.cards == []
    bus.spoil = lambda data: data
    await bus.until(lambda: reader.online, 5)


async def test_a_port_that_is_not_there(bus):
    link = bus.hardware.link("osdp:serial:/dev/no-such-port?address=1", "keys")
    reader = Listener(link, 1).start()
    assert reader.states[0][1].startswith("/dev/no-such-port: no such port; ")
    link.stop()


@pytest.mark.parametrize(
    ("urls", "told"),
    [
        (["?address=1", "?address=1"], "address=1 on {} is another reader's already"),
        (["?address=1", "?address=2&baud=19200"], "another reader on {} has other settings"),
        (["?key_file=/no/such/file"], "key_file /no/such/file: cannot be read"),
        (["?key_file=/dev/null"], "key_file /dev/null: holds no key; 32 hexadecimal digits are right"),
    ],
)
async def test_what_cannot_be_is_one_line_that_names_the_device(bus, urls, told):
    *good, bad = urls
    for url in good:
        bus.hardware.link(f"osdp:serial:{bus.path}{url}", "other")
    with pytest.raises(ValueError, match=r"^keys: ") as caught:
        bus.hardware.link(f"osdp:serial:{bus.path}{bad}", "keys")
    assert told.format(bus.path) in str(caught.value)
    assert KEY.hex() not in str(caught.value)


class Told(Heard):
    def __init__(self):
        self.events = []

    def reader_up(self, address, t):
        self.events.append("up")

    def reader_said(self, address, packet, t):
        self.events.append("said")

    def reader_down(self, address, reason, fix, t):
        self.events.append(reason)


def test_a_reader_that_is_busy_or_begins_anew_is_asked_again_with_patience():
    """By hand, in virtual time: what libosdp's reader does not do."""
    told = Told()
    panel = Panel({1: b""}, told, lambda key: None, os.urandom, 9600)
    panel.connected(0)
    t = 0

    def answer(code, data=b"", sequence=None):
        nonlocal t
        (asked,) = wire.Framer().feed(panel.take_output())
        t += 10_000_000
        panel.feed(wire.encode(0x81, asked.sequence if sequence is None else sequence, code, data), t)
        while not panel._out:
            assert panel.deadline is not None
            t = max(t, panel.deadline)
            panel.tick(t)
        return asked.code, asked.sequence

    assert answer(wire.BUSY, sequence=0) == (wire.ID, 0)
    assert answer(wire.PDID, bytes(12)) == (wire.ID, 0)
    assert answer(wire.NAK, b"\x03") == (wire.LSTAT, 1)
    assert answer(wire.ACK) == (wire.POLL, 2)
    assert answer(wire.BUSY, sequence=0) == (wire.POLL, 3)
    assert answer(wire.ACK) == (wire.POLL, 3)
    assert answer(wire.NAK, b"\x04") == (wire.POLL, 1)
    assert answer(wire.PDID, bytes(12)) == (wire.ID, 0)
    began_anew = "the reader at address 1 began anew, and what it said last may be lost"
    assert told.events == ["up", began_anew]


@pytest.mark.parametrize("secure", [False, True])
async def test_a_reader_that_was_restarted_is_set_up_again_at_once(bus, key_file, secure):
    """libosdp's reader is made anew; on its cable the restarted one counts from 0, as some readers do."""
    bus.add(5, KEY if secure else None)
    reader = bus.listen(5, key_file if secure else "").start()
    await bus.until(lambda: reader.online, 5)
    questions = []

    def counts_from_0(data):
        (packet,) = wire.Framer().feed(data)
        questions.append(packet.sequence)
        if len(questions) == 1 and packet.sequence:
            return wire.encode(0x85, 0, wire.NAK, b"\x04")
        return data

    bus.add(5, KEY if secure else None)
    bus.spoil = counts_from_0
    await bus.until(lambda: len(reader.states) == 3, 5)
    assert [online for online, _ in reader.states] == [True, False, True]
    assert "the reader at address 5 began anew" in reader.states[1][1]
    bus.present(5, *CARDS[0])
    await bus.until(lambda: reader.cards, 5)
    assert reader.cards == CREDENTIALS[:1]
    assert len(reader.states) == 3


def _set_up(told):
    """A panel whose one reader is up, its open question, and the time of both."""
    panel = Panel({1: b""}, told, lambda key: None, os.urandom, 9600)
    panel.connected(0)
    t = 0
    for code, data in ((wire.PDID, bytes(12)), (wire.LSTATR, bytes(2))):
        (asked,) = wire.Framer().feed(panel.take_output())
        panel.feed(wire.encode(0x81, asked.sequence, code, data), t + 1_000_000)
        while not panel._out:
            t = panel.deadline
            panel.tick(t)
    (asked,) = wire.Framer().feed(panel.take_output())
    return panel, asked, t


@pytest.mark.parametrize(("sequence", "code", "data"), [(0, wire.ACK, b""), (3, wire.NAK, b"\x04")])
def test_a_reader_that_answers_with_the_count_of_a_restart_has_begun_anew(sequence, code, data):
    told = Told()
    panel, asked, t = _set_up(told)
    assert asked.sequence == 2
    panel.feed(wire.encode(0x81, sequence, code, data), t + 1_000_000)
    assert told.events[-1] == "the reader at address 1 began anew, and what it said last may be lost"
    assert panel.deadline <= t + 200_000_000
    panel.tick(t + 200_000_000)
    (again,) = wire.Framer().feed(panel.take_output())
    assert (again.code, again.sequence) == (wire.ID, 0)


def test_a_reader_that_counts_wrong_is_not_told_as_silent():
    told = Told()
    panel, asked, t = _set_up(told)
    late = wire.encode(0x81, 1, wire.ACK)
    panel.feed(late, t + 1_000_000)
    panel.feed(wire.encode(0x81, asked.sequence, wire.ACK), t + 2_000_000)
    assert told.events == ["up", "said"], "one late answer is nothing"
    while told.events[-1] == "said":
        t = panel.deadline
        panel.tick(t)
        if panel.take_output():
            panel.feed(late, t + 1_000_000)
    assert told.events[-1] == "the reader at address 1 answers, but with wrong sequence numbers"


@pytest.mark.parametrize("up", [True, False])
def test_a_reader_that_is_busy_for_ever_is_told(up):
    told = Told()
    panel = Panel({1: b""}, told, lambda key: None, os.urandom, 9600)
    panel.connected(0)
    t, good = 0, [(wire.PDID, bytes(12)), (wire.LSTATR, bytes(2))] if up else []
    busy = "the reader at address 1 does nothing but say that it is busy"
    while t < 30_000_000_000 and busy not in told.events:
        for asked in wire.Framer().feed(panel.take_output()):
            code, data = good.pop(0) if good else (wire.BUSY, b"")
            t += 10_000_000
            panel.feed(wire.encode(0x81, 0 if code == wire.BUSY else asked.sequence, code, data), t)
        assert panel.deadline is not None
        t = max(t, panel.deadline)
        panel.tick(t)
    assert told.events == (["up", "said", busy] if up else [busy])
    assert 5_000_000_000 < t < 7_000_000_000


def test_echoes_late_answers_and_other_readers_are_not_answers():
    told = Told()
    panel = Panel({1: b""}, told, lambda key: None, os.urandom, 9600)
    panel.connected(0)
    asked = panel.take_output()
    panel.feed(asked, 1_000_000)
    for wrong in (wire.encode(0x82, 0, wire.PDID, bytes(12)), wire.encode(0x81, 2, wire.PDID, bytes(12))):
        panel.feed(wrong, 2_000_000)
    assert panel.take_output() == b""
    panel.feed(wire.encode(0x81, 0, wire.PDID, bytes(12)), 3_000_000)
    panel.tick(10_000_000)
    assert panel.take_output() != b""
