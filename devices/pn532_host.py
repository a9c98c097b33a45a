"""The board's end of a PN532: wakes it, learns its firmware, asks for tags again and again. MicroPython subset.

Sans-I/O: `feed`, `tick` and `deadline` as in a device; `take_output` returns the bytes to send. The chip is asked to
read; no command here writes a tag. Must not know which card a tag is.
"""

from pitwatch.devices.protocols import pn532
from pitwatch.devices.protocols.pn532 import Framer

MS = 1_000_000
EVERY = 100 * MS  # between two questions
SILENT = 1_500 * MS  # without an answer
AGAIN = 3_000 * MS  # until a chip that did not answer is woken again
MISSED = 3  # lists in a row without a tag before it is gone: one is read badly now and then

_SETTING_UP = (pn532.SAM, pn532.FIRMWARE, pn532.RF)
_QUESTIONS = {
    pn532.SAM: pn532.WAKE + pn532.SAM_OFF,
    pn532.FIRMWARE: pn532.FIRMWARE_PLEASE,
    pn532.RF: pn532.FEW_TRIES,
    pn532.LIST: pn532.TAGS_PLEASE,
}


class Heard:
    """What the owner is told. Times in ns."""

    def reader_up(self, firmware: str, t: int) -> None:
        raise NotImplementedError

    def reader_said(self, answer: bytes, t: int) -> None:
        """The tags before the chip are others than before: a whole answer to LIST."""
        raise NotImplementedError

    def reader_down(self, reason: str, fix: str, t: int) -> None:
        raise NotImplementedError


class Pn532Host:
    """One chip at one port."""

    def __init__(self, heard: Heard):
        self._heard = heard
        self.deadline: int | None = None
        self._forget()

    def _forget(self) -> None:
        self._out = b""
        self._framer = Framer()
        self._asked = 0  # the command whose answer is awaited; 0: none
        self._due = 0  # ns: of the next question, or the latest of the answer
        self._up = False
        self._firmware = ""
        self._told: list[str] | None = None
        self._missed: dict[str, int] = {}

    def connected(self, t: int) -> None:
        self._forget()
        self._ask(pn532.SAM, t)

    def disconnected(self, reason: str, t: int) -> None:
        self._forget()
        self.deadline = None
        self._heard.reader_down(reason, "", t)

    def take_output(self) -> bytes:
        out, self._out = self._out, b""
        return out

    def feed(self, data: bytes, t: int) -> None:
        for answer in self._framer.feed(data):
            if answer.command == self._asked:
                self._answered(answer, t)
        self._framer.take_discarded()

    def tick(self, t: int) -> None:
        if self.deadline is None or t < self.deadline:
            return
        if not self._asked:
            self._ask(pn532.LIST if self._up else pn532.SAM, t)
            return
        self._forget()
        self.deadline = t + AGAIN
        self._heard.reader_down("no answer from the reader", "check its supply, TX, RX and its switch, which is HSU", t)

    def _ask(self, command: int, t: int) -> None:
        self._asked = command
        self._out += _QUESTIONS[command]
        self.deadline = t + SILENT

    def _answered(self, answer: "pn532.Answer", t: int) -> None:
        if answer.command == pn532.LIST:
            self._asked = 0
            self.deadline = t + EVERY
            found = pn532.tags(answer.data)
            if found is not None:
                self._listed(found, t)
            return
        at = _SETTING_UP.index(answer.command) + 1
        if answer.command == pn532.FIRMWARE:
            chip = answer.data
            self._firmware = "%d.%d" % (chip[1], chip[2]) if len(chip) >= 3 else "unknown"
        if at < len(_SETTING_UP):
            self._ask(_SETTING_UP[at], t)
            return
        self._up = True
        self._heard.reader_up(self._firmware, t)
        self._ask(pn532.LIST, t)

    def _listed(self, found: "list[str]", t: int) -> None:
        held = []
        for uid in self._told or []:
            if uid in found:
                self._missed.pop(uid, None)
                held.append(uid)
            else:
                self._missed[uid] = self._missed.get(uid, 0) + 1
                if self._missed[uid] < MISSED:
                    held.append(uid)
                else:
                    del self._missed[uid]
        now = held + [uid for uid in found if uid not in held]
        if now != self._told:
            self._told = now
            self._heard.reader_said(pn532.listed(now), t)
