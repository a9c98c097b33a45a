"""One of docs/examples as a process of its own, with what it wrote. For tests only."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


class Script:
    """Started at once; `out` and `err` are the complete lines so far."""

    def __init__(self, folder: Path, *command: str, environment: dict[str, str] | None = None, cwd: Path | None = None):
        folder.mkdir(exist_ok=True)
        self._out, self._err = folder / "out", folder / "err"
        with self._out.open("ab") as out, self._err.open("ab") as err:
            self.process = subprocess.Popen(
                command,
                stdout=out,
                stderr=err,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                cwd=cwd,
                env={**os.environ, **(environment or {})},
            )

    @property
    def out(self) -> list[str]:
        return _lines(self._out)

    @property
    def err(self) -> list[str]:
        return _lines(self._err)

    def stop(self) -> None:
        """SIGTERM to the whole of it, SIGKILL if that is not enough."""
        for sent in (signal.SIGTERM, signal.SIGKILL):
            if self.process.poll() is None:
                os.killpg(self.process.pid, sent)
                try:
                    self.process.wait(timeout=10)
                except subprocess.TimeoutExpired:
                    continue
        self.process.wait()


def _lines(path: Path) -> list[str]:
    return [line.rstrip("\n") for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]
