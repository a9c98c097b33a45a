"""The Angel Eye wire format and the shoe behind it: golden and hostile vectors, every split, every loss."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwatch.devices.angel_eye_shoe import AngelEyeShoe
from pitwatch.devices.protocols import angel_eye as wire
from tests.devices.vectors_angel_eye import CASES, GOLDEN, framed, mismatch, run, unhex

CARDS = [rank + suit for rank in "A23456789TJQK" for suit in "CDHS"]
DATA = st.one_of(
    st.sampled_from([b"S", b"P", b"C", b"L\x81", b"M010042"]),
    st.builds(wire.card_data, st.sampled_from([0, 1, 2, 4]), st.integers(0, 10), st.sampled_from(CARDS)),
    st.builds(
        wire.result_data, st.sampled_from(["player", "tie", "banker"]), st.sampled_from(list(wire.PAIRS.values()))
    ),
    st.builds(wire.error_data, st.sampled_from(sorted(wire.ERRORS.values())), st.booleans(), st.booleans()),
)
FRAMES = st.builds(wire.frame, st.sampled_from("123456789ABCDEF"), DATA)
NOISE = st.binary(max_size=20).map(lambda noise: bytes(byte for byte in noise if byte not in (0x05, 0x06, 0x15)))


def plain(frames):
    return [(f.seq, f.command, f.payload) for f in frames]


@pytest.mark.parametrize(("text", "command", "events"), GOLDEN)
def test_golden_frames(text, command, events):
    assert mismatch(AngelEyeShoe, [(0, unhex(text))], events) is None
    (frame,) = wire.Framer().feed(unhex(text))
    assert frame.command == command
    assert wire.frame(frame.seq, command.encode() + frame.payload) == unhex(text)


@pytest.mark.parametrize(("name", "pieces", "want"), CASES, ids=[case[0] for case in CASES])
def test_cases(name, pieces, want):
    assert mismatch(AngelEyeShoe, pieces, want) is None


@pytest.mark.parametrize("card", CARDS)
def test_every_card_there_and_back(card):
    seen = run(AngelEyeShoe("shoe"), [(0, wire.frame("1", wire.card_data(1, 3, card)))])
    assert [o.data for o in seen] == [{"card": card, "to": "banker", "index": 3}]


@given(st.lists(FRAMES, max_size=6), st.data())
def test_splits_and_noise_between_frames_change_nothing(frames, data):
    stream, noise = b"", 0
    for frame in frames:
        junk = data.draw(NOISE)
        noise += len(junk)
        stream += junk + frame
    framer, got = wire.Framer(), []
    while stream:
        n = data.draw(st.integers(1, len(stream)))
        got += framer.feed(stream[:n])
        stream = stream[n:]
    assert plain(got) == [one for frame in frames for one in plain(wire.Framer().feed(frame))]
    assert framer.take_discarded() == noise


@given(FRAMES, FRAMES, st.data())
def test_lost_and_damaged_bytes_never_take_the_next_good_frame(first, second, data):
    hurt = bytearray(first)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, max(len(hurt) - 1, 0)))
        if data.draw(st.booleans()):
            del hurt[at : at + 1]
        elif hurt:
            hurt[at] ^= data.draw(st.integers(1, 255))
    got = plain(wire.Framer().feed(bytes(hurt) + second))
    assert got[-1:] == plain(wire.Framer().feed(second))


@given(st.lists(FRAMES, min_size=1, max_size=8))
def test_each_frame_three_times_gives_each_once(frames):
    once, thrice = wire.Repeats(), wire.Repeats()
    decoded = wire.Framer().feed(b"".join(frames))
    tripled = wire.Framer().feed(b"".join(frame * 3 for frame in frames))
    kept = plain(f for f in decoded if not once.is_repeat(f, 0))
    assert plain(f for f in tripled if not thrice.is_repeat(f, 0)) == kept


@given(st.lists(st.one_of(st.binary(max_size=40), FRAMES, DATA.map(lambda data: framed("1", data))), max_size=12))
def test_nothing_hostile_raises_and_every_byte_is_accounted_for(chunks):
    device = AngelEyeShoe("shoe")
    for i, chunk in enumerate(chunks):
        device.feed(chunk, i * 100_000_000)
    framer = wire.Framer()
    frames = [frame for chunk in chunks for frame in framer.feed(chunk)]
    framer.interrupt()
    answers = sum(map(len, chunks)) - framer.take_discarded() - sum(len(f.payload) + 6 for f in frames)
    assert answers >= 0  # ACKs and NAKs, let pass
    assert answers <= sum(chunk.count(b"\x06") + 2 * chunk.count(b"\x15") for chunk in chunks)


def test_halves_on_both_sides_of_a_lost_link_are_not_joined():
    device = AngelEyeShoe("shoe")
    frame = wire.frame("3", wire.card_data(0, 1, "8S"))
    device.feed(frame[:4], 0)
    device.interrupted(1)
    assert [o.event for o in run(device, [(1, frame[4:]), (9, b"")])] == ["bytes_discarded"]
