"""mqtt-io, the nearest peer that reads a serial port and publishes what it reads, in an environment of its own.

Installed from PyPI at the first run and kept in the user's cache folder. Its best setting is its shortest
`read_interval`: it polls the port, it does not wait for it.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figure import say
from benchmarks.table import end
from pitwatch.daemon.config.broker_url import parse_broker_url

VERSION = "2.7.0"
NAME = f"mqtt-io {VERSION} serial stream, read_interval 0.01 s"
TOPIC = "mqttio/stream/wheel"
INSTALL_WITHIN = 180.0

CONFIGURATION = """\
mqtt: {{host: "{host}", port: {port}, topic_prefix: mqttio}}
options: {{install_requirements: no}}
logging: {{version: 1}}
stream_modules:
  - {{name: wheel, module: serial, device: {device}, baud: 115200, read_interval: 0.01}}
"""


@contextlib.contextmanager
def running(url: str, device: str, folder: Path, install: bool) -> Iterator[bool]:
    """It runs and reads `device` for the length of the block; False, and the reason on stderr, if it cannot be had.

    `install`: whether it may be installed if it is not there yet.
    """
    try:
        python = _python(install)
    except (OSError, subprocess.SubprocessError) as error:
        say(f"mqtt-io: no figures: {error}")
        yield False
        return
    broker = parse_broker_url(url)
    configuration = folder / "mqtt-io.yml"
    configuration.write_text(CONFIGURATION.format(host=broker.host, port=broker.port, device=device))
    with (folder / "mqtt-io.log").open("wb") as log:
        process = subprocess.Popen([python, "-m", "mqtt_io", str(configuration)], stdout=log, stderr=log)
        try:
            yield True
        finally:
            end(process)


def _python(install: bool) -> Path:
    """The interpreter of the environment that has it. Raises OSError or SubprocessError if it cannot be installed."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "pitwatch-benchmarks" / f"mqtt-io-{VERSION}-{sys.implementation.cache_tag}"
    python, done = folder / "bin" / "python", folder / "installed"
    if done.exists():
        return python
    if not install:
        raise FileNotFoundError(f"version {VERSION} is not installed yet; a run without --quick installs it")
    venv.create(folder, with_pip=True, clear=True)
    command = [str(python), "-m", "pip", "install", "--quiet", f"mqtt-io=={VERSION}", "pyserial"]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_WITHIN, check=False)
    if answer.returncode:
        last = (answer.stderr.strip() or "no reason given").splitlines()[-1]
        raise OSError(f"version {VERSION} cannot be installed from PyPI: {last}")
    done.touch()
    return python
