"""Who speaks at a serial port by itself, found out by listening at each speed of a known protocol. Writes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pitwatch.daemon.newtable.plugs import Plug
from pitwatch.devices import registry
from pitwatch.devices.protocols.shape import looks_like
from pitwatch.hal.address import NODE_SERIAL, parse
from pitwatch.hal.clock import Clock
from pitwatch.hal.serial_link import SerialLink

KEPT = 4096
"""Bytes of a port, the newest, that are looked at."""

SOON_S = 0.1
"""Between two looks at what came."""


class Heard(NamedTuple):
    """`protocol`: whose shape the bytes have, "" for none; `baud`: at that speed; `came`: bytes of it; `reason`:
    why the port could not be opened, "" if it could."""

    plug: Plug
    protocol: str = ""
    baud: int = 0
    came: int = 0
    reason: str = ""


def speeds() -> list[tuple[int, str]]:
    """Every (baud, "8N1") that a protocol states, the most usual first."""
    found = [registry.find(kind, protocol).SERIAL for kind, protocol in registry.classes()] + [NODE_SERIAL]
    known = [each for each in found if each is not None]
    return sorted(set(known), key=lambda each: (-known.count(each), each))


async def listen(plugs: Sequence[Plug], clock: Clock, seconds: float) -> list[Heard]:
    """Listen to all of them at once, at each speed for `seconds` or until it is known who speaks."""
    return list(await asyncio.gather(*(_listen(plug, clock, seconds) for plug in plugs)))


async def _listen(plug: Plug, clock: Clock, seconds: float) -> Heard:
    heard = Heard(plug)
    for baud, frame in speeds():
        url = f"serial:{plug.path}?baud={baud}&bits={frame[0]}&parity={frame[1]}&stop={frame[2]}"
        heard = await _at(url, clock, seconds, heard)
        if heard.protocol:
            return heard._replace(baud=baud)
        if heard.reason:
            return heard
    return heard


async def _at(url: str, clock: Clock, seconds: float, heard: Heard) -> Heard:
    sample, count, reason = b"", heard.came, ""

    def received(data: bytes, t: int) -> None:
        nonlocal sample, count
        sample, count = (sample + data)[-KEPT:], count + len(data)

    def state(online: bool, why: str) -> None:
        nonlocal reason
        reason = "" if online else why

    link = SerialLink(clock, parse(url))
    link.start(received, state)
    try:
        if await _until(lambda: bool(reason or looks_like(sample)), seconds) and not reason:
            return heard._replace(protocol=looks_like(sample), came=count)
    finally:
        link.stop()
    return heard._replace(came=count, reason=reason)


async def _until(true: Callable[[], bool], seconds: float) -> bool:
    """Whether it became true in time."""
    left = seconds
    while not true() and left > 0:
        await asyncio.sleep(SOON_S)
        left -= SOON_S
    return true()
