"""The daemon's one error for people: unusable input, reported in one line."""

from __future__ import annotations

from pathlib import Path

from pitwatch.rules.text.one_line import one_line


class UsageError(Exception):
    """Input that cannot be used; the message is one line that says where and what would be right (exit code 2)."""

    def __init__(self, says: str):
        super().__init__(one_line(says))


class ConfigError(UsageError):
    """A table's configuration cannot be used. `key` is the path of the key at fault, or empty for the whole file;
    `also` is what else is wrong in it."""

    def __init__(self, path: Path, key: str, what: str):
        self.key = key
        self.also: tuple[ConfigError, ...] = ()
        super().__init__(": ".join(part for part in (str(path), key, what) if part))
