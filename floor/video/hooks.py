"""The two outputs of a bookmark: a program, or a POST. Each blocks until it is done or its time is up;
`floor.bookmarks` calls them from a thread of their own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

import msgspec

from pitwatch.floor.outward import OutwardError as HookError
from pitwatch.floor.outward import Poster, Program
from pitwatch.floor.video.bookmark import Bookmark, in_argument, in_json, in_url
from pitwatch.floor.video.config import FloorVideo, read_headers


class Hook(Protocol):
    def emit(self, bookmark: Bookmark) -> None:
        """Raises HookError."""

    def abort(self) -> None:
        """Ends an `emit` that is under way in another thread."""


def hook(video: FloorVideo, timeout_s: float) -> Hook:
    """What the configuration says; `timeout_s` is for one attempt."""
    return Command(video.command, timeout_s) if video.command else Post(video, timeout_s)


class Command(Program):
    """Runs a program with the bookmark as JSON on standard input, and its fields in the arguments."""

    def __init__(self, command: list[str], timeout_s: float):
        super().__init__(timeout_s)
        self._command = command

    def emit(self, bookmark: Bookmark) -> None:
        values = msgspec.structs.asdict(bookmark)
        try:
            arguments = [self._command[0], *(in_argument(each, values) for each in self._command[1:])]
        except ValueError as error:
            raise HookError(f"{Path(self._command[0]).name}: {error}", lasting=False) from None
        self.run(arguments, msgspec.json.encode(bookmark) + b"\n")


class Post(Poster):
    """Sends the filled template, or the bookmark as it is."""

    def __init__(self, video: FloorVideo, timeout_s: float):
        super().__init__(video.url, video.ca, timeout_s)
        self._video = video

    def emit(self, bookmark: Bookmark) -> None:
        values = msgspec.structs.asdict(bookmark)
        parts = urlsplit(self._video.url)
        template = self._video.template
        body = in_json(template, values).encode() if template else msgspec.json.encode(bookmark)
        target = in_url(parts.path or "/", values)
        if parts.query:
            target += "?" + in_url(parts.query, values)
        try:
            headers = read_headers(Path(self._video.headers_file)) if self._video.headers_file else {}
        except (OSError, ValueError) as error:
            told = error.strerror if isinstance(error, OSError) else str(error)
            raise HookError(f"{parts.netloc}: {told}", lasting=True) from None
        self.post(target, body, headers)


__all__ = ["Command", "Hook", "HookError", "Post", "hook"]
