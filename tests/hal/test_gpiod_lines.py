"""What of the libgpiod back end can be shown without a GPIO chip; the rest wants contract_lines on a kernel."""

import errno
import os
from datetime import timedelta

import gpiod
import pytest
from gpiod.line import Bias, Clock, Direction, Edge

from pitwatch.hal.device_files import BOARD_DEVICES
from pitwatch.hal.errors import Busy, Forbidden, HalError, Missing, Unusable
from pitwatch.hal.gpiod_lines import GpiodLines, explain, find_chip, settings
from pitwatch.hal.line import BIASES, LineSpec
from tests.hal.contract_lines import Watcher
from tests.hal.rigs import RealTime


def test_a_line_is_asked_for_as_the_configuration_says():
    asked = settings(LineSpec("rail", "pinctrl-bcm2711", 17, active_low=True, bias="pull-up", debounce_us=500))
    assert asked == gpiod.LineSettings(
        direction=Direction.INPUT,
        edge_detection=Edge.BOTH,
        bias=Bias.PULL_UP,
        active_low=True,
        debounce_period=timedelta(microseconds=500),
        event_clock=Clock.MONOTONIC,
    )


def test_plain_settings_ask_for_nothing_more():
    asked = settings(LineSpec("rail", "pinctrl-bcm2711", 17))
    assert (asked.bias, asked.active_low, asked.debounce_period) == (Bias.AS_IS, False, timedelta(0))


def test_every_bias_of_the_configuration_has_one_of_libgpiod():
    assert len({settings(LineSpec("a", "c", 0, bias=bias)).bias for bias in BIASES}) == len(BIASES)


def test_a_chip_on_a_board_without_any(tmp_path, monkeypatch):
    monkeypatch.setenv(BOARD_DEVICES, str(tmp_path))
    with pytest.raises(Missing) as caught:
        find_chip("pinctrl-bcm2711")
    assert str(caught.value) == (
        "pinctrl-bcm2711: no such GPIO chip, nor any other; "
        "correct `chip`, or switch on the overlay that brings the chip (dtoverlay= in config.txt)"
    )


def test_files_that_only_look_like_chips_are_passed_over(tmp_path, monkeypatch):
    monkeypatch.setenv(BOARD_DEVICES, str(tmp_path))
    (tmp_path / "gpiochip0").write_bytes(b"")
    os.symlink("/dev/null", tmp_path / "gpiochip1")
    with pytest.raises(Missing, match="nor any other"):
        find_chip("pinctrl-rp1")


def test_a_path_and_a_name_are_taken_as_they_are(tmp_path, monkeypatch):
    monkeypatch.setenv(BOARD_DEVICES, str(tmp_path))
    (tmp_path / "gpiochip3").write_bytes(b"")
    assert find_chip("gpiochip3") == str(tmp_path / "gpiochip3")
    assert find_chip("/dev/gpiochip9") == str(tmp_path / "gpiochip9")
    monkeypatch.delenv(BOARD_DEVICES)
    assert find_chip("/dev/gpiochip9") == "/dev/gpiochip9"


def test_a_compatibility_name_is_the_chip_that_it_leads_to(tmp_path, monkeypatch):
    """As on a Raspberry Pi 5, where the header's chip was gpiochip4 and later kernels keep that name as a link."""
    monkeypatch.setenv(BOARD_DEVICES, str(tmp_path))
    (tmp_path / "gpiochip0").write_bytes(b"")
    os.symlink("gpiochip0", tmp_path / "gpiochip4")
    assert find_chip("gpiochip4") == find_chip("gpiochip0") == str(tmp_path / "gpiochip0")


@pytest.mark.parametrize(
    ("error", "kind", "says"),
    [
        (OSError(errno.EBUSY, ""), Busy, "held by another program"),
        (OSError(errno.EACCES, ""), Forbidden, "group gpio"),
        (OSError(errno.EPERM, ""), Forbidden, "group gpio"),
        (OSError(errno.ENODEV, ""), Missing, "taken away"),
        (OSError(errno.ENOENT, ""), Missing, "no such GPIO chip"),
        (OSError(errno.ENXIO, ""), Unusable, "no interrupt"),
        (ValueError("invalid bias"), Unusable, "invalid bias"),
        (NotImplementedError("debounce"), Unusable, "debounce"),
    ],
)
def test_libgpiods_errors_are_put_in_words(error, kind, says):
    put = explain("mcp23017", error)
    assert type(put) is kind
    assert says in str(put)
    assert str(put).startswith("mcp23017: ")


def test_what_libgpiod_really_raises_for_files_that_are_no_chips(tmp_path):
    for path in (tmp_path / "nothing", "/dev/null"):
        with pytest.raises(OSError) as caught:  # noqa: PT011 - the number is what is looked at
            gpiod.Chip(str(path))
        assert isinstance(explain(str(path), caught.value), Missing)


async def test_a_chip_that_is_not_there_is_told_once_and_looked_for_again():
    rig = RealTime()
    bank = GpiodLines(rig.clock, [LineSpec("a", "no-such-chip", 1)], "pitwatch:dice")
    watcher = Watcher(bank).start()
    assert len(watcher.states) == 1
    online, reason = watcher.states[0]
    assert not online
    assert reason.startswith("no-such-chip: no such GPIO chip")
    assert "correct `chip`" in reason
    with pytest.raises(RuntimeError, match="twice"):
        watcher.start()
    with pytest.raises(HalError, match="not held"):
        bank.levels()
    await rig.wait(0.7)
    assert len(watcher.states) == 1
    bank.stop()
    bank.stop()
    watcher.start()
    assert len(watcher.states) == 2
    bank.stop()
