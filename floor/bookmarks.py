"""Bookmarks in the house's video system, one for each irregularity (docs/video.md). `watch` and `archive` deliver
messages; a thread sends, waits and retries, so that nothing waits for a video system.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict, deque
from typing import NamedTuple

from pitwatch.floor.message import Message
from pitwatch.floor.video.bookmark import Bookmark, bookmark
from pitwatch.floor.video.config import FloorVideo
from pitwatch.floor.video.hooks import HookError, hook

REMEMBERED = 20_000
"""Events whose bookmark is not made again."""

Key = tuple[str, str]
"""Table and event."""

log = logging.getLogger("pitwatch.video")


class Pace(NamedTuple):
    """Seconds: for one attempt, before the second, most between two. `tries`: attempts at a bookmark that the receiver
    has something against; one that cannot be reached is tried for ever. `waiting`: bookmarks kept meanwhile."""

    attempt_s: float = 10.0
    first_s: float = 1.0
    most_s: float = 60.0
    tries: int = 5
    waiting: int = 1000


class Bookmarks:
    """`send` with every message; `start` before, `stop` at the end. Without command or url it does nothing.

    `sent`, `failed` (given up after `tries`) and `dropped` (no room while the receiver was away) count bookmarks;
    `trouble` says why the receiver takes none, None if it does.
    """

    def __init__(self, video: FloorVideo, pace: Pace = Pace()):  # noqa: B008  never changes
        self._video = video
        self._pace = pace
        self._hook = hook(video, pace.attempt_s) if video.wanted else None
        self._waiting: deque[tuple[Key, Bookmark]] = deque()
        self._seen: OrderedDict[Key, None] = OrderedDict()
        self._cameraless: set[str] = set()
        self._changed = threading.Condition()
        self._busy = False
        self._ended = False
        self._thread: threading.Thread | None = None
        self.sent = self.failed = self.dropped = 0
        self.trouble: str | None = None

    def start(self) -> None:
        if self._hook is not None and self._thread is None:
            # A daemon thread: the program ends even while a name server does not answer.
            self._thread = threading.Thread(target=self._run, name="bookmarks", daemon=True)
            self._thread.start()

    def stop(self, within_s: float = 2.0) -> None:
        """Waits so long for what can still be sent, not for a receiver in trouble; then ends."""
        if self._hook is None or self._thread is None:
            return
        with self._changed:
            self._changed.wait_for(lambda: self.trouble is not None or not (self._busy or self._waiting), within_s)
            self._ended = True
            self._changed.notify_all()
            left = len(self._waiting) + self._busy
        self._hook.abort()
        self._thread.join(1.0)
        self._thread = None
        if left:
            log.warning("%d bookmarks were not sent", left)

    def send(self, message: Message) -> bool:
        """True if a bookmark is on its way: the message is an irregularity that has none yet. Never waits or raises."""
        event = message.event
        if self._hook is None or event is None or event.kind != "irregularity":
            return False
        key = (message.table, event.id)
        with self._changed:
            if key in self._seen:
                return False
            self._seen[key] = None
            if len(self._seen) > REMEMBERED:
                self._seen.popitem(last=False)
        video = self._video
        try:
            made = bookmark(message, video.cameras, video.preroll_s, video.postroll_s)
        except ValueError as error:
            log.warning("%s", error)
            return False
        if not made.camera and video.names_camera:
            if message.table not in self._cameraless:
                self._cameraless.add(message.table)
                log.warning("%s: no camera is known, so no bookmarks; name one in [video.cameras]", message.table)
            return False
        with self._changed:
            self._waiting.append((key, made))
            if len(self._waiting) > self._pace.waiting:
                self._forget(self._waiting.popleft()[0])
                self.dropped += 1
            self._changed.notify_all()
        return True

    def _run(self) -> None:
        while True:
            with self._changed:
                self._busy = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._ended or self._waiting)
                if self._ended:
                    return
                (key, made), self._busy = self._waiting.popleft(), True
            try:
                taken = self._emit(made)
            except Exception:
                log.exception("bookmark of %s", made.id)
                taken = False
            if not taken and not self._ended:
                with self._changed:
                    self._forget(key)
                self.failed += 1

    def _emit(self, made: Bookmark) -> bool:
        """True if it was taken; False if it was given up, or this is the end."""
        assert self._hook is not None
        tries, pause = 0, self._pace.first_s
        while not self._ended:
            try:
                self._hook.emit(made)
            except HookError as error:
                if self._ended:
                    break
                if error.lasting:
                    self._troubled(str(error))
                elif (tries := tries + 1) >= self._pace.tries:
                    log.error("no bookmark of %s at camera %r, %s: %s", made.id, made.camera, made.at, error)
                    return False
            else:
                self.sent += 1
                self._well()
                return True
            with self._changed:
                self._changed.wait_for(lambda: self._ended, pause)
            pause = min(2 * pause, self._pace.most_s)
        return False

    def _forget(self, key: Key) -> None:
        """There is no bookmark after all: it may be asked for again."""
        self._seen.pop(key, None)

    def _troubled(self, why: str) -> None:
        """One line for each trouble, however often it is met."""
        with self._changed:
            new, self.trouble = self.trouble is None, why
            self._changed.notify_all()
        if new:
            log.warning("bookmarks wait: %s; trying again", why)

    def _well(self) -> None:
        if self.trouble is not None:
            self.trouble = None
            log.info("bookmarks are taken again; %d waiting, %d dropped so far", len(self._waiting), self.dropped)
