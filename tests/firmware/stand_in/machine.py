"""What the firmware asks of a board's `machine` module, for interpreters that run on no board: MicroPython's Unix port
and CPython. Pins are driven by `Pin.drive`, which calls the interrupt handler as the board would; everything else of
the firmware, and the interpreter, is real.

`play(path)` drives pins from a file of lines "microseconds pin level", each when its time has come since the first
call, and writes down in path.played when that was by the interpreter's own clock.
"""

import sys
import time

PWRON_RESET = 1
WDT_RESET = 3


class Pin:
    IN = 0
    PULL_UP = 1
    PULL_DOWN = 2
    IRQ_RISING = 1
    IRQ_FALLING = 2

    levels = {}  # number: what drives the wire; absent: nothing does
    users = {}

    def __init__(self, number, mode, pull=None):
        if not 0 <= number < 30:
            raise ValueError("invalid pin")
        assert mode == Pin.IN
        self._number = number
        self._pull = pull
        self._handler = None
        Pin.users[number] = self

    def irq(self, handler=None, trigger=0, hard=False):
        assert handler is None or (hard and trigger == Pin.IRQ_RISING | Pin.IRQ_FALLING)
        self._handler = handler

    def value(self):
        return Pin.levels.get(self._number, 1 if self._pull == Pin.PULL_UP else 0)

    @staticmethod
    def drive(number, level):
        pin = Pin.users.get(number)
        before = pin.value() if pin else Pin.levels.get(number, 0)
        Pin.levels[number] = level
        if pin and pin._handler and before != level:
            pin._handler(pin)


def unique_id():
    return b"\xe6\x60\x58\x38\x83\x72\x4a\x32"


cause = PWRON_RESET


def reset_cause():
    return cause


def reset():
    sys.exit(3)


class WDT:
    """Fed once a turn: the moment at which this stand-in lets its wires move."""

    turn = []  # functions to call

    def __init__(self, timeout):
        self.timeout = timeout

    def feed(self):
        for function in WDT.turn:
            function()


def play(path):
    """See the module."""
    script = open(path)  # read line by line: the memory is the firmware's
    written = open(path + ".played", "w")
    started = []

    def following():
        line = script.readline()
        return [int(word) for word in line.split()] if line else None

    due = [following()]

    def turn():
        if not Pin.users:
            return
        now = time.ticks_us()
        if not started:
            started.append(now)
        while due[0] and due[0][0] <= time.ticks_diff(now, started[0]):
            _, number, level = due[0]
            at = time.ticks_us()
            Pin.drive(number, level)
            written.write("%d %d %d %d\n" % (at, time.ticks_us(), number, level))
            due[0] = following()
            if due[0] is None:
                written.close()

    WDT.turn.append(turn)
