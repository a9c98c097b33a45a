"""Digital inputs of a Modbus TCP module, polled. CPython, on the running asyncio loop.

The module is asked for its inputs and for nothing else (`hal.modbus`). An edge is stamped as its answer comes, so it is
late by up to one interval and the answer's time; a pulse shorter than two intervals may be missed.
"""

import asyncio
from collections.abc import Callable

from pitwatch.hal import modbus
from pitwatch.hal.address import Address
from pitwatch.hal.clock import Clock
from pitwatch.hal.errors import HalError, Missing, Unusable
from pitwatch.hal.line import LineSpec
from pitwatch.hal.reopening_lines import ReopeningLines

CONNECT_S = 10.0
ANSWER_S = 2.0


class ModbusLines(ReopeningLines):
    """`line` of a spec is the address of an input, from 0. Bias and debounce are the module's business."""

    def __init__(self, clock: Clock, specs: list[LineSpec], consumer: str, address: Address) -> None:
        super().__init__(clock, specs, consumer)
        self._address = address
        self._first = min(spec.line for spec in specs)
        self._count = max(spec.line for spec in specs) - self._first + 1
        self._where = "modbus:%s:%d" % (address.host, address.port)
        self._task: asyncio.Task[None] | None = None
        self._levels: dict[str, int] = {}

    def _open(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._watch())

    def _close(self) -> None:
        task, self._task = self._task, None
        self._levels = {}
        if task is not None and task is not asyncio.current_task():
            task.cancel()

    def levels(self) -> dict[str, int]:
        if not self._levels:
            raise self._not_held()
        return dict(self._levels)

    async def _watch(self) -> None:
        try:
            await self._poll_for_ever()
        except HalError as error:
            problem: HalError = error
        except modbus.Refused as refused:
            problem = Unusable(self._where, "the module refuses: %s" % refused, "correct `line` or unit= of `link`")
        except modbus.Garbled as garbled:
            problem = Unusable(self._where, "%s" % garbled, "see that a Modbus TCP module is at this port")
        except TimeoutError:
            problem = Missing(self._where, "no answer", "check the module's power, cable and address")
        except asyncio.IncompleteReadError:
            problem = Missing(self._where, "the module hung up", "it may serve one client alone; stop the other one")
        except (OSError, UnicodeError) as error:
            problem = Missing(self._where, "cannot connect (%s)" % error, "check the module's power, cable and address")
        if self._task is asyncio.current_task():
            self._fail(problem)

    async def _poll_for_ever(self) -> None:
        async with asyncio.timeout(CONNECT_S):
            reader, writer = await asyncio.open_connection(self._address.host, self._address.port)
        transaction = 0
        try:
            while True:
                transaction = (transaction + 1) & 0xFFFF
                asked = self._clock.now()
                async with asyncio.timeout(ANSWER_S):
                    found = await self._ask(reader, writer, transaction)
                if self._task is not asyncio.current_task():
                    return
                self._tell(found, self._clock.now())
                rest = self._address.poll_ms / 1000 - (self._clock.now() - asked) / 1e9
                await asyncio.sleep(max(rest, 0.001))
        finally:
            writer.transport.abort()

    async def _ask(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, transaction: int) -> list[int]:
        writer.write(modbus.request(transaction, self._address.unit, self._first, self._count))
        while True:
            header = await reader.readexactly(modbus.HEADER)
            answer = header + await reader.readexactly(modbus.length(header))
            found = modbus.levels(transaction, self._address.unit, self._count, answer)
            if found is not None:
                return found

    def _tell(self, found: list[int], t: int) -> None:
        now = {}
        for spec in self._specs:
            now[spec.name] = found[spec.line - self._first] ^ (1 if spec.active_low else 0)
        before, self._levels = self._levels, now
        if not before:
            self._is_open()
            return
        for name, level in now.items():
            if level != before[name] and self._report is not None:
                on_edge: Callable[[str, int, int], object] = self._report[0]
                on_edge(name, level, t)
