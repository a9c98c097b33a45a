"""The board's clock: never early, never backwards, and honest about who set it."""

import asyncio
import errno
import platform
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pitwatch.hal.system_clock import SystemClock, kernel_clock_is_set


def test_monotonic_is_the_clock_that_edges_are_stamped_with():
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    now = SystemClock().now()
    assert before <= now <= time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def test_wall_is_utc_and_tells_what_the_kernel_says_of_it():
    wall, synced = SystemClock().wall()
    assert abs(wall - time.time_ns()) < 1_000_000_000
    assert synced is kernel_clock_is_set()


async def test_a_timer_never_fires_early_and_soon_after():
    clock, fired = SystemClock(), []
    due = [clock.now() + delay for delay in (0, 1, 999, 1_000_000, 3_333_333, 20_000_000, -5)]
    for t in due:
        clock.call_at(t, lambda t=t: fired.append(clock.now() - t))
    assert fired == [], "never from inside call_at"
    while len(fired) < len(due):
        assert clock.now() < max(due) + 10_000_000_000
        await asyncio.sleep(0)  # a loop that never sleeps would show a timer that is early by microseconds
    assert all(late >= 0 for late in fired)


async def test_a_cancelled_timer_does_not_fire():
    clock, fired = SystemClock(), []
    timer = clock.call_at(clock.now() + 1_000_000, lambda: fired.append(1))
    timer.cancel()
    timer.cancel()
    await asyncio.sleep(0.02)
    assert fired == []


def test_a_timer_needs_a_running_loop():
    clock = SystemClock()
    with pytest.raises(RuntimeError):
        clock.call_at(clock.now(), lambda: None)


FILTERED = """
import ctypes, struct, sys
libc = ctypes.CDLL(None)
answer = int(sys.argv[1])
def step(code, jump, k): return struct.pack("HBBI", code, 0, jump, k)
steps = step(0x20, 0, 0)  # load the number of the system call
for number in map(int, sys.argv[2:]):
    steps += step(0x15, 1, number) + step(6, 0, 0x00050000 | answer)  # if it is this one, answer with this errno
steps += step(6, 0, 0x7FFF0000)  # else allow
held = ctypes.create_string_buffer(steps, len(steps))
program = ctypes.create_string_buffer(struct.pack("@HP", len(steps) // 8, ctypes.addressof(held)))
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0, "seccomp"
from pitwatch.hal.system_clock import SystemClock, kernel_clock_is_set
print(kernel_clock_is_set(), SystemClock().wall()[1])
"""
ADJTIMEX = {"x86_64": ("159", "305"), "aarch64": ("171", "266")}  # adjtimex, clock_adjtime: a C library uses either


@pytest.mark.skipif(platform.machine() not in ADJTIMEX, reason="numbers of the system calls are known for two machines")
@pytest.mark.parametrize(
    ("answer", "is_set"), [(0, True), (errno.EPERM, Path("/run/systemd/timesync/synchronized").exists())]
)
def test_what_the_kernel_says_of_its_clock_is_believed(answer, is_set):
    """A seccomp filter speaks for the kernel: TIME_OK; or refused, as under systemd's ProtectClock=."""
    said = subprocess.run(
        [sys.executable, "-c", FILTERED, str(answer), *ADJTIMEX[platform.machine()]],
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout == f"{is_set} {is_set}\n"
