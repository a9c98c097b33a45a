"""Captures to replay, made by the simulated tables: what went over the wires, and what the devices said of it."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path

from benchmarks.table import ROOT
from pitwatch import sim_hw
from pitwatch.daemon.config import config

TABLES = Path(sim_hw.__file__).parent / "tables"
SEED = 1
BETWEEN = 60.0
"""Seconds from the end of a capture to its repetition."""


def replay_command(capture: Path, table: str) -> list[str]:
    """`pitwatch replay` of a capture of the simulated table."""
    return [
        sys.executable,
        "-m",
        "pitwatch.daemon.cli",
        "replay",
        str(capture),
        "--table",
        str(TABLES / f"{table}.toml"),
    ]


def write_wire(table: str, rounds: int, path: Path) -> int:
    """A wire-level capture of so many rounds, each fault that can be provoked among them; returns its lines."""
    settings = config.load(str(TABLES / f"{table}.toml"))
    devices = [
        sim_hw.SimDeviceSpec(d.id, d.type, d.protocol, d.settings, tuple(spec.name for spec in d.lines))
        for d in settings.devices
    ]
    options = dict(settings.table.options)
    events = sim_hw.simulate(
        settings.game,
        devices,
        options,
        rounds=rounds,
        seed=SEED,
        plan=sim_hw.make_plan(settings.game, devices, rounds, SEED, options=options),
        people={credential: person.role for credential, person in settings.people.items()},
        seats=settings.table.seats,
    )
    rest = {device.id: device.lines for device in devices if device.lines}
    with path.open("wb") as file:
        return len(rest) + sim_hw.write_capture(file, events, rest)


def write_observations(table: str, wire: Path, lines: int, path: Path) -> int:
    """What the devices said in a wire-level capture, one observation a line, over and over; returns its lines, at least
    `lines`."""
    command = [*replay_command(wire, table), "--all"]
    told = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    records = (json.loads(line) for line in told.splitlines())
    seen = [record["data"] for record in records if record["type"] == "pitwatch.observation.v1"]
    written = 0
    with path.open("w") as file:
        for repetition in itertools.count():
            shift = repetition * (seen[-1]["t"] + BETWEEN)
            for each in seen:
                if repetition == 0 or not each["event"].startswith("device_"):
                    file.write(json.dumps({**each, "t": each["t"] + shift}, separators=(",", ":")) + "\n")
                    written += 1
            if written >= lines:
                return written
    raise AssertionError
