"""Sends a firmware image to a sensor node, and waits until the node has started with it. The board's end.

Independent of port and image; times are monotonic nanoseconds. `done(None)` is called once the node has started anew,
`done(reason)` where it cannot be. Whatever is lost on the way is sent again from where the node's file ends.
"""

import hashlib

from pitwatch.devices.protocols import node_bodies, node_link
from pitwatch.devices.protocols.node_bodies import NOT_BEGUN, REFUSED, TAKEN, Hello
from pitwatch.devices.protocols.node_link import Framer, frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

PIECE = 192
"""Bytes of the image in one frame."""
MS = 1_000_000
AGAIN = 400 * MS
"""After so long without an answer a frame is sent again."""
VERIFYING = 20_000 * MS
"""The same while the node verifies and unpacks."""
PATIENCE = 60_000 * MS
"""Without any answer."""


class NodeUpdater:
    """As `wiring.answering.Machine`. `on_progress(bytes)`: how much of the image the node has."""

    def __init__(
        self, image: bytes, older: bool, done: "Callable[[str | None], None]", on_progress: "Callable[[int], None]"
    ) -> None:
        self.deadline: int | None = None
        self.firmware = ""
        self._image = image
        self._begin = node_bodies.begin_body(len(image), hashlib.sha256(image).digest(), older)
        self._done = done
        self._on_progress = on_progress
        self._framer = Framer()
        self._out = b""
        self._boot: int | None = None
        self._taken = False
        self._over = False
        self._last = 0
        self._sent = (node_link.BEGIN, self._begin)

    def connected(self, t: int) -> None:
        self._framer.interrupt()
        self._last = self._last or t
        self._out += frame(node_link.CLOSE, b"") + frame(node_link.ASK, b"")
        self._send(node_link.BEGIN, self._begin, t)

    def disconnected(self, reason: str, t: int) -> None:
        """A node on USB goes while it starts; what opens the link again is the link."""
        self._last = self._last or t
        self.deadline = self._last + PATIENCE

    def feed(self, data: bytes, t: int) -> None:
        for kind, body in self._framer.feed(data):
            if self._over:
                return
            if kind == node_link.HELLO:
                self._hello(body, t)
            elif kind == node_link.GOT and not self._taken:
                self._got(body, t)
            elif kind == node_link.FAULT:
                self._last = t

    def tick(self, t: int) -> None:
        if self._over:
            return
        if t >= self._last + PATIENCE:
            what = "does not start again" if self._taken else "does not answer; its firmware may take no image"
            self._finish("the sensor node " + what)
        elif self._taken:
            self._out += frame(node_link.ASK, b"")
            self.deadline = t + AGAIN
        else:
            self._send(self._sent[0], self._sent[1], t)

    def take_output(self) -> bytes:
        out, self._out = self._out, b""
        return out

    def _hello(self, body: bytes, t: int) -> None:
        try:
            hello = Hello(body)
        except ValueError:
            return
        again = self._boot is not None and hello.boot != self._boot
        self._boot, self.firmware = hello.boot, hello.firmware
        if again and self._taken:
            self._finish(None)
        elif again:
            self._send(node_link.BEGIN, self._begin, t)  # it lost its power meanwhile

    def _got(self, body: bytes, t: int) -> None:
        got = node_bodies.read_got(body)
        if got is None:
            return
        offset, state, reason = got
        self._last = t
        if state == REFUSED:
            self._finish(reason)
        elif state == NOT_BEGUN:
            if self._sent[0] != node_link.BEGIN:
                self._send(node_link.BEGIN, self._begin, t)  # it has started anew
        elif state == TAKEN:
            self._taken = True
            self._out += frame(node_link.ASK, b"")
            self.deadline = t + AGAIN
        elif offset < len(self._image):
            self._on_progress(offset)
            piece = node_bodies.read_piece(self._sent[1]) if self._sent[0] == node_link.PIECE else None
            if piece is not None and piece[0] >= offset:
                return  # the answer to an earlier frame, which came late; what is lost is sent again by `tick`
            self._send(node_link.PIECE, node_bodies.piece_body(offset, self._image[offset : offset + PIECE]), t)
        elif self._sent[0] != node_link.END:
            self._on_progress(offset)
            self._send(node_link.END, b"", t)

    def _send(self, kind: int, body: bytes, t: int) -> None:
        self._sent = (kind, body)
        self._out += frame(kind, body)
        self.deadline = t + (VERIFYING if kind == node_link.END else AGAIN)

    def _finish(self, reason: "str | None") -> None:
        self._over = True
        self.deadline = None
        self._done(reason)
