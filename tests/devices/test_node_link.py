"""The wire of the sensor node: published vectors, and delivery over a channel that loses and spoils frames."""

from __future__ import annotations

import binascii
import contextlib
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwatch.devices.protocols import cobs, crc, node_bodies, node_link
from pitwatch.devices.protocols.node_bodies import Batch, read_batch
from pitwatch.devices.protocols.node_link import DATA, Framer, Receiver, Sender, frame, unframe
from pitwatch.hal.line import LineSpec
from tests.devices import vectors_node_link as vectors


@pytest.mark.parametrize(("name", "wrong"), [*vectors.broken((crc, cobs, node_link, node_bodies))])
def test_vectors(name, wrong):
    assert wrong is None


@given(st.binary(max_size=600))
def test_cobs_has_no_zeros_and_comes_back(data):
    coded = cobs.encode(data)
    assert b"\0" not in coded
    assert cobs.decode(coded) == data
    assert len(coded) <= len(data) + 1 + len(data) // 254


@given(st.binary(max_size=300))
def test_crc_is_that_of_an_independent_implementation(data):
    assert crc.crc16(data) == binascii.crc_hqx(data, 0xFFFF)


@given(st.binary(max_size=400))
def test_hostile_bytes_raise_nothing(data):
    cobs.decode(data)
    unframe(data)
    framer = Framer()
    framer.feed(data)
    framer.interrupt()
    assert framer.discarded <= len(data)
    for reader in (node_bodies.read_open, node_bodies.read_opened, node_bodies.read_pong):
        reader(data)
    for reader in (read_batch, node_bodies.Hello):
        with contextlib.suppress(ValueError):
            reader(data)


@given(st.lists(st.tuples(st.integers(0, 255), st.binary(max_size=node_link.LONGEST)), max_size=6), st.randoms())
def test_frames_come_whole_however_they_are_split(frames, chance):
    wire = b"".join(frame(kind, body) for kind, body in frames)
    framer = Framer()
    seen = []
    while wire:
        cut = chance.randint(1, 9)
        seen += framer.feed(wire[:cut])
        wire = wire[cut:]
    assert seen == frames
    assert framer.discarded == 0


@given(st.binary(max_size=600), st.binary(min_size=1, max_size=50))
def test_a_frame_after_any_noise_is_understood(noise, body):
    framer = Framer()
    framer.feed(noise)
    assert (DATA, body) in framer.feed(frame(DATA, body))


@given(st.binary(min_size=1, max_size=node_link.LONGEST), st.integers(0), st.integers(0, 7))
def test_one_flipped_bit_never_makes_another_frame(body, place, bit):
    wire = bytearray(frame(DATA, body))
    wire[place % len(wire)] ^= 1 << bit
    assert [one for one in Framer().feed(bytes(wire)) if one != (DATA, body)] == []


@settings(max_examples=150, deadline=None)
@given(
    bodies=st.integers(1, 120),
    loss=st.floats(0, 0.6),
    swallow=st.floats(0, 0.6),
    late=st.integers(1, 4),
    first=st.sampled_from([0, 65_500]),
    seed=st.integers(0, 2**32),
)
def test_nothing_is_lost_or_told_twice_whatever_the_channel_loses(bodies, loss, swallow, late, first, seed):
    """Frames and answers are lost by chance and come `late` rounds late; sequence numbers wrap."""
    chance = random.Random(seed)
    sender, receiver = Sender(), Receiver()
    sender._next = sender._oldest = receiver._next = first
    there: list[list[bytes]] = [[] for _ in range(late)]
    back: list[list[tuple[int, ...]]] = [[] for _ in range(late)]
    told: list[bytes] = []
    sent = rounds = 0
    while len(told) < bodies:
        rounds += 1
        assert rounds < 50_000
        t = rounds * 5_000
        flying = []
        while sent < bodies and sender.has_room():
            flying.append(sender.push(7, b"%d" % sent, t))
            sent += 1
        overdue = sender.overdue(t)
        if overdue:
            flying.append(overdue)
        there.append([one for one in flying if chance.random() >= loss])
        answers = []
        for wire in there.pop(0):
            _, body = unframe(wire[1:-1])
            told += [ready for ready in receiver.take(int.from_bytes(body[2:4], "little"), body[4:])]
            _, ack = unframe(receiver.ack(7)[1:-1])
            answers.append(node_bodies.read_numbers(ack, 3))
        back.append([one for one in answers if chance.random() >= swallow])
        for session, wanted, held in back.pop(0):
            assert session == 7
            there[-1] += [one for one in sender.acknowledged(wanted, held, t) if chance.random() >= loss]
    assert told == [b"%d" % number for number in range(bodies)]


