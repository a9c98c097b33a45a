"""A board with Debian and a real systemd as process 1, in a user-mode Linux: switched on, off, or without its current.

Its first serial port is `wire`, where a device may be; at the second is the hand that does what a test says. Knows
nothing of Pitwatch but the kernel that tests/kernel/uml makes.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import queue
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from tests.kernel.uml import machine

HERE = Path(__file__).parent
BOOT_SECONDS = 90
GRACE = 15
"""Seconds that an answer of the hand may come later than the command was allowed to take."""
NO_CONSOLES = ("getty-static.service", "getty@tty1.service", "e2scrub_reap.service")
"""What has nothing to do here and takes time at the start."""


class NoBoardError(Exception):
    """There is no disk to boot, with the reason and the fix in one line."""


class BoardError(AssertionError):
    """The board does not do what was said; the message is what it said last."""


def disk() -> Path:
    """The disk to boot, made now if it is not there. Raises NoBoardError."""
    made = subprocess.run([HERE / "image"], stdout=subprocess.PIPE, text=True, check=False)
    if made.returncode:
        raise NoBoardError("the board's disk could not be made; what it lacks stands above")
    return Path(made.stdout.strip())


class Board:
    """`shared` is a folder that the board sees as /mnt/shared. Raises NoBoardError, machine.NoKernelError."""

    def __init__(self, folder: Path) -> None:
        self.shared = folder / "shared"
        self.shared.mkdir()
        self.log = folder / "console.log"
        self.boots = 0
        self._disk = folder / "disk"
        subprocess.run(["cp", "--sparse=always", disk(), self._disk], check=True)
        self._linux = machine.kernel() / "linux"
        self._guest: subprocess.Popen[bytes] | None = None
        self._wire = self._to_hand = -1
        self._numbers = itertools.count()

    def on(self) -> None:
        """Give it current and wait until its hand is there."""
        self._scratch = tempfile.mkdtemp(prefix="pitwatch-board.")
        wire_out, self._wire = os.pipe()
        hand_out, self._to_hand = os.pipe()
        from_hand, hand_in = os.pipe()
        wire_in = os.open(os.devnull, os.O_WRONLY)
        ends = (wire_out, hand_out, hand_in, wire_in)
        with self.log.open("ab") as log:
            self._guest = subprocess.Popen(
                [
                    *machine.on_one_processor(min),
                    self._linux,
                    "mem=768M",
                    f"uml_dir={self._scratch}/",
                    f"ubd0={self._disk}",
                    "root=/dev/ubda",
                    "rootfstype=ext4",
                    "rw",
                    "init=/lib/systemd/systemd",
                    "con=null",
                    "con0=null,fd:1",
                    "ssl=null",
                    f"ssl0=fd:{wire_out},fd:{wire_in}",
                    f"ssl1=fd:{hand_out},fd:{hand_in}",
                    "console=tty0",
                    "loglevel=4",
                    "systemd.show_status=1",
                    *(f"systemd.mask={unit}" for unit in NO_CONSOLES),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=ends,
                start_new_session=True,
            )
        for end in ends:
            os.close(end)
        self._answers: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._listen, args=(from_hand, self._answers), daemon=True).start()
        self.boots += 1
        deadline = time.monotonic() + BOOT_SECONDS
        while self._answer(deadline, "it does not boot").strip() != b"hand ready":
            pass
        self.does(
            f"mount -t hostfs -o {shlex.quote(str(self.shared))} hostfs /mnt/shared 2>&1 || "
            f"{{ mkdir -p /mnt/shared; mount -t hostfs -o {shlex.quote(str(self.shared))} hostfs /mnt/shared; }}"
        )

    def tries(self, command: str, seconds: float = 60) -> tuple[int, str]:
        """The exit status and output of a shell command that root gives; 124 after so many seconds."""
        number = next(self._numbers)
        os.write(self._to_hand, json.dumps({"id": number, "run": command, "seconds": seconds}).encode() + b"\n")
        deadline = time.monotonic() + seconds + GRACE
        while True:
            line = self._answer(deadline, f"no answer to {command}")
            if line.startswith(b"{"):
                answer = json.loads(line)
                if answer["id"] == number:
                    return answer["status"], answer["out"]

    def does(self, command: str, seconds: float = 60) -> str:
        """The same, for a command that must succeed."""
        status, out = self.tries(command, seconds)
        if status:
            raise BoardError(f"{command}: exit status {status}\n{out}")
        return out

    def until(self, command: str, seconds: float, every: float = 0.5) -> str:
        """The output of the command when it first succeeds."""
        deadline = time.monotonic() + seconds
        while True:
            status, out = self.tries(command)
            if status == 0:
                return out
            if time.monotonic() > deadline:
                raise BoardError(f"{command}: not within {seconds:g} s\n{out}")
            time.sleep(every)

    def wire(self, data: bytes) -> None:
        """What a device sends to /dev/ttyS0."""
        os.write(self._wire, data)

    def cut(self) -> None:
        """The current fails: everything that is not on the disk is gone."""
        assert self._guest is not None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._guest.pid, signal.SIGKILL)
        self._ended()

    def off(self) -> None:
        """Shut down in order."""
        assert self._guest is not None
        self.does("systemctl --no-block poweroff")
        try:
            self._guest.wait(60)
        finally:
            self.cut()

    def said(self) -> str:
        """What was on the console, of all boots."""
        return re.sub(r"\x1b\[[0-9;]*m", "", self.log.read_text(errors="replace"))

    def close(self) -> None:
        if self._guest is not None:
            self.cut()

    def _ended(self) -> None:
        assert self._guest is not None
        self._guest.wait()
        self._guest = None
        os.close(self._wire)
        os.close(self._to_hand)
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _answer(self, deadline: float, what: str) -> bytes:
        try:
            line = self._answers.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            line = b""
        if not line:
            raise BoardError(f"{what}; the console said last:\n" + "\n".join(self.said().splitlines()[-40:]))
        return line

    @staticmethod
    def _listen(source: int, answers: queue.Queue[bytes]) -> None:
        """b"" says that the board has gone."""
        with open(source, "rb") as lines:
            for line in lines:
                answers.put(line)
        answers.put(b"")
