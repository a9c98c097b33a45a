"""The control panel of one OSDP bus: polls each key-card reader, keeps its secure channel. MicroPython subset.

Sans-I/O: `feed`, `tick` and `deadline` as in a device; `take_output` returns the bytes to send. Times are
monotonic ns. Sends only queries (identity, status, poll) and the proof of the key; nothing that
lights a lamp, opens a door or changes a reader. A reader with a key is accepted over the secure channel only. Must not
know what a card means.

The sequence for each reader: identity; with a key, the secure channel; status; then polls. A reader without a key is
asked for its identity every minute: a reader that was exchanged quickly goes on answering polls.
"""

from pitwatch.devices.protocols import osdp
from pitwatch.devices.protocols.osdp import Framer, Packet, Rejected, SecureChannel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MS = 1_000_000
EVERY = 100 * MS  # between two questions to one reader
GAP = 5 * MS  # between an answer and the next question on the bus
ANSWER = 200 * MS  # within which a reader must begin to answer
BITS_BOTH_WAYS = 1000  # of a question and its answer, at most, and the delays of a USB adapter
TRIES = 3  # of one question before a reader counts as gone
ROLL_CALL = 60_000 * MS  # between two times that a reader is asked who it is
AGAIN = 1000 * MS  # until a reader that is gone, or refuses, is asked again
MOST_BUSY = 50  # times that a reader may say to one question that it is busy

POWER_FIX = "see that the reader has power, that A and B are not exchanged, and that its speed and address are right"
OPEN_FIX = "it wants a secure channel: give key_file, or set the reader to go without"
STEP_FIX = "switch it off and on, and see that no other panel asks on this bus"
KEY_FIX = "write the key that the reader holds into key_file, or set the reader anew and give it this key"

_HEARD = (osdp.RAW, osdp.FMT, osdp.LSTATR)


class Heard:
    """What the panel calls, with times that never go back."""

    def reader_up(self, address: int, t: int) -> None:
        """The reader answers, over the secure channel if it has a key."""

    def reader_said(self, address: int, packet: bytes, t: int) -> None:
        """The reader reported something: its reply as a packet without security."""

    def reader_down(self, address: int, reason: str, fix: str, t: int) -> None:
        """The reader does not answer or cannot be used; reported again only when the reason changes."""


class _Reader:
    """One reader and how far the course with it is."""

    def __init__(self, address: int, key: bytes):
        self.address = address
        self.key = key
        self.due = 0
        self.up = False
        self.reason = ""
        self.identity: dict[str, Any] = {}
        self.returning = False  # it began anew, and is to be the one it was
        self.roll_call = 0  # when it is to be asked again who it is
        self.restart()

    def restart(self) -> None:
        """The course begins again."""
        self.step = osdp.ID
        self.sequence = 0
        self.channel: SecureChannel | None = None
        self.sealed = False
        self.proof: Packet | None = None
        self.question = b""  # on its way, or to be asked once more
        self.tries = 0
        self.busy = 0
        self.out_of_step = False  # it answered this question with another sequence number


