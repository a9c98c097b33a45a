"""Sends a firmware image to the sensor node at a link, once the table's daemon is stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.wiring.answering import Answering
from pitwatch.devices.node_updater import NodeUpdater
from pitwatch.hal.address import parse
from pitwatch.hal.factory import Factory
from pitwatch.hal.system_clock import SystemClock


async def update(link: str, image: bytes, older: bool, on_progress: Callable[[int], None]) -> tuple[str | None, str]:
    """None, or why the node was not updated; and the firmware that it reports. Raises UsageError for a link that is no
    node's."""
    try:
        address = parse(link)
        if address.scheme != "node":
            raise UsageError(f"{link}: is no link of a sensor node; node:serial:/dev/… is right")
        clock = SystemClock()
        port = Factory(clock).duplex(link)
    except ValueError as error:
        raise UsageError(str(error)) from None
    over: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
    updater = NodeUpdater(image, older, over.set_result, on_progress)
    answering = Answering(port, clock)
    answering.start(updater)
    try:
        fault = await over
    finally:
        answering.stop()
    if fault is None and not updater.firmware.endswith(f"+{_build(image)}"):
        fault = "the new firmware did not start, and the node has gone back to the one before"
    return fault, updater.firmware


def _build(image: bytes) -> int:
    """As its first line says; the node has accepted it."""
    return int(image.split(b" ", 2)[1])
