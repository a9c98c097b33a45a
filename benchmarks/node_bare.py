# mypy: ignore-errors
"""The baseline of the sensor node, run by MicroPython: the same pins, a JSON line an edge, nothing sent again.

Arguments as of tests/firmware/start_node.py.
"""

import sys

project, script = sys.argv[1:3]
sys.path[:0] = [project + "/tests/firmware/stand_in", project]

import time

import machine
import select

from pitwatch.hal.line import LineSpec
from pitwatch.hal.machine_lines import MachineLines
from pitwatch.hal.tick_clock import TickClock

WRAP = (1 << 30) - 1
begun = time.ticks_us()
clock = TickClock(
    lambda: time.ticks_us() - begun & WRAP, lambda one, other: ((one - other + (1 << 29)) & WRAP) - (1 << 29)
)


def told(name, level, t):
    sys.stdout.write('{"line": "%s", "level": %d, "t": %d}\n' % (name, level, t // 1000))


machine.play(script)
bank = MachineLines(clock, [LineSpec("line-%d" % pin, "", pin) for pin in range(2, 6)])
bank.start(told, lambda count, t: None, lambda online, reason: None)
poll = select.poll()
poll.register(sys.stdin, select.POLLIN)
watchdog = machine.WDT(8000)
while True:
    bank.poll()
    watchdog.feed()
    poll.poll(2)
