"""A fresh Debian in a folder, in which a test gives commands. What they change is gone when it is closed."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

HERE = Path(__file__).parent

HAND = """
import json, subprocess, sys
print("ready", flush=True)
for line in sys.stdin:
    done = subprocess.run(["bash", "-c", json.loads(line)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")
    print(json.dumps([done.returncode, done.stdout]), flush=True)
"""


class Debian:
    """`release` by its name, such as trixie, or with an architecture: trixie/arm64. /tmp is `shared` in it. Raises
    RuntimeError where none can be had."""

    def __init__(self, release: str, shared: Path) -> None:
        maker = HERE / ("foreign" if "/" in release else "folder")
        made = subprocess.run([maker, release], capture_output=True, text=True, check=False)
        if made.returncode:
            raise RuntimeError(made.stderr.strip())
        self._guest = subprocess.Popen(
            [HERE / "inside", "--tmp", shared, release, "python3", "-uc", HAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._answer()

    def tries(self, command: str) -> tuple[int, str]:
        """The exit status and the output of a shell command that root gives."""
        assert self._guest.stdin is not None
        self._guest.stdin.write(json.dumps(command) + "\n")
        self._guest.stdin.flush()
        status, out = json.loads(self._answer())
        return status, out

    def does(self, command: str) -> str:
        """The same, for a command that must succeed."""
        status, out = self.tries(command)
        assert status == 0, f"{command}: exit status {status}\n{out}"
        return out.strip()

    def refuses(self, command: str) -> str:
        """The same, for one that must not."""
        status, out = self.tries(command)
        assert status != 0, f"{command}: was done\n{out}"
        return out.strip()

    def close(self) -> None:
        assert self._guest.stdin is not None
        self._guest.stdin.close()
        self._guest.wait()

    def _answer(self) -> str:
        assert self._guest.stdout is not None
        line = self._guest.stdout.readline()
        assert line, "the Debian in the folder has gone; what it lacks stands above"
        return line
