"""Checks that only the daemon's user can read secret files. Does not read the secrets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pitwatch.daemon.config import Config
from pitwatch.daemon.config.token_key import TokenKey
from pitwatch.daemon.journal.checkpoints import key_path
from pitwatch.hal.address import parse


def secret_files(config: Config) -> Iterator[tuple[str, Path]]:
    """What each is called, and where it is; it need not be there."""
    if config.mqtt is not None:
        for key in ("key", "password_file"):
            if getattr(config.mqtt, key):
                yield f"mqtt.{key}", Path(getattr(config.mqtt, key))
    yield from own_secrets(config)


def own_secrets(config: Config) -> Iterator[tuple[str, Path]]:
    """Those that are nothing to the broker."""
    yield "signing key", key_path(config.journal)
    if isinstance(config.token, TokenKey) and config.token.pin_file:
        yield "PIN of the token", Path(config.token.pin_file)
    for device in config.devices:
        link = parse(device.link)
        for name, path in (("key_file", link.key_file), ("password_file", link.password_file)):
            if path:
                yield f"{name} of {device.id}", Path(path)


def loose(path: Path) -> bool:
    """Whether others than its owner may read or change a file that is there. Never raises."""
    try:
        return bool(path.stat().st_mode & 0o077)
    except OSError:
        return False
