"""OSDP packets of every length: what a packet says of its length, its security block and its data must fit, one byte
less or more is none. The packets are put together here, by the standard and not by the code under test."""

import pytest

from pitwatch.devices.protocols import osdp
from pitwatch.devices.protocols.crc import crc16

GOOD = osdp.encode(0x80, 2, osdp.ACK)


def packet(rest, control=0x04, stated=None, address=0x85):
    """SOM, address, the length that is stated (that which it has by default), control, `rest`, and a check that is
    right for all of it: CRC where control has it, else a checksum."""
    check = 2 if control & 4 else 1
    length = 5 + len(rest) + check if stated is None else stated
    head = bytes((0x53, address, length & 255, length >> 8, control)) + rest
    if check == 2:
        crc = crc16(head, 0x1D0F)
        return head + bytes((crc & 255, crc >> 8))
    return head + bytes((-sum(head) & 255,))


def read(data):
    """The packets in it, all of which must come by the time that another one has."""
    framer = osdp.Framer()
    found = framer.feed(data + GOOD)
    assert found, "what follows is held back"
    assert (found[-1].code, found[-1].data) == (osdp.ACK, b"")
    found, lost = found[:-1], framer.take_discarded()
    assert (lost == 0) is bool(found)
    return found


@pytest.mark.parametrize("control", [0x00, 0x04], ids=["checksum", "crc"])
@pytest.mark.parametrize("size", [0, 1, 2, 16, 255, 256, 400])
def test_data_of_any_size_comes_whole(control, size):
    data = bytes(i % 251 for i in range(size))
    (found,) = read(packet(b"\x50" + data, control | 3))
    assert (found.address, found.reply, found.sequence, found.code, found.data) == (5, True, 3, 0x50, data)
    assert (found.block, found.block_data, found.head, found.mac) == (0, b"", b"", b"")


@pytest.mark.parametrize("control", [0x00, 0x04], ids=["checksum", "crc"])
def test_the_longest_packet_and_one_byte_more(control):
    check = 2 if control else 1
    (found,) = read(packet(b"\x50" + bytes(512 - 6 - check), control))
    assert len(found.data) == 512 - 6 - check
    assert read(packet(b"\x50" + bytes(513 - 6 - check), control)) == []


@pytest.mark.parametrize("control", [0x00, 0x04, 0x08, 0x0C])
def test_a_packet_without_a_command_is_none(control):
    assert read(packet(b"", control)) == []


@pytest.mark.parametrize("control", [0x00, 0x04], ids=["checksum", "crc"])
@pytest.mark.parametrize("off", [-3, -2, -1, 1, 2, 3])
def test_a_length_that_is_not_the_packet_s(control, off):
    whole = packet(b"\x50" + bytes(8), control)
    wrong = packet(b"\x50" + bytes(8), control, len(whole) + off)
    assert read(wrong) == []


@pytest.mark.parametrize("bit", [0x10, 0x20, 0x40, 0x80])
def test_bits_of_control_that_mean_nothing(bit):
    assert read(packet(b"\x50\x01", 0x04 | bit)) == []


def test_a_length_too_long_to_be_true_is_not_waited_for():
    """Else a damaged length would keep back half a second of what follows."""
    for length in (0, 5, 7, 513, 0x7FFF, 0xFFFF):
        assert osdp.Framer().feed(bytes((0x53, 0x85, length & 255, length >> 8, 0x04)) + GOOD)[0].code == osdp.ACK


@pytest.mark.parametrize("whole", [packet(b"\x50\x01\x02\x03"), packet(b"\x50\x01\x02\x03", 0)], ids=["crc", "sum"])
def test_a_packet_comes_with_its_last_byte_and_not_before(whole):
    framer = osdp.Framer()
    for byte in whole[:-1]:
        assert framer.feed(bytes((byte,))) == []
    (found,) = framer.feed(whole[-1:])
    assert found.data == b"\x01\x02\x03"
    assert framer.take_discarded() == 0


@pytest.mark.parametrize("at", range(1, 11))
@pytest.mark.parametrize("control", [0x00, 0x04], ids=["checksum", "crc"])
def test_one_wrong_byte_is_no_packet(control, at):
    whole = bytearray(packet(b"\x50\x01\x02\x03\x04", control))
    whole[at] ^= 0x04
    assert read(bytes(whole)) == []


# --- security blocks: their own length, their type, what they hold


@pytest.mark.parametrize("held", [b"", b"\x01", b"\x01\x02\x03"])
def test_a_security_block_and_the_data_after_it(held):
    block = bytes((len(held) + 2, 0x11)) + held
    (found,) = read(packet(block + b"\x76" + b"data", 0x0C))
    assert (found.block, found.block_data, found.code, found.data) == (0x11, held, 0x76, b"data")
    assert (found.head, found.mac) == (b"", b"")


@pytest.mark.parametrize("says", [0, 1])
def test_a_security_block_too_short_to_have_a_type(says):
    assert read(packet(bytes((says, 0x11)) + b"\x76data", 0x0C)) == []


@pytest.mark.parametrize("says", [7, 8, 200, 255])
def test_a_security_block_that_leaves_no_room_for_a_command(says):
    assert read(packet(bytes((says, 0x11)) + b"\x76data", 0x0C)) == []


@pytest.mark.parametrize("kind", [0x15, 0x16, 0x17, 0x18])
def test_four_bytes_of_mac_are_no_data(kind):
    whole = packet(bytes((2, kind)) + b"\x50" + b"data" + b"MAC!", 0x0E)
    (found,) = read(whole)
    assert (found.block, found.code, found.data, found.mac) == (kind, 0x50, b"data", b"MAC!")
    assert found.head == whole[:-6]


@pytest.mark.parametrize("left", [0, 1, 2, 3, 4])
def test_a_packet_too_short_for_its_mac_is_none(left):
    assert read(packet(bytes((2, 0x16)) + b"MAC!"[:left], 0x0C)) == []


def test_what_is_encoded_is_read_with_block_and_mac():
    made = osdp.encode(0x85, 1, osdp.RAW, b"data", b"\x16\x07", lambda head: head[-4:])
    (found,) = read(made)
    assert (found.block, found.block_data, found.data) == (0x16, b"\x07", b"data")
    assert found.mac == found.head[-4:]
    assert made[2] | made[3] << 8 == len(made)


# --- what the data says of itself


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 26, 34, 37, 64, 300])
def test_card_data_has_as_many_bits_as_it_says(count):
    bits = [i % 3 % 2 for i in range(count)]
    data = osdp.raw_data(bits, 2)
    assert (data[0], data[2] | data[3] << 8, len(data)) == (2, count, 4 + (count + 7) // 8)
    assert osdp.bits_of(data) == bits
    assert osdp.bits_of(data + b"\xff") == bits
    for cut in range(1, 3) if count > 8 else (1,):
        with pytest.raises(ValueError, match="cut short"):
            osdp.bits_of(data[:-cut])


def test_a_reader_says_who_it_is_in_twelve_bytes():
    data = bytes(range(1, 13))
    known = {"vendor": "010203", "model": 4, "version": 5, "serial": 0x09080706, "firmware": "10.11.12"}
    assert osdp.identity(data) == known
    assert osdp.identity(data + b"\x00") == known
    for length in range(12):
        assert osdp.identity(data[:length]) == {}
