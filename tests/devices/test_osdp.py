"""OSDP: the standard's published examples, packets in any split, cards. The panel: tests/daemon/test_osdp_bus.py."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwatch.daemon.wiring.osdp_bus import Ecb
from pitwatch.devices.osdp_reader import OsdpReader
from pitwatch.devices.protocols import osdp, wiegand
from pitwatch.devices.protocols.crc import crc16
from tests.devices import vectors_osdp as vectors
from tests.devices.vectors_osdp import KEYS, unhex


def test_the_published_check_value():
    assert crc16(b"123456789", 0x1D0F) == 0xE5CC


@pytest.mark.parametrize(("text", "check"), vectors.CRCS)
def test_the_standard_s_crcs(text, check):
    assert crc16(unhex(text), 0x1D0F) == check
    (packet,) = osdp.Framer().feed(unhex(text) + bytes((check & 0xFF, check >> 8)))
    assert packet.code == unhex(text)[5]


@pytest.mark.parametrize("text", vectors.CHECKSUMS)
def test_the_standard_s_checksums(text):
    (packet,) = osdp.Framer().feed(unhex(text))
    assert packet.code == unhex(text)[5]


@pytest.mark.parametrize(("text", "address", "reply", "sequence", "code", "block", "data"), vectors.PACKETS)
def test_packets_of_others(text, address, reply, sequence, code, block, data):
    (packet,) = osdp.Framer().feed(unhex(text))
    assert (packet.address, packet.reply, packet.sequence) == (address, reply, sequence)
    assert (packet.code, packet.block, packet.data) == (code, block, unhex(data))
    if len(text) != 14:  # that one has a checksum, which the panel never sends
        assert osdp.encode(address | reply * 0x80, sequence, code, packet.data) == unhex(text)


def test_the_standard_s_keys_and_proofs():
    """Annex E: the session keys, both cryptograms and the first MAC, of the default key."""
    master = Ecb(osdp.SCBK_D)
    begin = KEYS["ours"][:6] + bytes(8)
    assert master.encrypt(b"\x01\x82" + begin) == KEYS["secret"]
    assert master.encrypt(b"\x01\x01" + begin) == KEYS["mac1"]
    assert master.encrypt(b"\x01\x02" + begin) == KEYS["mac2"]
    channel = osdp.SecureChannel(osdp.SCBK_D, Ecb, KEYS["ours"])
    (asked,) = osdp.Framer().feed(channel.challenge(0, 1))
    assert (asked.block, asked.block_data, asked.data) == (0x11, b"\x00", KEYS["ours"])
    answer = bytes(8) + KEYS["theirs"] + KEYS["reader's proof"]
    (reply,) = osdp.Framer().feed(osdp.encode(0x80, 1, osdp.CCRYPT, answer, b"\x12\x00"))
    (proof,) = osdp.Framer().feed(channel.prove(reply, 0, 2))
    assert (proof.block, proof.block_data, proof.data) == (0x13, b"\x00", KEYS["panel's proof"])
    (last,) = osdp.Framer().feed(osdp.encode(0x80, 2, osdp.RMAC_I, KEYS["first MAC"], b"\x14\x01"))
    channel.confirm(last)


@pytest.mark.parametrize("at", range(8, 32))
def test_a_reader_that_proves_nothing_is_rejected(at):
    answer = bytearray(bytes(8) + KEYS["theirs"] + KEYS["reader's proof"])
    answer[at] ^= 1
    (reply,) = osdp.Framer().feed(osdp.encode(0x80, 1, osdp.CCRYPT, bytes(answer), b"\x12\x00"))
    with pytest.raises(osdp.Rejected, match="holds another key"):
        osdp.SecureChannel(osdp.SCBK_D, Ecb, KEYS["ours"]).prove(reply, 0, 2)


def cards(*swipes):
    return b"".join(
        osdp.encode(0x80, i % 3 + 1, osdp.RAW, osdp.raw_data(wiegand.bits(*swipe))) for i, swipe in enumerate(swipes)
    )


def told(seen):
    return [o.data.get("credential", o.data.get("reason", o.event)) for o in seen]


@given(st.data())
def test_any_split_and_noise_between_gives_each_card_once(data):
    swipes = [(12, 34567, 26), (4660, 22136, 34), (1, 400000, 37), (12, 34567, 26)]
    noise = data.draw(st.binary(max_size=8).map(lambda noise: noise.replace(b"\x53", b"")))
    stream = noise.join(cards(swipe) for swipe in swipes)
    reader, got = OsdpReader("keys"), []
    while stream:
        n = data.draw(st.integers(1, len(stream)))
        got += reader.feed(stream[:n], 0)
        stream = stream[n:]
    assert told(got) == [f"{facility}:{card}" for facility, card, _ in swipes]


@given(st.integers(0, 10**9))
def test_a_flipped_bit_makes_no_other_card(number):
    stream = bytearray(cards((12, 34567, 26)))
    number %= len(stream) * 8
    stream[number // 8] ^= 1 << number % 8
    reader = OsdpReader("keys")
    assert [o for o in reader.feed(bytes(stream) + bytes(osdp.LONGEST), 0) if o.event == "credential_presented"] == []


@given(st.lists(st.binary(max_size=60), max_size=12))
def test_nothing_hostile_raises(chunks):
    reader = OsdpReader("keys")
    for i, chunk in enumerate(chunks):
        reader.feed(chunk, i)


@given(st.sampled_from([osdp.RAW, osdp.FMT, osdp.LSTATR, osdp.PDID]), st.binary(max_size=40))
def test_no_reply_however_strange_raises(code, data):
    osdp.identity(data)
    for o in OsdpReader("keys").feed(osdp.encode(0x80, 1, code, data), 0):
        assert o.event in ("credential_presented", "device_fault", "device_recovered")


@pytest.mark.parametrize(("data", "bits"), vectors.CARDS)
def test_bits_of_a_card(data, bits):
    assert "".join(map(str, osdp.bits_of(unhex(data)))) == bits


def reply(code, data):
    return osdp.encode(0x80, 1, code, data)


def test_bits_that_are_no_card_are_a_passing_fault():
    bits = wiegand.bits(12, 34567, 26)
    bits[5] ^= 1
    reader = OsdpReader("keys")
    assert told(reader.feed(reply(osdp.RAW, osdp.raw_data(bits)), 0)) == ["bad_parity", "device_recovered"]
    assert told(reader.feed(reply(osdp.RAW, osdp.raw_data(bits[:20])), 0)) == ["bad_length", "device_recovered"]
    assert told(reader.feed(reply(osdp.RAW, b"\x00\x01\x1a\x00\x86"), 0)) == ["malformed_frame", "device_recovered"]


def test_characters_are_the_credential_as_they_are():
    assert told(OsdpReader("keys").feed(reply(osdp.FMT, b"\x00\x00\x0a" + b"0123456789"), 0)) == ["0123456789"]
    assert "malformed_frame" in told(OsdpReader("keys").feed(reply(osdp.FMT, b"\x00\x00\x0a" + b"012"), 0))


def test_an_opened_case_is_a_fault_until_it_is_closed():
    reader = OsdpReader("keys")
    assert told(reader.feed(reply(osdp.LSTATR, b"\x00\x00"), 0)) == []
    assert told(reader.feed(reply(osdp.LSTATR, b"\x01\x00") * 2, 0)) == ["tamper"]
    assert told(reader.feed(reply(osdp.LSTATR, b"\x00\x00"), 0)) == ["device_recovered"]


def test_keys_pressed_on_the_reader_are_nobody_s_business():
    assert OsdpReader("keys").feed(reply(osdp.KEYPAD, b"\x00\x041234"), 0) == []
