"""OSDP v2 (IEC 60839-11-5): packets and secure channel of key-card readers on RS-485, from the control panel's side.

MicroPython subset. A packet is 53, address, length (2 bytes), control, [security block,] command or reply, data, [4
bytes of MAC,] CRC-16 or checksum; integers are little-endian. Facts: the examples of SIA's OSDP specification, Annex E,
and open implementations. AES is the caller's: `aes(key)` gives an object with encrypt(block) and decrypt(block) of 16
bytes. Must not know whose card it is.
"""

from pitwatch.devices.protocols.crc import crc16
from pitwatch.devices.protocols.framer import BaseFramer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    class Cipher(Protocol):
        def encrypt(self, block: bytes) -> bytes: ...
        def decrypt(self, block: bytes) -> bytes: ...

    Aes = Callable[[bytes], Cipher]

SHAPE = {"osdp": "fits"}

SOM, MARK = 0x53, 0xFF
REPLY = 0x80  # bit of the address
LONGEST = 512  # bytes of a packet believed; a reader's are far shorter

POLL, ID, CAP, LSTAT, CHLNG, SCRYPT = 0x60, 0x61, 0x62, 0x64, 0x76, 0x77
ACK, NAK, PDID, PDCAP, LSTATR, RAW, FMT, KEYPAD, CCRYPT, RMAC_I, BUSY = (
    0x40, 0x41, 0x45, 0x46, 0x48, 0x50, 0x51, 0x53, 0x76, 0x78, 0x79,
)  # fmt: skip

NAKS = {
    1: "bad check", 2: "wrong length", 3: "unknown command", 4: "wrong sequence number",
    5: "secure channel not supported", 6: "secure channel required or not accepted", 9: "cannot be done now",
}  # fmt: skip

SCBK_D = bytes(range(0x30, 0x40))
"""The default key, public: it protects from noise, not from people."""

_CRC_START = 0x1D0F
_SQN, _CRC, _SCB = 3, 4, 8  # bits of control
_MACS = (0x15, 0x16, 0x17, 0x18)  # security blocks of packets that carry a MAC
_SECRET = (0x17, 0x18)  # those whose data is enciphered
_CHLNG, _CCRYPT, _SCRYPT, _RMAC_I, _PLAIN_COMMAND = 0x11, 0x12, 0x13, 0x14, 0x15


class Packet:
    """One whole packet: `block` and `block_data` are the security block's type (0: none) and data, `head` the bytes
    that the MAC covers."""

    __slots__ = ("address", "block", "block_data", "code", "data", "head", "mac", "reply", "sequence")

    def __init__(self, address: int, sequence: int, code: int, data: bytes):
        self.address = address & 0x7F
        self.reply = bool(address & REPLY)
        self.sequence = sequence
        self.code = code
        self.data = data
        self.block = 0
        self.block_data = b""
        self.head = b""
        self.mac = b""


def encode(
    address: int,
    sequence: int,
    code: int,
    data: bytes = b"",
    block: bytes = b"",
    mac: "Callable[[bytes], bytes] | None" = None,
) -> bytes:
    """The bytes of a packet with CRC. address: with REPLY for a reader's; block: type and data of a security block;
    mac(head): the four bytes for a packet that carries a MAC."""
    if block:
        block = bytes((len(block) + 1,)) + block
    length = 5 + len(block) + 1 + len(data) + (4 if mac else 0) + 2
    control = sequence | _CRC | (_SCB if block else 0)
    head = bytes((SOM, address, length & 0xFF, length >> 8, control)) + block + bytes((code,)) + data
    if mac:
        head += mac(head)
    check = crc16(head, _CRC_START)
    return head + bytes((check & 0xFF, check >> 8))


class Framer(BaseFramer):
    """Whole packets out of bytes that come in any split. Where one turns out bad only its first byte is dropped and the
    search goes on behind it. What belongs to no packet is counted in `discarded`, marks between packets are not."""

    def feed(self, data: bytes) -> "list[Packet]":
        rest = self._rest + data
        packets = []
        at = 0
        while at < len(rest):
            if rest[at] == SOM:
                end, packet = _whole(rest, at)
                if end == 0:
                    break
                if packet is not None:
                    packets.append(packet)
                    at = end
                    continue
            if rest[at] != MARK:
                self.discarded += 1
            at += 1
        self._rest = rest[at:]
        return packets


def _whole(rest: bytes, start: int) -> "tuple[int, Packet | None]":
    """(end, packet) of the packet at `start`; (0, None) if more bytes are needed, (-1, None) if it is none."""
    if len(rest) - start < 5:
        return 0, None
    control = rest[start + 4]
    length = rest[start + 2] | rest[start + 3] << 8
    check = 2 if control & _CRC else 1
    if not 6 + check <= length <= LONGEST or control & 0xF0:
        return -1, None
    if len(rest) - start < length:
        return 0, None
    end = start + length
    head = rest[start : end - check]
    if check == 2:
        good = crc16(head, _CRC_START) == rest[end - 2] | rest[end - 1] << 8
    else:
        good = (sum(head) + rest[end - 1]) & 0xFF == 0
    if not good:
        return -1, None
    block = head[5 : 5 + head[5]] if control & _SCB else b""
    if control & _SCB and len(block) < 2:
        return -1, None
    mac = 4 if block and block[1] in _MACS else 0
    body = head[5 + len(block) : len(head) - mac]
    if not body:
        return -1, None
    packet = Packet(head[1], control & _SQN, body[0], body[1:])
    if block:
        packet.block, packet.block_data = block[1], block[2:]
    if mac:
        packet.head, packet.mac = head[:-mac], head[-mac:]
    return end, packet


