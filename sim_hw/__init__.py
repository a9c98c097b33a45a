"""Simulated hardware: what real devices would put on the wires of a table. Never hands an observation to anybody."""

from pitwatch.sim_hw.simulate import CannotSimulateError, Planned, make_plan, provokable, simulate
from pitwatch.sim_hw.table import SimDeviceSpec, judged
from pitwatch.sim_hw.wire import WireEvent, write_capture

__all__ = [
    "CannotSimulateError",
    "Planned",
    "SimDeviceSpec",
    "WireEvent",
    "judged",
    "make_plan",
    "provokable",
    "simulate",
    "write_capture",
]
