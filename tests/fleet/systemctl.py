"""Starts, stops and restarts the tables of a board that is a folder. As systemd it waits for READY=1 of a service of
`Type=notify`. For tests only.

    systemctl.py BOARD is-active|restart|stop|enable --now|disable --now UNIT, or try-restart PATTERN
"""

from __future__ import annotations

import contextlib
import fnmatch
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

START_S, STOP_S = 60.0, 20.0


def pid_of(board: Path, unit: str) -> int:
    """Of the running daemon; 0 if none runs."""
    try:
        pid = int((board / "run" / unit).read_text())
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, ValueError, IndexError):
        return 0
    return 0 if state in "ZX" else pid


def start(board: Path, unit: str) -> int:
    name = unit.removeprefix("pitwatch@").removesuffix(".service")
    state = board / "state" / name
    state.mkdir(exist_ok=True)
    path = board / "run" / f"{unit}.notify"
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ready, (board / "log").open("ab") as log:
        os.chdir(path.parent)  # a socket's path may have 107 characters only
        ready.bind(path.name)
        ready.settimeout(0.2)
        environment = {**os.environ, "NOTIFY_SOCKET": str(path), "STATE_DIRECTORY": str(state)}
        if len(str(path)) > 100:
            environment["NOTIFY_SOCKET"] = f"/proc/{os.getpid()}/cwd/{path.name}"
        daemon = subprocess.Popen(
            [board / "bin" / "pitwatch", "run", board / "etc" / f"{name}.toml"],
            env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
        (board / "run" / unit).write_text(str(daemon.pid))
        end = time.monotonic() + START_S
        while time.monotonic() < end and daemon.poll() is None:
            with contextlib.suppress(TimeoutError):
                if b"READY=1" in ready.recv(4096):
                    return 0
    daemon.kill()
    daemon.wait()
    print(f"Job for {unit} failed", file=sys.stderr)
    return 1


def stop(board: Path, unit: str) -> None:
    if pid := pid_of(board, unit):
        os.kill(pid, signal.SIGTERM)
        end = time.monotonic() + STOP_S
        while pid_of(board, unit) and time.monotonic() < end:
            time.sleep(0.02)
        if pid_of(board, unit):
            os.kill(pid, signal.SIGKILL)
    (board / "run" / unit).unlink(missing_ok=True)


def main(board: Path, verb: str, *words: str) -> int:
    unit = words[-1]
    if verb == "is-active":
        failed = (board / "run" / unit).exists()
        print("active" if pid_of(board, unit) else "failed" if failed else "inactive")
        return 0 if pid_of(board, unit) else 3
    if verb == "try-restart":
        units = [path.name for path in (board / "run").iterdir() if fnmatch.fnmatch(path.name, unit)]
        return max((main(board, "restart", each) for each in units if pid_of(board, each)), default=0)
    if verb in ("restart", "stop", "disable"):
        stop(board, unit)
    return start(board, unit) if verb in ("restart", "enable") else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
