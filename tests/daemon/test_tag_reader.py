"""A PN532 at a pseudo-terminal, through the daemon's own link: asked, heard, unplugged. The chip answers as the manual
has it."""

from __future__ import annotations

import asyncio
import os
import pty
import tty

import pytest

from pitwatch.daemon.newtable.reader_test import _ask
from pitwatch.daemon.wiring.nodes import Hardware
from pitwatch.devices.protocols import pn532
from pitwatch.devices.tag_reader import TagReader
from tests.hal.contract_link import Listener
from tests.hal.rigs import RealTime


class Chip(RealTime):
    """`tags` lie before it; `asked` are the commands that came."""

    def __init__(self):
        super().__init__()
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        os.set_blocking(self.master, False)
        self.tags, self.asked, self.mute, self._rest = [], [], False, b""
        asyncio.get_running_loop().add_reader(self.master, self._heard)

    def _heard(self):
        self._rest += os.read(self.master, 4096)
        while (at := self._rest.find(b"\x00\x00\xff")) >= 0 and len(self._rest) > at + 5:
            end = at + 7 + self._rest[at + 3]
            if len(self._rest) < end:
                return
            question, self._rest = self._rest[at:end], self._rest[end:]
            assert sum(question[5:-1]) & 0xFF == 0
            assert question[5] == pn532.TO_CHIP
            self.asked.append(question[6])
            if not self.mute:
                os.write(self.master, pn532.ACK + self._answer(question[6]))

    def _answer(self, command):
        if command == pn532.LIST:
            return pn532.listed(self.tags)
        data = bytes((0x32, 1, 6, 7)) if command == pn532.FIRMWARE else b""
        return pn532.frame(pn532.FROM_CHIP, bytes((command + 1,)) + data)

    def listen(self):
        link = Hardware(self.clock).link(f"pn532:serial:{os.ttyname(self.slave)}", "seat-1")
        self.made.append(link)
        return Listener(link).start()

    def close(self):
        asyncio.get_running_loop().remove_reader(self.master)
        os.close(self.master)
        os.close(self.slave)


@pytest.fixture
async def chip():
    chip = Chip()
    yield chip
    chip.stop_all()
    chip.close()


async def test_cards_laid_and_lifted(chip):
    listener = chip.listen()
    reader = TagReader("seat-1", {"place": "seat-1", "deck": {"DEADBEEF": "AS"}})
    await chip.until(lambda: listener.online and listener.data, 30)
    assert listener.link.identity == {"vendor": "NXP PN532", "serial": "none", "firmware": "1.6"}
    for tags in (["DEADBEEF"], ["DEADBEEF", "04A1B2C3D4E580"], []):
        heard = len(listener.pieces)
        chip.tags = tags
        await chip.until(lambda heard=heard: len(listener.pieces) > heard, 30)
    seen = [o for data, t in listener.pieces for o in reader.feed(data, t)]
    assert [(o.event, o.data["card"]) for o in seen] == [
        ("card_placed", "AS"), ("card_placed", None), ("card_removed", "AS"), ("card_removed", None),
    ]  # fmt: skip
    assert seen[1].data["foreign"] is True
    assert set(chip.asked) == {pn532.SAM, pn532.FIRMWARE, pn532.RF, pn532.LIST}, "it is asked, and nothing is written"


async def test_a_chip_that_does_not_answer_is_told_once_and_comes_back(chip):
    chip.mute = True
    listener = chip.listen()
    await chip.until(lambda: listener.states, 30)
    online, reason = listener.states[0]
    assert not online
    assert reason.endswith("no answer from the reader; check its supply, TX, RX and its switch, which is HSU")
    chip.mute = False
    await chip.until(lambda: listener.online, 60)
    assert [online for online, _ in listener.states] == [False, True]
    chip.mute = True
    await chip.until(lambda: not listener.online, 60)


async def test_nothing_is_said_after_a_stop(chip):
    listener = chip.listen()
    await chip.until(lambda: listener.online and listener.data, 30)
    listener.link.stop()
    before = list(listener.pieces)
    chip.tags = ["DEADBEEF"]
    await chip.wait(0.5)
    assert listener.pieces == before


async def test_a_new_table_asks_the_reader_who_it_is(chip):
    assert await _ask(f"pn532:serial:{os.ttyname(chip.slave)}") == ("NXP PN532, serial none, firmware 1.6", "")
    assert {pn532.SAM, pn532.FIRMWARE} <= set(chip.asked)
