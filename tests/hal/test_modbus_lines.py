"""Inputs of a Modbus TCP module: the vectors, and a bank against a module on the loopback."""

import asyncio
import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwatch.hal import modbus
from pitwatch.hal.address import parse
from pitwatch.hal.errors import HalError
from pitwatch.hal.factory import Factory, check_url
from pitwatch.hal.line import LineSpec
from pitwatch.hal.modbus_lines import ModbusLines
from tests.hal.contract_lines import Watcher
from tests.hal.rigs import RealTime

QUESTION = bytes.fromhex("000100000006010200000008")
ANSWER = bytes.fromhex("00010000000401020105")
EXCEPTION = bytes.fromhex("000100000003018202")


def test_vectors():
    assert modbus.request(1, 1, 0, 8) == QUESTION
    assert modbus.length(ANSWER[:6]) == 4
    assert modbus.levels(1, 1, 8, ANSWER) == [1, 0, 1, 0, 0, 0, 0, 0]
    assert modbus.levels(2, 1, 8, ANSWER) is None
    with pytest.raises(modbus.Refused, match="it has no such inputs"):
        modbus.levels(1, 1, 8, EXCEPTION)
    with pytest.raises(modbus.Garbled, match="unit 1 answers in place of 2"):
        modbus.levels(1, 2, 8, ANSWER)


def test_there_is_no_function_that_writes():
    """Of a module Pitwatch asks for inputs: no other function code is anywhere in the two files."""
    asking = [modbus.request(1, 1, first, count) for first in (0, 65535) for count in (1, 2000)]
    assert {question[7] for question in asking} == {modbus.READ_INPUTS}
    for name in ("modbus.py", "modbus_lines.py"):
        source = (Path(modbus.__file__).parent / name).read_text()
        assert source.count(".write(") == source.count("writer.write(modbus.request(")


@given(st.binary(max_size=300), st.integers(1, 2000))
def test_no_answer_breaks_anything_but_by_its_two_errors(answer, count):
    with contextlib.suppress(modbus.Refused, modbus.Garbled):
        if len(answer) >= 6 and len(answer) == modbus.HEADER + modbus.length(answer[:6]):
            found = modbus.levels(answer[0] << 8 | answer[1], answer[6], count, answer)
            assert found is None or (len(found) == count and set(found) <= {0, 1})


