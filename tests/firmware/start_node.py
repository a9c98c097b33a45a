"""Starts the firmware on MicroPython's Unix port: the project's own files and the stand-in for `machine`.

Arguments: the project's folder; a file for `machine.play`, or -; parts per million that the node's crystal is slow; the
cause of the start that `machine.reset_cause` gives.
"""

import sys

project, script, ppm, cause = sys.argv[1:5]
sys.path[:0] = [project + "/tests/firmware/stand_in", project]

import machine
import time

machine.cause = int(cause)
if script != "-":
    machine.play(script)
if int(ppm):
    # The firmware's clock reads ticks of another crystal, and ticks that wrap as a Pico's do.
    from hal import tick_clock

    class SlowClock(tick_clock.TickClock):
        def __init__(self, ticks, diff):
            begun = ticks()

            def slow():
                true = ticks() - begun
                return (true - true * int(ppm) // 1000000 + (1 << 30) - 5000000) & ((1 << 30) - 1)

            def wrapped(one, other):
                return ((one - other + (1 << 29)) & ((1 << 30) - 1)) - (1 << 29)

            super().__init__(slow, wrapped)

    tick_clock.TickClock = SlowClock
    assert time.ticks_us

import firmware.main

assert firmware.main