def test_a_lost_frame_is_sent_again_at_once_when_a_later_one_has_come():
    sender, receiver = Sender(), Receiver()
    sender.push(1, b"a", 0)
    second = sender.push(1, b"b", 0)
    assert receiver.take(1, b"b") == []
    _, ack = unframe(receiver.ack(1)[1:-1])
    assert ack == bytes([1, 0, 0, 0, 1, 0])
    [again] = sender.acknowledged(0, 1, 10)
    assert again == frame(DATA, b"\1\0\0\0a")
    assert again != second
    assert sender.acknowledged(0, 1, 11) == [], "not for every answer"
    assert receiver.take(0, b"a") == [b"a", b"b"]
    assert sender.acknowledged(2, 0, 12) == []
    assert sender.overdue(10_000_000) is None


def test_a_stale_answer_changes_nothing():
    sender = Sender()
    for _ in range(3):
        sender.push(1, b"x", 0)
    assert sender.acknowledged(3, 0, 1) == []
    sender.push(1, b"y", 2)
    assert sender.acknowledged(1, 0, 3) == []
    assert sender.overdue(10_000_000) is not None, "the last one is still wanted"


@given(
    st.lists(st.tuples(st.integers(0, 29), st.integers(0, 1), st.integers(0, 2**33)), min_size=1, max_size=20),
    st.integers(0, 2**45),
    st.integers(0, 10**6),
)
def test_a_batch_carries_edges_exactly(steps, start, rest):
    batch = Batch()
    t, want = start, []
    for line, level, gap in steps:
        t += gap if want else 0
        want.append((line, level, t))
        batch.edge(line, level, t)
    complete = min(t + rest, start + 0xFFFFFFFF)
    got_complete, got = read_batch(batch.take(complete))
    assert got == want
    assert got_complete == max(complete, start)


def test_lines_and_who_the_node_is_go_over():
    specs = [LineSpec("a", "node", 2, True, "pull-up", 500), LineSpec("b", "node", 29, False, "as-is", 10_000_000)]
    body = node_bodies.open_body(65_535, specs)
    assert node_bodies.read_open(body) == (65_535, [(2, True, "pull-up", 500), (29, False, "as-is", 10_000_000)])
    with pytest.raises(ValueError, match="31 lines on one node; 30 are possible"):
        node_bodies.open_body(1, specs[:1] * 31)
    assert len(node_bodies.open_body(1, specs[:1] * 30)) <= node_link.LONGEST
    hello = node_bodies.Hello(node_bodies.hello_body(2**32 - 1, 7, "watchdog", ["1.0.0", "1.22.0", "rp2", "e660"]))
    assert (hello.boot, hello.session, hello.cause) == (2**32 - 1, 7, "watchdog")
    assert (hello.firmware, hello.micropython, hello.board, hello.unique_id) == ("1.0.0", "1.22.0", "rp2", "e660")
    opened = node_bodies.opened_body(7, 9, 2**40, 5, "line 40: no such pin")
    assert node_bodies.read_opened(opened) == (7, 9, 2**40, 5, "line 40: no such pin")


@pytest.mark.parametrize(
    ("count", "good"), [(0, False), (1, True), (node_bodies.LINES, True), (node_bodies.LINES + 1, False)]
)
def test_a_session_has_lines_that_a_node_can_have(count, good):
    body = bytes([7, 0, count]) + bytes(6) * count
    assert (node_bodies.read_open(body) is not None) == good


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("MemoryError: 12 → 4 K", "MemoryError: 12 → 4 K"),
        ("a\nb\r\x1b[2J\x7f\x85\u2028c", "a b  [2J   c"),
    ],
)
def test_what_a_node_says_is_one_line(said, told):
    assert node_bodies.text(said.encode()) == told
    hello = node_bodies.Hello(node_bodies.hello_body(7, 0, "power", [said.replace("\n", " ")]))
    assert hello.firmware == told
    assert node_bodies.read_opened(node_bodies.opened_body(1, 7, 5, 0, said))[4] == told
