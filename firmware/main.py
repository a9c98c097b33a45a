"""Runs when the sensor node gets power. MicroPython only. The board's side: `link = "node:..."`, docs/hardware.md.

`node.json` beside it says where the board is: {"port": "usb"}, or {"port": {"id": 0, "baudrate": 115200, "tx": 0,
"rx": 1}} for a UART. A fault is reported to the board, and the node starts again. While the board has no session
open, Ctrl-C as mpremote sends it gives the prompt.
"""

import gc
import json
import os
import sys
import time

import machine
import micropython

if hasattr(micropython, "alloc_emergency_exception_buf"):  # a port without interrupts has none
    micropython.alloc_emergency_exception_buf(100)  # so that an error in an interrupt can be reported

# What compiling one module leaves is cleared away before the next, so that memory stays in one piece.
for _name in (
    "pitwatch.devices.protocols.cobs",
    "pitwatch.devices.protocols.crc",
    "pitwatch.devices.protocols.node_link",
    "pitwatch.devices.protocols.node_bodies",
    "pitwatch.hal.errors",
    "pitwatch.hal.line",
    "pitwatch.hal.tick_clock",
    "pitwatch.hal.machine_lines",
    "pitwatch.firmware.ports",
    "pitwatch.firmware.node",
):
    __import__(_name)
    gc.collect()

from pitwatch.devices.protocols import node_bodies, node_link
from pitwatch.firmware import __version__
from pitwatch.firmware.node import Node
from pitwatch.firmware.ports import UartPort, UsbPort
from pitwatch.hal.tick_clock import TickClock

WATCHDOG_MS = 8000  # the longest a Pico has is 8388


def settings():
    try:
        with open("node.json") as file:
            return json.load(file)
    except OSError:
        return {}


def cause():
    """Why the node started, as one of `node_bodies.CAUSES`."""
    names = {"PWRON_RESET": 1, "WDT_RESET": 2, "HARD_RESET": 3, "SOFT_RESET": 3, "DEEPSLEEP_RESET": 4}
    told = machine.reset_cause() if hasattr(machine, "reset_cause") else None
    for name, number in names.items():
        if getattr(machine, name, None) == told and told is not None:
            return node_bodies.CAUSES[number]
    return node_bodies.CAUSES[0]


def texts():
    """Firmware version, MicroPython version, board, unique id."""
    version = ".".join([str(part) for part in sys.implementation[1][:3]])
    return [__version__, version, sys.implementation[2], "".join(["%02x" % byte for byte in machine.unique_id()])]


def run():
    chosen = settings().get("port", "usb")
    port = UsbPort() if chosen == "usb" else UartPort(chosen)
    try:
        watchdog = None  # until the first session: it cannot be stopped, and would end any work at the prompt
        boot = int.from_bytes(os.urandom(4), "little")
        node = Node(port, TickClock(time.ticks_us, time.ticks_diff), boot, cause(), texts())
        while True:
            node.turn()
            if watchdog is not None:
                watchdog.feed()
            elif node.session:
                watchdog = machine.WDT(timeout=WATCHDOG_MS)
    except KeyboardInterrupt:
        port.release()
    except Exception as problem:  # nobody is there to read a traceback: the board journals this line
        words = "%s: %s" % (type(problem).__name__, problem)
        port.write(node_link.frame(node_link.FAULT, words.encode()[:160]))
        time.sleep_ms(200)
        machine.reset()


run()
