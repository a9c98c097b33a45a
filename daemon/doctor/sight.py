"""Which files in /etc/pitwatch the service makes visible to a table: its own and the shared ones, so that no table can
read another's keys. systemd/pitwatch@.service enforces it; this module only reports on a configuration. Opens nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pitwatch.daemon.config import Config
from pitwatch.daemon.config.installed import FOLDER
from pitwatch.daemon.config.mqtt_config import FILES
from pitwatch.daemon.doctor.secrets import secret_files
from pitwatch.daemon.service.status import book_folder_of

SHARED = ("books", "shared")
"""Folders in it that every table sees."""


def unseen(config: Config) -> Iterator[str]:
    """One line for each file of a configuration in /etc/pitwatch that its service does not see; none for a
    configuration elsewhere, which is no service's. Inside the service, only what is missing there."""
    if config.path.parent != FOLDER:
        return
    own = (config.path.stem, *SHARED)
    inside = "BOARD_DEVICES" in os.environ
    named = {"table.game": book_folder_of(config)}
    if config.mqtt is not None:
        named |= {f"mqtt.{key}": Path(path) for key in FILES if (path := getattr(config.mqtt, key))}
    named |= {what: path for what, path in secret_files(config) if what != "signing key"}
    for what, path in named.items():
        hidden = [each for each in (path.absolute(), path.resolve()) if _is_hidden(each, own)]
        if hidden and not (inside and path.exists()):
            yield (
                f"{what}: {hidden[0]}: the service does not show this to the table; move it to {FOLDER}/{own[0]}, or "
                f"to {FOLDER}/shared if all tables may read it, unless a drop-in shows it"
            )


def _is_hidden(path: Path, own: tuple[str, ...]) -> bool:
    return path.is_relative_to(FOLDER) and not any(path.is_relative_to(FOLDER / name) for name in own)
