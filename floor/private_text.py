"""Text of a file that holds secrets."""

from __future__ import annotations

from pathlib import Path

from pitwatch.daemon.doctor.secrets import loose


def private_text(path: Path) -> str:
    """What a file says that nobody else may read. Raises ValueError, which contains nothing of it."""
    if loose(path):
        raise ValueError(f"{path}: others may read it; chmod 600 it")
    try:
        return path.read_text(encoding="ascii")
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path}: is not ASCII text") from None