class Module(RealTime):
    """A module with 16 inputs, of which each question is kept; `mood`: how it answers."""

    def __init__(self):
        super().__init__()
        self.inputs = [0] * 16
        self.asked, self.mood, self.port, self.writers, self.server = [], "", 0, [], None

    async def replug(self):
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self.server.sockets[0].getsockname()[1]

    def unplug(self):
        self.server.close()
        for writer in self.writers:
            writer.transport.abort()
        self.writers = []

    async def _serve(self, reader, writer):
        self.writers.append(writer)
        try:
            while True:
                question = await reader.readexactly(12)
                self.asked.append(question)
                first, count = int.from_bytes(question[8:10]), int.from_bytes(question[10:12])
                head = question[:5]
                if self.mood == "silent":
                    continue
                if self.mood == "older first":
                    writer.write(bytes(2) + head[2:] + bytes((4, question[6], 2, 1, 255)))
                if self.mood == "http":
                    writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                elif first + count > 16:
                    writer.write(head + bytes((3, question[6], 0x82, 2)))
                else:
                    bits = sum(level << place for place, level in enumerate(self.inputs[first : first + count]))
                    packed = bits.to_bytes((count + 7) // 8, "little")
                    writer.write(head + bytes((3 + len(packed), question[6], 2, len(packed))) + packed)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def watch(self, *specs, unit=3):
        bank = ModbusLines(
            self.clock, list(specs), "pitwatch:door", parse(f"modbus:127.0.0.1:{self.port}?unit={unit}&poll_ms=10")
        )
        self.made.append(bank)
        return Watcher(bank).start()


@pytest.fixture
async def module():
    module = Module()
    await module.replug()
    yield module
    module.stop_all()
    module.unplug()


DOOR, LAMP = LineSpec("door", "m", 2), LineSpec("lamp", "m", 9, active_low=True)


async def test_levels_edges_and_times(module):
    module.inputs[2] = 1
    watcher = module.watch(DOOR, LAMP)
    await module.until(lambda: watcher.online, 15)
    assert watcher.bank.levels() == {"door": 1, "lamp": 1}
    assert watcher.edges == []
    for level in (0, 1, 0):
        before = module.clock.now()
        module.inputs[2] = level
        await module.until(lambda level=level: watcher.moves("door")[-1:] == [level], 15)
        assert before <= watcher.edges[-1][2] <= module.clock.now()
    module.inputs[9] = 1
    await module.until(lambda: watcher.moves("lamp") == [0], 15)
    assert watcher.moves("door") == [0, 1, 0]
    assert {question[6:] for question in module.asked} == {bytes((3, 2, 0, 2, 0, 8))}, "its inputs and nothing else"


async def test_an_answer_to_an_older_question_is_passed_over(module):
    module.mood = "older first"
    watcher = module.watch(DOOR)
    await module.until(lambda: watcher.online and len(module.asked) > 3, 15)
    assert watcher.bank.levels() == {"door": 0}
    assert watcher.edges == []


@pytest.mark.parametrize(
    ("mood", "line", "says"),
    [
        ("", 16, "the module refuses: it has no such inputs; correct `line` or unit= of `link`"),
        ("http", 2, "no Modbus TCP; see that a Modbus TCP module is at this port"),
        ("silent", 2, "no answer; check the module's power, cable and address"),
    ],
)
async def test_what_is_wrong_is_said_in_one_line(module, mood, line, says):
    module.mood = mood
    watcher = module.watch(LineSpec("door", "m", line))
    await module.until(lambda: watcher.states, 15)
    assert watcher.states[0] == (False, f"modbus:127.0.0.1:{module.port}: {says}")


async def test_a_module_that_loses_power_is_told_once_and_comes_back(module):
    watcher = module.watch(DOOR)
    await module.until(lambda: watcher.online, 15)
    module.unplug()
    await module.until(lambda: not watcher.online, 15)
    with pytest.raises(HalError):
        watcher.bank.levels()
    module.inputs[2] = 1
    await module.replug()
    await module.until(lambda: watcher.online, 40)
    assert [online for online, _ in watcher.states] == [True, False, True]
    assert watcher.bank.levels() == {"door": 1}
    assert watcher.edges == []


async def test_stopped_in_the_middle_it_says_nothing_more_and_starts_again(module):
    watcher = module.watch(DOOR)
    await module.until(lambda: watcher.online, 15)
    watcher.bank.stop()
    watcher.bank.stop()
    module.inputs[2] = 1
    await module.wait(0.1)
    assert (watcher.edges, watcher.states) == ([], [(True, "")])
    watcher.start()
    await module.until(lambda: len(watcher.states) == 2, 15)
    assert watcher.bank.levels() == {"door": 1}


async def test_stopping_from_a_callback_ends_it_there(module):
    seen = []
    watcher = module.watch(DOOR, LAMP)
    await module.until(lambda: watcher.online, 15)
    watcher.bank.stop()

    def on_edge(name, level, t):
        seen.append((name, level))
        watcher.bank.stop()

    watcher.bank.start(on_edge, lambda count, t: None, lambda online, reason: seen.append(online))
    await module.until(lambda: seen == [True], 15)
    module.inputs[2] = module.inputs[9] = 1
    await module.until(lambda: len(seen) > 1, 15)
    await module.wait(0.1)
    assert len(seen) == 2


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("modbus:box", "wants a host and a port, such as modbus:192.168.1.20:4001"),
        ("modbus:box:502?unit=300", "unit=300; it must be a whole number from 0 to 255"),
        ("modbus:box:502?poll_ms=1", "poll_ms=1; it must be a whole number from 5 to 60000"),
        ("modbus:box:502?write=1", "unknown setting 'write'; known are unit, poll_ms"),
    ],
)
def test_bad_addresses(url, says):
    with pytest.raises(ValueError, match="link ") as caught:
        check_url(url)
    assert says in str(caught.value)


def test_the_factory_makes_it():
    factory = Factory(RealTime().clock)
    assert isinstance(factory.lines("modbus:box:502", [DOOR], "door"), ModbusLines)
    with pytest.raises(ValueError, match="door: its lines are more than 2000 inputs apart; use two devices"):
        factory.lines("modbus:box:502", [DOOR, LineSpec("far", "m", 2002)], "door")
