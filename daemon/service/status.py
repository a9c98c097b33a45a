"""The state of the process for subscribers, with fingerprints of its parts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from pitwatch.daemon.common.version import full_version
from pitwatch.daemon.config import Config
from pitwatch.daemon.contract.messages import Fingerprints, StatusData
from pitwatch.daemon.service.integrity import program_fingerprint
from pitwatch.rules.book import book_files, book_folder
from pitwatch.rules.book.book_file import BookError


def fingerprints(config: Config) -> Fingerprints:
    """SHA-256 of the book's files by name and content, of the game's, of the configuration, of the program
    and of the device classes from outside. Raises OSError."""
    folder = book_folder_of(config)
    return Fingerprints(
        book=book_fingerprint(folder),
        game=_digest(folder / name for name in config.game.files if Path(name).stem not in ("book", "general")),
        configuration=config.fingerprint,
        program=program_fingerprint(each.outside for each in config.devices if each.outside),
    )


def book_fingerprint(folder: Path) -> str:
    """SHA-256 of a rule book's files by name and content. Raises OSError, BookError."""
    return _digest(book_files(folder))


def book_folder_of(config: Config) -> Path:
    """The folder of the table's rule book."""
    book = config.table.game.rstrip("/").rpartition("/")[0]
    try:
        return book_folder(book)
    except BookError:
        return config.path.parent / book


def _digest(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


class Status:
    """What the process says of itself. `data(state)` is the payload for a state."""

    def __init__(self, config: Config, boot: str):
        self._game = config.game.path
        self.fingerprints = fingerprints(config)
        self._boot = boot
        self.journal = "ok"
        self.key: str | None = None

    def data(self, state: str) -> StatusData:
        return StatusData(
            state=state,  # type: ignore[arg-type]
            version=full_version(),
            game=self._game,
            fingerprints=self.fingerprints,
            boot=self._boot,
            journal=self.journal,
            key=self.key,
        )
