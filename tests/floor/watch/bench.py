"""A live bench beside the test: `pitwatch bench` as a process that publishes to the test's broker. For tests only."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def playing(url: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Ended at the end of the block, if it has not ended by itself."""
    command = [sys.executable, "-m", "pitwatch.daemon.cli", "bench", "--broker", url, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
