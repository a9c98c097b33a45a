"""A bench table under `pitwatch run` whose wires are real: lines of a kernel's chip and pseudo terminals."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import tomllib
import tty
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pitwatch.sim_hw import WireEvent
from tests.e2e.mosquitto import Subscriber
from tests.kernel.guest.sim_chip import HeaderChip, SimChip
from tests.sim_hw.tablerun import BenchTable, hear

SECOND = 1_000_000_000


def without_idling(events: Iterable[WireEvent], longest_ns: int) -> list[WireEvent]:
    """The same events with every pause cut to `longest_ns`: nobody waits for the next shooter."""
    short, before, cut = [], 0, 0
    for event in events:
        cut += max(0, event.t_ns - before - longest_ns)
        before = event.t_ns
        short.append(event._replace(t_ns=event.t_ns - cut))
    return short


class WiredTable:
    """`events` is what will happen on its wires, `planned` the rules that will be broken by it."""

    def __init__(
        self,
        name: str,
        chip: SimChip | HeaderChip,
        label: str,
        *,
        table_id: str,
        rounds: int,
        seed: int,
        stack: str = "",
    ) -> None:
        self.bench = BenchTable(name)
        self.id = table_id
        plan = self.bench.plan(rounds, seed)
        self.planned = Counter(rule for each in plan for rule in each.expects)
        self.events = without_idling(self.bench.events(rounds, seed, plan), 6 * SECOND)
        self.heard = hear(self.bench, self.events)
        self.process: subprocess.Popen[bytes] | None = None
        self._chip = chip
        self._label = label
        self._stack = stack
        self._wires: dict[tuple[str, str], tuple[int, bool]] = {}
        self._ports: dict[str, tuple[int, int]] = {}

    def start(self, folder: Path, url: str) -> None:
        """Everything at rest, then the daemon."""
        folder.mkdir()
        text = self._configuration(self.bench.path.read_text(), url)
        (folder / "table.toml").write_text(text)
        for device in tomllib.loads(text)["device"]:
            for line, at in device.get("lines", {}).items():
                inverted = at.get("active_low", False)
                self._wires[device["id"], line] = at["line"], inverted
                self._chip.wire(at["line"], int(inverted))
        program = (
            "import sys; sys.path.insert(0, sys.argv.pop(1)); from pitwatch.daemon.cli import main; sys.exit(main())"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, os.getcwd(), "run", str(folder / "table.toml")], cwd=folder
        )

    def happen(self, event: WireEvent) -> None:
        if event.rx is not None:
            os.write(self._ports[event.device][0], event.rx)
        else:
            line, inverted = self._wires[event.device, event.line or ""]
            self._chip.wire(line, event.level ^ int(inverted))

    def online(self, subscriber: Subscriber) -> bool:
        states = {
            topic.rpartition("/")[2]: payload["data"]["state"]
            for topic, payload, _ in subscriber.messages
            if topic.startswith(f"{self._topic}/device/") and payload
        }
        return states == {device.id: "online" for device in self.bench.devices}

    def records(self, subscriber: Subscriber, kind: str) -> list[dict[str, Any]]:
        return [
            payload["data"]
            for topic, payload, _ in subscriber.messages
            if topic.startswith(f"{self._topic}/{kind}") and payload
        ]

    def stop(self) -> int:
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(20)
        for port in self._ports.values():
            for end in port:
                os.close(end)
        return status

    @property
    def _topic(self) -> str:
        return f"pitwatch/1/bench/{self.id}"

    def _configuration(self, text: str, url: str) -> str:
        head, *devices = text.split("[[device]]")
        head = re.sub(r'^id = ".*"', f'id = "{self.id}"', head, flags=re.MULTILINE)
        head += f'[mqtt]\nurl = "{url}"\n[journal]\npath = "journal.db"\n\n'
        return "[[device]]".join([head, *(self._wired(device) for device in devices)])

    def _wired(self, device: str) -> str:
        if "[device.lines]" in device:
            scheme = "wiegand:" if '"wiegand"' in device else "gpio:"
            if scheme == "wiegand:":  # a process plays the swipes, which is no reader's clock
                device = device.replace("[device.lines]", 'timing = "late"\n[device.lines]')
            return device.replace('"sim:"', f'"{scheme}{self._stack}"').replace(
                'chip = "sim"', f'chip = "{self._label}"'
            )
        master, slave = pty.openpty()
        tty.setraw(slave)
        name = re.search(r'id = "(.*)"', device)
        assert name is not None
        self._ports[name[1]] = master, slave
        return device.replace('"sim:"', f'"serial:{os.ttyname(slave)}"')
