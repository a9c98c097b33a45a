"""The panel of an OSDP bus, with readers that answer well or ill."""

from __future__ import annotations

import json
import pickle

from pitwatch.devices.osdp_panel import Panel
from pitwatch.devices.protocols import osdp, wiegand
from tests.fuzz.seeds import osdp_seeds
from tests.fuzz.target import MS, SECOND, Target, in_one_line, message, messages, pieces


class _Aes:
    """Not AES: the channel's course is what is tried here, and every key fits it the sooner."""

    def __init__(self, key: bytes):
        self._key = key

    def encrypt(self, block: bytes) -> bytes:
        return bytes(a ^ b for a, b in zip(block, self._key, strict=True))

    decrypt = encrypt


class _Bus:
    """A panel and two readers that answer as they should; `say` is what they tell when they are asked what is new.

    key: of the reader at address 0, b"" for none; the one at address 1 has none."""

    def __init__(self, key: bytes) -> None:
        self.key = key
        self.now = SECOND
        self.panel = Panel({0: key, 1: b""}, self, _Aes, bytes, 9600)
        self.panel.connected(self.now)
        self.up: set[int] = set()
        self.said = 0
        self._channel: osdp.SecureChannel | None = None
        self._mac = b""
        for _ in range(24):
            self.answer(0, b"")
        assert self.up == {0, 1}, "good readers do not come up"

    def reader_up(self, address: int, t: int) -> None:
        self.up.add(address)

    def reader_said(self, address: int, packet: bytes, t: int) -> None:
        assert address in self.up
        assert osdp.Framer().feed(packet)[0].address == address
        self.said += 1

    def reader_down(self, address: int, reason: str, fix: str, t: int) -> None:
        in_one_line(Exception(reason))
        self.up.discard(address)

    def answer(self, what: int, body: bytes) -> None:
        """The panel's next question, answered: 0 rightly; 1 to 3 with this code and data, sealed, plain, or as bytes
        that are no packet; 4 not at all."""
        if self.panel.deadline is not None:
            self.now = max(self.now + MS, self.panel.deadline)
            self.panel.tick(self.now)
        asked = osdp.Framer().feed(self.panel.take_output())
        if not asked:
            return
        self.now += 10 * MS
        code, data = (body[0], body[1:]) if body else (osdp.ACK, b"")
        question = asked[0]
        reply = body if what == 3 else self._reply(question, what, code, data)
        for piece in pieces(reply, what) if what < 4 else ():
            self.panel.feed(piece, self.now)

    def _reply(self, question: osdp.Packet, what: int, code: int, data: bytes) -> bytes:
        address, sequence = question.address | osdp.REPLY, question.sequence
        secure = bool(self.key) and question.address == 0
        if what == 2:
            return osdp.encode(address, sequence, code, data)
        if question.code == osdp.ID:
            return osdp.encode(address, sequence, osdp.PDID, (data + bytes(12))[:12])
        if question.code == osdp.CHLNG:
            self._channel = osdp.SecureChannel(self.key, _Aes, question.data)
            proof = self._channel._secret.encrypt(question.data + b"otherway")
            return osdp.encode(address, sequence, osdp.CCRYPT, bytes(8) + b"otherway" + proof, b"\x12\x01")
        channel = self._channel
        if channel is None or not secure:
            return osdp.encode(address, sequence, code, data)
        if question.code == osdp.SCRYPT:
            self._mac = channel._mac2.encrypt(channel._mac1.encrypt(question.data))
            return osdp.encode(address, sequence, osdp.RMAC_I, self._mac, b"\x14\x01")
        if not question.mac:
            return osdp.encode(address, sequence, code, data)
        before = channel._mac(question.head, self._mac)

        def mac(head: bytes) -> bytes:
            self._mac = channel._mac(head, before)
            return self._mac[:4]

        if not data:
            return osdp.encode(address, sequence, code, b"", b"\x16", mac)
        plain, secret, last = data + b"\x80" + bytes(-(len(data) + 1) % 16), b"", bytes(b ^ 0xFF for b in before)
        if what == 1 and len(data) % 7 == 3:
            plain = (data + bytes(16))[: len(data) // 16 * 16 + 16]  # without the mark where the data ends
        for at in range(0, len(plain), 16):
            last = channel._secret.encrypt(bytes(a ^ b for a, b in zip(plain[at : at + 16], last, strict=True)))
            secret += last
        return osdp.encode(address, sequence, code, secret, b"\x18", mac)


def osdp_panel(key: bytes) -> Target:
    """The panel of a bus of key-card readers that are up, with and without a secure channel."""
    lasting = _Bus(key)
    fresh = pickle.dumps(lasting)
    card = bytes([osdp.RAW]) + osdp.raw_data(wiegand.bits(12, 34567, 26))
    good = _Bus(key)
    for _ in range(4):
        good.answer(0, card)
    assert good.said >= 2, "a good card is not told"

    def once(data: bytes) -> None:
        for bus in (pickle.loads(fresh), lasting):
            for what, body in messages(data):
                bus.answer(what % 5, body)
            json.dumps([bus.panel.identity(0), bus.panel.identity(1)])

    said = [card, bytes([osdp.NAK, 3]), bytes([osdp.LSTATR, 1, 0]), bytes([osdp.BUSY]), bytes([osdp.NAK, 6])]
    each = [message(what, body) for body in said for what in (0, 1, 2)]
    noise = [message(3, packet[:60]) for packet in osdp_seeds()]
    return Target([*each, b"".join(each), message(4, b"") * 4, *noise], once, lambda: lasting)
