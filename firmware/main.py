"""Runs when the sensor node gets power: chooses the firmware and starts it. MicroPython only.

This file and `pitwatch/firmware/slots.py` beside it came to the node by hand and stay as they are: a firmware that came
over the wire lies in a folder of its own (`slots`). One on trial that does not start, or hangs, ends in a start of the
one before.
"""

import sys

import machine

from pitwatch.firmware import slots

TRIAL_MS = 8000  # the longest a Pico's watchdog waits is 8388

_slot, _trial = slots.choose()
_watchdog = machine.WDT(timeout=TRIAL_MS) if _trial else None
if _slot:
    sys.path.insert(0, _slot)
    for _name in [name for name in sys.modules if name.startswith("pitwatch")]:
        del sys.modules[_name]
try:
    from pitwatch.firmware.start import run
except Exception:
    if not _trial:
        raise
    machine.reset()
else:
    run(_slot if _trial else "", _watchdog)