class Panel:
    """keys: the key of the reader at each address, b"" for none. aes as in `devices.protocols.osdp`; chance(n): n bytes
    that nobody can foresee; baud: speed of the bus."""

    def __init__(
        self,
        keys: "dict[int, bytes]",
        heard: Heard,
        aes: "osdp.Aes",
        chance: "Callable[[int], bytes]",
        baud: int,
    ):
        self.deadline: int | None = None
        self._readers = [_Reader(address, keys[address]) for address in sorted(keys)]
        self._heard = heard
        self._aes = aes
        self._chance = chance
        self._patience = ANSWER + BITS_BOTH_WAYS * 1_000_000_000 // baud
        self._framer = Framer()
        self._out = bytearray()
        self._asked: _Reader | None = None
        self._until = 0
        self._free_at = 0

    def identity(self, address: int) -> "dict[str, Any]":
        """What a reader says of itself; {} if it is not known."""
        return next(reader.identity for reader in self._readers if reader.address == address)

    def take_output(self) -> bytes:
        """What is to be sent now."""
        out = bytes(self._out)
        self._out = bytearray()
        return out

    def connected(self, t: int) -> None:
        """The port is there."""
        self._framer = Framer()
        self._asked = None
        self._free_at = t
        for reader in self._readers:
            reader.restart()
            reader.due = t
        self.tick(t)

    def disconnected(self, reason: str, t: int) -> None:
        """The port is gone; `reason` holds its own fix."""
        self.deadline = None
        self._asked = None
        self._out = bytearray()
        for reader in self._readers:
            self._down(reader, reason, "", t)

    def feed(self, data: bytes, t: int) -> None:
        """Bytes from the bus."""
        for packet in self._framer.feed(data):
            reader = self._asked
            # An adapter may hear itself; a late answer to an older question is no answer to this one.
            if reader is None or not packet.reply or packet.address != reader.address:
                continue
            if packet.code != osdp.BUSY and packet.sequence != reader.sequence:
                if not _lost_count(reader, packet):
                    reader.out_of_step = True
                    continue
                self._asked = None
                self._free_at = t + GAP
                self._begun_anew(reader, t)
                continue
            self._asked = None
            self._free_at = t + GAP
            self._answered(reader, packet, t)
        self.tick(t)

    def tick(self, t: int) -> None:
        """Time has passed."""
        reader = self._asked
        if reader is not None and t >= self._until:
            self._asked = None
            self._framer.interrupt()
            reader.tries += 1
            reader.due = t
            if (not reader.up or reader.tries >= TRIES) and reader.out_of_step:
                what = "the reader at address %d answers, but with wrong sequence numbers" % reader.address
                self._give_up(reader, what, STEP_FIX, t)
            elif not reader.up or reader.tries >= TRIES:
                self._give_up(reader, "no answer at address %d" % reader.address, POWER_FIX, t)
        if self._asked is None and self._readers:
            waiting = min(self._readers, key=_due)
            if max(waiting.due, self._free_at) <= t:
                self._ask(waiting, t)
        if self._asked is not None:
            self.deadline = self._until
        elif self._readers:
            self.deadline = max(min(self._readers, key=_due).due, self._free_at)

    def _ask(self, reader: _Reader, t: int) -> None:
        if not reader.question:
            try:
                reader.question = self._question(reader)
            except Rejected as why:
                self._give_up(reader, "the reader at address %d %s" % (reader.address, why), KEY_FIX, t)
                return
        self._out += bytes((osdp.MARK,)) + reader.question
        self._asked = reader
        self._until = t + self._patience

    def _question(self, reader: _Reader) -> bytes:
        if reader.step == osdp.CHLNG:
            reader.channel = SecureChannel(reader.key, self._aes, self._chance(8))
            return reader.channel.challenge(reader.address, reader.sequence)
        if reader.step == osdp.SCRYPT and reader.channel is not None and reader.proof is not None:
            return reader.channel.prove(reader.proof, reader.address, reader.sequence)
        if reader.channel is not None and reader.sealed:
            return reader.channel.seal(reader.address, reader.sequence, reader.step)
        data = b"\x00" if reader.step == osdp.ID else b""
        return osdp.encode(reader.address, reader.sequence, reader.step, data)

    def _answered(self, reader: _Reader, packet: Packet, t: int) -> None:
        if packet.code == osdp.BUSY:
            reader.busy += 1
            reader.due = t + EVERY
            if reader.busy > MOST_BUSY:
                what = "the reader at address %d does nothing but say that it is busy" % reader.address
                self._give_up(reader, what, "switch it off and on", t)
            return
        reader.tries = reader.busy = 0
        reader.out_of_step = False
        reader.question = b""
        reader.sequence = reader.sequence % 3 + 1
        reader.due = t
        try:
            self._take(reader, packet, t)
        except Rejected as why:
            self._give_up(reader, "the reader at address %d %s" % (reader.address, why), KEY_FIX, t)

    def _take(self, reader: _Reader, packet: Packet, t: int) -> None:
        """Go on by one step, as the answer says."""
        data = packet.data
        if reader.channel is not None and reader.sealed:
            if packet.code == osdp.NAK and not packet.mac:
                self._begun_anew(reader, t)
                return
            data = reader.channel.open(packet)
        if packet.code == osdp.NAK:
            self._refused(reader, data, t)
        elif reader.step == osdp.ID and packet.code == osdp.PDID:
            self._identified(reader, osdp.identity(data), t)
        elif reader.step == osdp.CHLNG and packet.code == osdp.CCRYPT:
            reader.proof = packet
            reader.step = osdp.SCRYPT
        elif reader.step == osdp.SCRYPT and packet.code == osdp.RMAC_I and reader.channel is not None:
            reader.channel.confirm(packet)
            reader.sealed = True
            reader.step = osdp.LSTAT
        elif reader.step in (osdp.LSTAT, osdp.POLL):
            reader.step = osdp.POLL if reader.key or t < reader.roll_call else osdp.ID
            reader.due = t + EVERY
            if not reader.up:
                reader.up = True
                reader.reason = ""
                self._heard.reader_up(reader.address, t)
            if packet.code in _HEARD:
                plain = osdp.encode(reader.address | osdp.REPLY, packet.sequence, packet.code, data)
                self._heard.reader_said(reader.address, plain, t)
        else:
            why = "the reader at address %d answers %02x to %02x" % (reader.address, packet.code, reader.step)
            self._give_up(reader, why, "see that it speaks OSDP version 2", t)

    def _identified(self, reader: _Reader, identity: "dict[str, Any]", t: int) -> None:
        known, reader.returning = reader.up or reader.returning, False
        if known and identity != reader.identity:
            what = "another reader answers at address %d" % reader.address
            self._give_up(reader, what, "find out who exchanged it", t)
            return
        reader.identity = identity
        reader.roll_call = t + ROLL_CALL
        reader.step = osdp.CHLNG if reader.key else osdp.LSTAT

    def _refused(self, reader: _Reader, data: bytes, t: int) -> None:
        code = data[0] if data else 0
        if reader.step == osdp.LSTAT and code == 3:
            reader.step = osdp.POLL  # it cannot report its state, which is not a reason to refuse it
            reader.due = t + EVERY
            return
        what = "the reader at address %d refuses (%s)" % (reader.address, osdp.NAKS.get(code, "code %d" % code))
        if code in (5, 6):
            fix = KEY_FIX if reader.key else OPEN_FIX
        elif reader.up:
            self._begun_anew(reader, t)
            return
        else:
            fix = "see that it speaks OSDP version 2"
        self._give_up(reader, what, fix, t)

    def _begun_anew(self, reader: _Reader, t: int) -> None:
        """The reader was switched off and on, or lost count or the channel: so the panel begins anew too."""
        reader.restart()
        reader.returning = reader.up or reader.returning
        reader.due = t + EVERY
        what = "the reader at address %d began anew, and what it said last may be lost" % reader.address
        self._down(reader, what, "see to its cable and its power if it happens again", t)

    def _give_up(self, reader: _Reader, reason: str, fix: str, t: int) -> None:
        reader.restart()
        reader.returning = False
        reader.due = t + AGAIN
        self._down(reader, reason, fix, t)

    def _down(self, reader: _Reader, reason: str, fix: str, t: int) -> None:
        reader.up = False
        if reader.reason != reason:
            reader.reason = reason
            self._heard.reader_down(reader.address, reason, fix, t)


def _lost_count(reader: _Reader, packet: Packet) -> bool:
    """Whether a reply with another sequence number than asked shows that the reader was restarted.

    Number 0 answers the first question only, so one that was up and uses it has begun anew; and a reader may say that
    the number is not the one it waits for (OSDP 2.2, NAK code 4). One not yet up may be late with its first answer.
    """
    return reader.up and (packet.sequence == 0 or (packet.code == osdp.NAK and packet.data[:1] == b"\x04"))


def _due(reader: _Reader) -> int:
    return reader.due
