"""The sensor node's program, which main.py starts. MicroPython only. The board's side: `link = "node:..."`,
docs/hardware.md.

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
    "pitwatch.firmware.slots",
    "pitwatch.firmware.node",
):
    __import__(_name)
    gc.collect()

from pitwatch.devices.protocols import node_bodies, node_link
from pitwatch.firmware import __version__, slots
from pitwatch.firmware.node import Node
from pitwatch.firmware.ports import UartPort, UsbPort
from pitwatch.hal.tick_clock import TickClock

WATCHDOG_MS = 8000  # the longest a Pico has is 8388
PROVED_MS = 20000  # for which a session must stand until a firmware on trial has proved itself
TRIAL_MS = 600000  # in which it must prove itself


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
    build = slots.build(slots.running())
    firmware = "%s+%d" % (__version__, build) if build else __version__
    return [firmware, version, sys.implementation[2], "".join(["%02x" % byte for byte in machine.unique_id()])]


def run(trial="", watchdog=None):
    """`trial`: the folder of this firmware, if it has still to prove itself."""
    chosen = settings().get("port", "usb")
    port = UsbPort() if chosen == "usb" else UartPort(chosen)
    try:
        # Without a trial none until the first session: it cannot be stopped, and would end any work at the prompt.
        boot = int.from_bytes(os.urandom(4), "little")
        node = Node(port, TickClock(time.ticks_us, time.ticks_diff), boot, cause(), texts())
        if watchdog is not None:
            node.feed = watchdog.feed
        begun = stands = time.ticks_ms()
        while True:
            node.turn()
            if node.restart:
                time.sleep_ms(200)
                machine.reset()
            if trial:
                now = time.ticks_ms()
                if not node.session:
                    stands = now
                if time.ticks_diff(now, stands) >= PROVED_MS:
                    slots.confirm(trial)
                    trial = ""
                elif time.ticks_diff(now, begun) >= TRIAL_MS:
                    machine.reset()
            if watchdog is not None:
                watchdog.feed()
            elif node.session:
                watchdog = machine.WDT(timeout=WATCHDOG_MS)
                node.feed = watchdog.feed
    except KeyboardInterrupt:
        port.release()
    except Exception as problem:  # nobody is there to read a traceback: the board journals this line
        words = "%s: %s" % (type(problem).__name__, problem)
        port.write(node_link.frame(node_link.FAULT, words.encode()[:160]))
        time.sleep_ms(200)
        machine.reset()
