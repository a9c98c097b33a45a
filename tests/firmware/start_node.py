"""Starts the firmware on MicroPython's Unix port: the project's own files and the stand-in for `machine`.

Arguments: the project's folder; a file for `machine.play`, or -; parts per million that the node's crystal is slow; the
cause of the start that `machine.reset_cause` gives.
"""

import sys

project, script, ppm, cause = sys.argv[1:5]
sys.path[:0] = [project + "/tests/firmware/stand_in", project]

import machine

machine.cause = int(cause)
if script != "-":
    machine.play(script)
from pitwatch.hal import tick_clock


class BoardsClock(tick_clock.TickClock):
    """Ticks as a board's are: 30 bits, which wrap soon after the start here, of a crystal of its own."""

    def __init__(self, ticks, diff):
        begun = ticks()

        def wrapping():
            true = ticks() - begun
            return (true - true * int(ppm) // 1000000 + (1 << 30) - 1500000) & ((1 << 30) - 1)

        def wrapped(one, other):
            return ((one - other + (1 << 29)) & ((1 << 30) - 1)) - (1 << 29)

        super().__init__(wrapping, wrapped)


tick_clock.TickClock = BoardsClock

from pitwatch.firmware import main

assert main
