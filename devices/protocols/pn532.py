"""Frames of a PN532 at a serial port, and the tags that it lists. MicroPython subset.

115200 8N1. A frame is 00 00 FF, length and its check, TFI (D4 to the chip, D5 from it), data, a check of them, 00. The
chip speaks only when asked. Facts: NXP's user manual; constants as in nfcpy's driver. Must not know which card a tag
is.
"""

from pitwatch.devices.protocols.framer import BaseFramer

SHAPE = {"pn532": "fits"}

TO_CHIP, FROM_CHIP = 0xD4, 0xD5
FIRMWARE, SAM, RF, LIST = 0x02, 0x14, 0x32, 0x4A  # commands; the answer has the next number

WAKE = b"\x55\x55" + bytes(14)
ACK = b"\x00\x00\xff\x00\xff\x00"
_START = b"\x00\x00\xff"
_ERROR = 0x7F
MOST_TAGS = 2  # that the chip lists at one time
_ISO_14443_4 = 0x20  # bit of SEL_RES: an answer to select follows


class Answer:
    """`command` is that of the question, `data` what follows it; command 0 is the chip's error frame."""

    __slots__ = ("command", "data")

    def __init__(self, command: int, data: bytes):
        self.command = command
        self.data = data


def frame(tfi: int, data: bytes) -> bytes:
    """A frame in either direction."""
    length = len(data) + 1
    check = 0x100 - (tfi + sum(data)) & 0xFF
    return _START + bytes((length, 0x100 - length & 0xFF, tfi)) + data + bytes((check & 0xFF, 0))


def ask(command: int, *data: int) -> bytes:
    """A question to the chip."""
    return frame(TO_CHIP, bytes((command,) + data))


FIRMWARE_PLEASE = ask(FIRMWARE)
SAM_OFF = ask(SAM, 0x01, 0x00, 0x00)
FEW_TRIES = ask(RF, 0x05, 0xFF, 0x01, 0x02)  # else it looks for a tag until one comes
TAGS_PLEASE = ask(LIST, MOST_TAGS, 0x00)


class Framer(BaseFramer):
    """Answers out of bytes that come in any split; acknowledgements and questions are passed over."""

    def feed(self, data: bytes) -> "list[Answer]":
        """The answers that `data` completes."""
        rest, answers, at = self._rest + data, [], 0
        while True:
            start = rest.find(_START, at)
            if start < 0:
                keep = max(at, len(rest) - 2)
                self.discarded += len([byte for byte in rest[at:keep] if byte])
                at = keep
                break
            self.discarded += len([byte for byte in rest[at:start] if byte])  # zeros may stand before and after
            at = start
            head = rest[at + 3 : at + 5]
            if len(head) < 2:
                break
            if head == b"\x00\xff" or head == b"\xff\x00":  # acknowledged, or not
                at += 5
                continue
            length = head[0]
            if (head[0] + head[1]) & 0xFF or not length:
                self.discarded += 3
                at += 3
                continue
            body = rest[at + 5 : at + 6 + length]
            if len(body) < length + 1:
                break
            if sum(body) & 0xFF:
                self.discarded += 3
                at += 3
                continue
            if body[0] == FROM_CHIP and length >= 2:
                answers.append(Answer(body[1] - 1, body[2:-1]))
            elif body[0] == _ERROR:
                answers.append(Answer(0, b""))
            at += 6 + length
        self._rest = rest[at:]
        return answers

    def interrupt(self) -> None:
        self.discarded += len([byte for byte in self._rest if byte])
        self._rest = b""


def tags(data: bytes) -> "list[str] | None":
    """The numbers of the tags that an answer to LIST tells, in hexadecimal capitals; None if it is damaged."""
    if not data:
        return None
    found, at = [], 1
    for _ in range(data[0]):
        head = data[at : at + 5]  # target, SENS_RES, SEL_RES, length of the number
        number = data[at + 5 : at + 5 + head[4]] if len(head) == 5 else b""
        if len(head) < 5 or head[4] not in (4, 7, 10) or len(number) < head[4]:
            return None
        found.append("".join([f"{byte:02X}" for byte in number]))
        at += 5 + head[4]
        if head[3] & _ISO_14443_4:
            at += data[at] if at < len(data) else 1
    return found if at == len(data) else None


def listed(uids: "list[str]") -> bytes:
    """The answer of a simulated chip before which these tags lie (four or seven bytes each)."""
    body = bytes((LIST + 1, len(uids)))
    for number, uid in enumerate(uids, 1):
        raw = bytes.fromhex(uid)
        kind = b"\x00\x44\x00" if len(raw) == 7 else b"\x00\x04\x08"
        body += bytes((number,)) + kind + bytes((len(raw),)) + raw
    return frame(FROM_CHIP, body)


def fits(data: bytes) -> "tuple[int, int]":
    """Complete messages in `data`, and how many of its bytes belong to them; see `shape`."""
    framer = Framer()
    answers = framer.feed(data)
    framer.interrupt()
    return len(answers), len(data) - framer.take_discarded() if answers else 0