class Rejected(Exception):  # noqa: N818
    """What a reader sent does not prove that it holds the key; says why in a few words."""


class SecureChannel:
    """The panel's side of one secure session: `challenge`, `prove`, `confirm`, then `seal` and `open` in turn.

    key: the 16 bytes that panel and reader share (SCBK); chance: 8 bytes drawn anew for each session.
    """

    def __init__(self, key: bytes, aes: "Aes", chance: bytes):
        self._aes = aes
        self._kind = b"\x00" if key == SCBK_D else b"\x01"
        self._chance = chance
        self._proof = b""
        self._sent = self._received = b""  # MACs of the packets before
        master = aes(key)
        begin = chance[:6] + bytes(8)
        self._secret = aes(master.encrypt(b"\x01\x82" + begin))
        self._mac1 = aes(master.encrypt(b"\x01\x01" + begin))
        self._mac2 = aes(master.encrypt(b"\x01\x02" + begin))

    def challenge(self, address: int, sequence: int) -> bytes:
        return encode(address, sequence, CHLNG, self._chance, bytes((_CHLNG,)) + self._kind)

    def prove(self, packet: Packet, address: int, sequence: int) -> bytes:
        """The answer to the reader's proof. Raises Rejected."""
        if packet.block != _CCRYPT or packet.block_data[:1] != self._kind or len(packet.data) != 32:
            raise Rejected("answered another kind of key")
        theirs, cryptogram = packet.data[8:16], packet.data[16:]
        if cryptogram != self._secret.encrypt(self._chance + theirs):
            raise Rejected("holds another key")
        self._proof = self._secret.encrypt(theirs + self._chance)
        return encode(address, sequence, SCRYPT, self._proof, bytes((_SCRYPT,)) + self._kind)

    def confirm(self, packet: Packet) -> None:
        """The reader's last word before the session holds. Raises Rejected."""
        first = self._mac2.encrypt(self._mac1.encrypt(self._proof))
        if packet.block != _RMAC_I or packet.block_data[:1] != b"\x01" or packet.data != first:
            raise Rejected("did not accept the key")
        self._received = first

    def seal(self, address: int, sequence: int, code: int) -> bytes:
        """A command without data, with its MAC."""

        def mac(head: bytes) -> bytes:
            self._sent = self._mac(head, self._received)
            return self._sent[:4]

        return encode(address, sequence, code, b"", bytes((_PLAIN_COMMAND,)), mac)

    def open(self, packet: Packet) -> bytes:
        """The data of a reply, deciphered. Raises Rejected if its MAC is not the one this reader would give."""
        mac = self._mac(packet.head, self._sent) if packet.mac else b""
        if not mac or packet.mac != mac[:4]:
            raise Rejected("sent a reply that is not sealed with its key")
        self._received = mac
        if packet.block not in _SECRET:
            return packet.data
        data = packet.data
        if not data or len(data) % 16:
            raise Rejected("sent data that cannot be deciphered")
        plain, before = b"", bytes([byte ^ 0xFF for byte in self._sent])
        for at in range(0, len(data), 16):
            plain += _xor(self._secret.decrypt(data[at : at + 16]), before)
            before = data[at : at + 16]
        end = plain.rfind(b"\x80")
        if end < 0 or plain[end + 1 :] != bytes(len(plain) - end - 1):
            raise Rejected("sent data that cannot be deciphered")
        return plain[:end]

    def _mac(self, head: bytes, before: bytes) -> bytes:
        """The sixteen bytes of MAC over a packet, chained to the MAC of the other side's packet before."""
        if len(head) % 16:
            head += b"\x80" + bytes(15 - len(head) % 16)
        for at in range(0, len(head), 16):
            cipher = self._mac1 if at + 16 < len(head) else self._mac2
            before = cipher.encrypt(_xor(head[at : at + 16], before))
        return before


def _xor(a: bytes, b: bytes) -> bytes:
    return bytes([a[i] ^ b[i] for i in range(len(a))])


def bits_of(data: bytes) -> "list[int]":
    """The bits of a RAW reply's data: reader, format, number of bits, the bits from the highest of the first byte on.

    Raises ValueError if it is cut short."""
    if len(data) < 4:
        raise ValueError("card data cut short")
    count = data[2] | data[3] << 8
    if len(data) - 4 < (count + 7) // 8:
        raise ValueError("card data cut short")
    return [data[4 + i // 8] >> (7 - i % 8) & 1 for i in range(count)]


def raw_data(bits: "list[int]", reader: int = 0) -> bytes:
    """Data of a simulated reader's RAW reply, Wiegand format."""
    packed = bytearray((len(bits) + 7) // 8)
    for i, bit in enumerate(bits):
        packed[i // 8] |= bit << (7 - i % 8)
    return bytes((reader, 1, len(bits) & 0xFF, len(bits) >> 8)) + bytes(packed)


def identity(data: bytes) -> "dict[str, object]":
    """What a PDID reply says of the reader; {} if it is cut short."""
    if len(data) < 12:
        return {}
    return {
        "vendor": "%02x%02x%02x" % (data[0], data[1], data[2]),
        "model": data[3],
        "version": data[4],
        "serial": int.from_bytes(data[5:9], "little"),
        "firmware": "%d.%d.%d" % (data[9], data[10], data[11]),
    }


def fits(data: bytes) -> "tuple[int, int]":
    """Complete messages in `data`, and how many of its bytes belong to them; see `shape`."""
    framer = Framer()
    packets = framer.feed(data)
    framer.interrupt()
    return len(packets), len(data) - framer.take_discarded()
