"""A program at a terminal of its own, and a person who types there."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import subprocess
import time
from collections.abc import Mapping, Sequence

LIMIT_S = 60.0


class Typed:
    """`said` is everything that the program wrote so far; `expect` waits for what comes after the last match."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str]):
        self.master, slave = pty.openpty()
        self._process = subprocess.Popen(
            command, env=dict(env), preexec_fn=lambda: os.login_tty(slave), pass_fds=(slave,)
        )
        os.close(slave)
        self.said = ""
        self._seen = 0

    def expect(self, text: str) -> str:
        """What was written up to `text`, from where the last one ended."""
        end = time.monotonic() + LIMIT_S
        while text not in self.said[self._seen :]:
            assert time.monotonic() < end, f"{text!r} did not come after:\n{self.said[self._seen :]}"
            if not self._read(0.2):
                assert text in self.said[self._seen :], f"{text!r} did not come; all there was:\n{self.said}"
        at = self.said.index(text, self._seen) + len(text)
        between, self._seen = self.said[self._seen : at], at
        return between

    def answer(self, question: str, line: str = "") -> str:
        """Wait for a question and answer it; returns what stood before it."""
        between = self.expect(question)
        self.expect(": ")
        self.type(line + "\n")
        return between

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def interrupt(self) -> None:
        """Presses Ctrl-C until the program has ended: one that comes just before it waits for a key is not seen by
        Python before the next."""
        end = time.monotonic() + LIMIT_S
        while self._process.poll() is None:
            assert time.monotonic() < end, f"it did not end:\n{self.said}"
            self.type("\x03")
            self._read(0.5)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(0.5)

    def end(self) -> int:
        """The exit code, once the program has ended by itself."""
        end = time.monotonic() + LIMIT_S
        while self._read(0.2):
            assert time.monotonic() < end, f"it did not end:\n{self.said}"
        return self._process.wait(LIMIT_S)

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait(LIMIT_S)
        os.close(self.master)

    def _read(self, seconds: float) -> bool:
        """Whether more may come."""
        if not select.select([self.master], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.master, 65536)
        except OSError:  # the program has closed its end
            return False
        self.said += data.decode(errors="replace").replace("\r\n", "\n")
        return bool(data)
