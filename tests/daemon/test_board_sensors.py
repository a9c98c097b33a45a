"""Temperature and throttling of the board, in `health`."""

from __future__ import annotations

import asyncio
import os
import threading

import pytest

from pitwatch.daemon.config import config
from pitwatch.daemon.service import board_sensors
from pitwatch.daemon.service.app import Daemon
from pitwatch.daemon.service.board_sensors import BoardSensors, Sensed, sense
from pitwatch.hal.sim import SimClock, SimFactory
from tests.roulette import roulette


@pytest.fixture
def sys(tmp_path):
    """A /sys of a Pi with two sensors."""
    for number, content in enumerate(("48312\n", "51540\n")):
        (tmp_path / f"sys/class/thermal/thermal_zone{number}").mkdir(parents=True)
        (tmp_path / f"sys/class/thermal/thermal_zone{number}/temp").write_text(content)
    (tmp_path / "sys/devices/platform/soc/soc:firmware").mkdir(parents=True)
    (tmp_path / "sys/devices/platform/soc/soc:firmware/get_throttled").write_text("50005\n")
    return tmp_path / "sys"


def test_the_warmest_sensor_and_the_firmware_s_bits(sys):
    assert sense(sys) == Sensed(51.5, 0x50005)


@pytest.mark.parametrize("content", ["", "warm\n", "-274000\n", "9" * 5000])
def test_a_sensor_that_says_nonsense_is_left_out(sys, content):
    (sys / "class/thermal/thermal_zone1/temp").write_text(content)
    (sys / "devices/platform/soc/soc:firmware/get_throttled").write_text(content)
    assert sense(sys) == Sensed(48.3, None)


def test_a_board_without_such_files_says_nothing(tmp_path):
    assert sense(tmp_path) == Sensed(None, None)


async def test_a_file_that_does_not_answer_blocks_nobody(sys):
    file = sys / "class/thermal/thermal_zone0/temp"
    file.unlink()
    os.mkfifo(file)  # which does not open until somebody writes
    sensors = BoardSensors(sys)
    sensors.start()
    for _ in range(20):
        await asyncio.sleep(0)
    assert sensors.now == Sensed()
    writing = threading.Thread(target=lambda: file.write_text("60000\n"))
    writing.start()
    async with asyncio.timeout(30):
        while sensors.now == Sensed():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert sensors.now == Sensed(60.0, 0x50005)
    writing.join()
    await sensors.stop()


async def test_it_is_in_health(tmp_path, sys, monkeypatch):
    monkeypatch.setattr(board_sensors, "SYS", sys)
    (tmp_path / "table.toml").write_text(roulette("sim:", "mqtt://127.0.0.1:1", "journal.db"))
    clock = SimClock()
    daemon = Daemon(config.load(tmp_path / "table.toml"), clock, SimFactory(clock))
    await daemon.start()
    async with asyncio.timeout(30):
        while daemon._health().temperature_c is None:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    health = daemon._health()
    assert (health.temperature_c, health.throttled, health.certificate_ends) == (51.5, 0x50005, None)
    await daemon.stop()
