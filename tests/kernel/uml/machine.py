"""Runs a command inside the kernel under test: a user-mode Linux, an ordinary process that needs no privileges.

The command sees this machine's files at the same paths and keeps its environment, folder, output and exit status; what
it writes vanishes, except in the folders named. Knows nothing of GPIO. By hand, from the root of the project:
python -m tests.kernel.uml.machine COMMAND…
"""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

HERE = Path(__file__).parent
DIED = 125
TIMED_OUT = 124
RELEASE_ENDS = "-gpiosim"


def on_one_processor(pick: Callable[[set[int]], int]) -> tuple[str, ...]:
    """What to put before a guest's command. Its processes take turns all the time; where each turn wakes another, idle
    processor, a boot takes more than twice as long."""
    return "taskset", "--cpu-list", str(pick(os.sched_getaffinity(0)))


class NoKernelError(Exception):
    """There is no kernel to run, with the reason and the fix in one line."""


def inside() -> bool:
    """Whether this process runs on the kernel under test."""
    return os.uname().release.endswith(RELEASE_ENDS)


def kernel(build: bool = False) -> Path:
    """The folder with `linux` and `pi4.dtb`, made now if wished. Raises NoKernelError."""
    made = subprocess.run(
        [HERE / "build", *([] if build else ["--dry-run"])], stdout=subprocess.PIPE, stderr=None, text=True, check=False
    )
    folder = Path(made.stdout.strip() or "/nonexistent")
    if made.returncode:
        raise NoKernelError("the kernel could not be built; what it lacks stands above")
    if not (folder / "linux").exists():
        raise NoKernelError("no kernel is built yet: make kernel-test builds it")
    return folder


def run(
    command: Sequence[str | os.PathLike[str]],
    *,
    seconds: float = 300,
    write: Sequence[Path] = (),
    pi4: bool = False,
    memory: str = "768M",
    environment: Mapping[str, str] | None = None,
    out: BinaryIO | None = None,
    err: BinaryIO | None = None,
) -> int:
    """The command's exit status; 124 if it took longer than `seconds`, 125 if the kernel died (its log goes to `err`).

    pi4: with a Raspberry Pi 4's device tree and header chip. out, err: standard output and error unless given.
    Raises NoKernelError.
    """
    folder = kernel()
    out, err = out or sys.stdout.buffer, err or sys.stderr.buffer
    with tempfile.TemporaryDirectory(prefix="pitwatch-guest.") as scratch:
        Path(scratch, "job").write_text(_job(command, os.environ if environment is None else environment))
        log: list[bytes] = []
        # Pipes, because user-mode Linux cannot poll a file.
        consoles = [_Console(out), _Console(err), _Console(log)]
        parameters = [
            f"mem={memory}",
            f"uml_dir={scratch}/",
            "rootfstype=hostfs",
            "rootflags=/",
            "ro",
            f"init={HERE / 'init'}",
            "con=null",
            *(f"con{number}=null,fd:{console.end}" for number, console in enumerate(consoles)),
            "console=tty2",
            f"PW_RUN={scratch}",
            f"PW_WRITE={':'.join(str(each.resolve()) for each in write)}",
            f"PW_PYTHON={sys.executable}",
            *([f"dtb={folder / 'pi4.dtb'}"] if pi4 else []),
        ]
        guest = subprocess.Popen(
            [*on_one_processor(max), folder / "linux", *parameters],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=[console.end for console in consoles],
            env={**os.environ, "TMPDIR": os.environ.get("TMPDIR", "/tmp")},
            start_new_session=True,
        )
        for console in consoles:
            console.started()
        assert guest.stdout is not None
        said = _Console(log, guest.stdout.fileno())
        timed_out = False
        try:
            guest.wait(seconds)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            # Its helpers too: each process of the guest is one of the host.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(guest.pid, signal.SIGKILL)
            guest.wait()
            for console in (*consoles, said):
                console.finish()
        status = Path(scratch, "status")
        if status.exists() and not timed_out:
            return int(status.read_text())
        err.write(b"".join(log) + (b"timed out after %g s\n" % seconds if timed_out else b"the kernel died\n"))
        err.flush()
        return TIMED_OUT if timed_out else DIED


def _job(command: Sequence[str | os.PathLike[str]], environment: Mapping[str, str]) -> str:
    exports = [f"export {key}={shlex.quote(value)}" for key, value in environment.items() if key.isidentifier()]
    return "\n".join(
        [*exports, f"cd {shlex.quote(os.getcwd())}", "exec " + shlex.join([os.fspath(each) for each in command]), ""]
    )


class _Console:
    """A pipe out of the guest and who copies it."""

    def __init__(self, sink: BinaryIO | list[bytes], source: int | None = None) -> None:
        self.end = -1
        if source is None:
            source, self.end = os.pipe()
        self._source = source
        self._sink = sink
        self._thread = threading.Thread(target=self._copy, daemon=True)
        self._thread.start()

    def started(self) -> None:
        os.close(self.end)

    def _copy(self) -> None:
        while data := os.read(self._source, 65536):
            if isinstance(self._sink, list):
                self._sink.append(data)
            else:
                self._sink.write(data)
                self._sink.flush()

    def finish(self) -> None:
        self._thread.join(10)


if __name__ == "__main__":
    try:
        kernel(build=True)
        sys.exit(run(sys.argv[1:], pi4=True, write=[Path.cwd()]))
    except NoKernelError as lacking:
        sys.exit(str(lacking))
