"""`pitwatch run` on a table whose dice beams and panel hang on a sensor node, the wire losing one byte in a hundred."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from pathlib import Path

import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.journal.store import Store, StoreError
from pitwatch.devices.dice_table import DiceTable
from pitwatch.devices.panel import DealerPanel
from tests.firmware.rig import NodeRig, needs_micropython

TABLE = """
[table]
site = "toledo"
id = "CR-01"
game = "toledo-2020/craps"
[mqtt]
url = "mqtt://127.0.0.1:9"
[journal]
path = "journal.db"
[[device]]
id = "dice"
type = "dice"
link = "{link}"
[device.lines]
release = {{ line = 2 }}
end-wall = {{ line = 3 }}
rail-left = {{ line = 4, active_low = true, bias = "pull-up" }}
[[device]]
id = "panel"
type = "panel"
link = "{link}"
lines = {{ no-roll = {{ line = 5 }}, dice-inspected = {{ line = 6 }}, supervisor = {{ line = 7 }} }}
"""
DICE = {2: "release", 3: "end-wall", 4: "rail-left"}
PANEL = {5: "no-roll", 6: "dice-inspected", 7: "supervisor"}
MS = 1_000


def a_shift() -> list[tuple[int, int, int]]:
    """Four throws 2.6 s apart, a die over the rail in the third, and a key pressed every 160 ms."""
    script = []

    def pulse(t: int, pin: int, width: int, active: int = 1) -> None:
        script.extend([(t, pin, active), (t + width, pin, 1 - active)])

    for number in range(4):
        t = 1_500 * MS + number * 2_600 * MS
        pulse(t, 2, 20 * MS)
        pulse(t + 90 * MS, 2, 20 * MS)
        pulse(t + 500 * MS, 3, 10 * MS)
        pulse(t + 640 * MS, 3, 10 * MS)
        if number == 2:
            pulse(t + 800 * MS, 4, 30 * MS, 0)
    for number in range(60):
        pulse(1_400 * MS + number * 160 * MS, 5 + number % 3, 60 * MS)
    return sorted(script)


def decoded(device, names, played, inverted=()):
    """What the device makes of the same edges without a node: (event, data), in order."""
    seen = device.initial(dict.fromkeys(names.values(), 0), 0)
    for before, after, pin, level in played:
        t = (before + after) * 500
        while device.deadline is not None and device.deadline <= t:
            seen += device.tick(device.deadline)
        if pin in names:
            seen += device.edge(names[pin], level ^ (pin in inverted), t)
    while device.deadline is not None:
        seen += device.tick(device.deadline)
    return [(one.event, one.data) for one in seen]


def journalled(path: Path, kind: str) -> list[dict]:
    try:
        store = Store(path, read_only=True)
    except StoreError:
        return []
    try:
        return [json.loads(record.body) for record in store.read(0, 1_000_000) if record.kind == kind]
    finally:
        store.close()


def plain(found):
    """Without what depends on a millisecond of the clock."""
    return [(event, {key: value for key, value in data.items() if key != "spread_ms"}) for event, data in found]


async def wait_for(condition, seconds: float) -> None:
    for _ in range(int(seconds / 0.1)):
        if condition():
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"did not happen within {seconds:g} s")


@needs_micropython
async def test_no_observation_is_lost_or_told_twice_at_one_percent_byte_loss(tmp_path):
    script = a_shift()
    rig = NodeRig(tmp_path, script, ppm=50, drop=0.01, split=True, delay_ms=5)
    config, journal = tmp_path / "table.toml", tmp_path / "journal.db"
    config.write_text(TABLE.format(link=rig.link))
    assert cli.main(["check", str(config)]) == 0
    daemon = await asyncio.create_subprocess_exec(sys.executable, "-m", "pitwatch.daemon.cli", "run", str(config))
    try:
        rig.power_on()

        def told(device):
            return [
                (one["event"], one["data"]) for one in journalled(journal, "observation") if one["device"] == device
            ]

        # What was played, not what was to be: on a busy machine pulses get as short as nothing, which no device tells.
        await wait_for(lambda: len(rig.played()) == len(script), 40)
        played = rig.played()
        wanted = {
            "dice": decoded(DiceTable("dice"), DICE, played, inverted=(4,)),
            "panel": decoded(DealerPanel("panel"), PANEL, played),
        }
        await wait_for(lambda: all(len(told(device)) > len(wanted[device]) for device in wanted), 60)
        await asyncio.sleep(1.0)
        rig.power_off()
        rig.power_on(cause=3, play=False)
        await wait_for(lambda: told("panel")[-1][0] == "device_online", 60)
        daemon.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(daemon.wait(), 60) == 0
    finally:
        if daemon.returncode is None:
            daemon.kill()
        rig.close()
    assert rig.to_board.dropped > 50
    for device in wanted:
        found = told(device)
        [online, offline, again] = [one for one in found if one[0].startswith("device_o")]
        assert online[1]["node"]["id"] == "e660583883724a32"
        assert (online[1]["node"]["firmware"], online[1]["node"]["started"]) == ("1.0.0", "power")
        assert 0 < online[1]["node"]["clock_error_us"] < 20_000
        assert "the sensor node was started anew by its watchdog" in offline[1]["reason"]
        assert again[1]["node"]["started"] == "watchdog"
        states = [one for one in journalled(journal, "device") if one["device"] == device and "node" in one]
        assert [one["state"] for one in states] == ["online", "offline", "online"]
        assert [one["node"]["started"] for one in states] == ["power", "power", "watchdog"]
        found = [one for one in found if not one[0].startswith("device_o")]
        assert plain(found) == plain(wanted[device])
    assert [one for one in told("dice") if one[0] == "throw_started"]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("release = { line = 2 }", 'release = { chip = "x", line = 2 }', "release.chip: a sensor node has no chips"),
        ("release = { line = 2 }", "release = { line = 300 }", "lines.release.line: 300 is no GPIO of a node"),
        ("{ line = 5 }", "{ line = 2 }", "line 2 of node:serial:"),
        ("node:serial:", "node:tcp:", "names no port; write the port after node:"),
        ('type = "panel"', 'type = "panel"\nprotocol = "ndjson"', "does not carry bytes, which ndjson needs"),
    ],
)
def test_what_is_wrong_with_a_node_s_device_is_one_line(tmp_path, capsys, old, new, says):
    config = tmp_path / "table.toml"
    text = TABLE.format(link="node:serial:/dev/ttyACM0")
    config.write_text(text)
    assert cli.main(["check", str(config)]) == 0
    assert old in text
    config.write_text(text.replace(old, new))
    assert cli.main(["check", str(config)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert says in lines[0]
    assert len(lines) == text.count(old), "one for each device that has it"
