"""The board's end of a sensor node: greets it, learns its clock, opens a session, reads its edges. MicroPython subset.

Sans-I/O: `feed`, `tick` and `deadline` as in a device; `take_output` returns the bytes to send. Times are the
board's monotonic ns. Must not know which device a line belongs to: a line is its number in the list.

The sequence: ask for the node's identity; send a few pings to compare the clocks; open the lines; then edges, and a
ping a second. A node that restarts, or that is silent for SILENT, is reported as down, and the sequence starts again.
"""

import struct

from pitwatch.devices.node_clock import NodeClock
from pitwatch.devices.protocols import node_bodies, node_link
from pitwatch.devices.protocols.node_bodies import Hello
from pitwatch.devices.protocols.node_link import Framer, Receiver, frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pitwatch.hal.line import LineSpec

MS = 1_000_000
AGAIN = 250 * MS  # until a question that was not answered is asked again
PINGS = 8  # exchanges before the lines are opened
QUICK = 25 * MS  # between those
STEADY = 1_000 * MS  # between pings in a session
SILENT = 3_000 * MS  # without a whole frame: the node does not answer
FIRST = 1_500 * MS  # the same when the port has just been opened
DEAF = 10_000 * MS  # without an answer or anything new: it is heard, but does not hear
REFUSED = 5_000 * MS  # until a node that cannot be used is asked again

BOOTS = {
    "unknown": "for an unknown cause",
    "power": "after its power failed or sagged",
    "watchdog": "by its watchdog or after a fault in its firmware",
    "reset": "by its reset",
    "sleep": "from sleep",
}


class Heard:
    """What the host calls, always with times that never go back."""

    def node_up(self, levels: "list[int]", t: int) -> None:
        """The lines are held, and had these levels at `t`."""

    def node_edge(self, line: int, level: int, t: int) -> None:
        """A line changed."""

    def node_lost(self, count: int, t: int) -> None:
        """The node saw edges for which it had no room."""

    def node_passed(self, t: int) -> None:
        """Everything that the node saw up to `t` has been reported."""

    def node_down(self, reason: str, fix: str, t: int) -> None:
        """There is no session, or no longer; reported again only when the reason changes."""


class NodeHost:
    """`wanted`: the unique id that the node must have, or ""; `first_session`: any number, drawn by chance, so that a
    session of an earlier run is not taken for this one's.

    `identity` is what the node says of itself, with the error of its clock; {} if it is not known.
    """

    def __init__(self, lines: "list[LineSpec]", heard: Heard, wanted: str, first_session: int):
        """Raises ValueError for lines that no node can have."""
        self.deadline: int | None = None
        self.clock = NodeClock()
        self.discarded = 0  # bytes that were no whole frame
        self.restarts = 0
        self._lines = lines
        self._heard = heard
        self._wanted = wanted
        self._session = first_session % 0xFFFF + 1
        node_bodies.open_body(1, lines)
        self._framer = Framer()
        self._receiver = Receiver()
        self._out = bytearray()
        self._hello: Hello | None = None
        self._open = False
        self._reason: str | None = None
        self._ping = 0
        self._pings: dict[int, int] = {}  # number: sent at
        self._last_heard = 0
        self._last_answer = 0  # when it last showed that it hears
        self._stamp = 0  # of what was reported last
        self._died = ""  # what the firmware said it died of

    @property
    def identity(self) -> "dict[str, Any]":
        hello = self._hello
        if hello is None:
            return {}
        return {
            "id": hello.unique_id,
            "firmware": hello.firmware,
            "micropython": hello.micropython,
            "board": hello.board,
            "started": hello.cause,
            "clock_error_us": None if self.clock.error is None else (self.clock.error + 999) // 1000,
            "drift_ppm": self.clock.drift_ppb / 1000,
        }

    def take_output(self) -> bytes:
        """What is to be sent now."""
        out = bytes(self._out)
        self._out = bytearray()
        return out

    def connected(self, t: int) -> None:
        """The port is there."""
        self._framer.interrupt()
        self._last_heard = t + FIRST - SILENT
        self._last_answer = t
        self._ask(t)

    def disconnected(self, reason: str, t: int) -> None:
        """The port is gone, or could not be had."""
        self._framer.interrupt()
        self.deadline = None
        self._out = bytearray()
        what, _, fix = reason.partition("; ")
        self._down(what, fix, t)

    def close(self) -> None:
        """Let the node go: it stops listening to its pins."""
        self._send(node_link.CLOSE, b"")
        self._open = False
        self.deadline = None

    def feed(self, data: bytes, t: int) -> None:
        """Bytes from the node."""
        before = self._framer.discarded
        acknowledge = False
        for kind, body in self._framer.feed(data):
            self._last_heard = t
            if kind == node_link.DATA and len(body) >= 4:
                session, seq = struct.unpack_from("<HH", body)
                if self._open and session == self._session:
                    acknowledge = True
                    for batch in self._receiver.take(seq, body[4:]):
                        self._last_answer = t  # none is new once it cannot hear the acknowledgements
                        if self._open:
                            self._batch(batch, t)
            elif kind == node_link.PONG:
                self._pong(body, t)
            elif kind == node_link.HELLO:
                self._greeted(body, t)
            elif kind == node_link.OPENED:
                self._opened(body, t)
            elif kind == node_link.FAULT:
                self._died = node_bodies.text(body)
        if acknowledge and self._open:
            self._out += self._receiver.ack(self._session)
        self.discarded += self._framer.discarded - before

    def tick(self, t: int) -> None:
        """The deadline has passed."""
        if self.deadline is None or t < self.deadline:
            return
        silent = self._last_heard + SILENT <= t
        if silent or self._last_answer + DEAF <= t:
            reason, fix = "the sensor node does not answer", "see that it has power and runs Pitwatch's firmware"
            if self._died:
                reason = "the sensor node died (%s)" % self._died
            elif not silent:
                reason, fix = "the sensor node is heard but does not hear", "see to the wire that goes to it"
            self._down(reason, fix, t)
            self._last_answer = t
            self._ask(t)
            self.deadline = t + 4 * AGAIN
        elif self._hello is None:
            self._ask(t)
        elif self._open:
            self._send_ping(t)
            self.deadline = t + STEADY
        elif self.clock.exchanges < PINGS:
            self._send_ping(t)
            self.deadline = t + QUICK
        else:
            self._send(node_link.OPEN, node_bodies.open_body(self._session, self._lines))
            self.deadline = t + AGAIN

    # --- inside ---------------------------------------------------------------------------------------------------

    def _send(self, kind: int, body: bytes) -> None:
        self._out += frame(kind, body)

    def _ask(self, t: int) -> None:
        self._hello = None
        self._send(node_link.ASK, b"")
        self.deadline = t + AGAIN

    def _send_ping(self, t: int) -> None:
        self._ping = (self._ping + 1) & 0xFFFF
        self._pings[self._ping] = t
        self._pings.pop((self._ping - 8) & 0xFFFF, None)
        self._send(node_link.PING, node_bodies.ping_body(self._ping))

    def _greeted(self, body: bytes, t: int) -> None:
        try:
            hello = Hello(body)
        except ValueError:
            return
        known = self._hello
        if known is not None and hello.boot == known.boot and (hello.session == self._session or not self._open):
            return
        restarted = known is not None and hello.boot != known.boot
        if self._open or restarted:
            reason = "the sensor node forgot its session"
            if restarted:
                self.restarts += 1
                reason = "the sensor node was started anew " + BOOTS[hello.cause]
                if self._died:
                    reason += " (%s)" % self._died
            self._down(reason, "see its supply and its cable" if hello.cause == "power" else "", t)
        if known is None or restarted:
            self.clock = NodeClock()
            self._pings = {}
        if hello.session == self._session:
            self._next_session()
        self._hello = hello
        self._died = ""
        self.deadline = t
        if hello.version != node_bodies.VERSION:
            self._unusable(
                "the sensor node speaks version %d of the wire, this is %d" % (hello.version, node_bodies.VERSION),
                "flash the folder that `pitwatch node flash-bundle` writes",
                t,
            )
        elif self._wanted and hello.unique_id != self._wanted:
            self._unusable(
                "sensor node %s is on this port, %s is configured" % (hello.unique_id, self._wanted),
                "swap the ports, or correct what follows # in `link`",
                t,
            )

    def _unusable(self, reason: str, fix: str, t: int) -> None:
        self._down(reason, fix, t)
        self._hello = None
        self._last_answer = t
        self.deadline = t + REFUSED

    def _pong(self, body: bytes, t: int) -> None:
        pong = node_bodies.read_pong(body)
        if pong is None or self._hello is None or pong[1] != self._hello.boot:
            return
        sent = self._pings.pop(pong[0], None)
        if sent is not None:
            self._last_answer = t
            self.clock.exchange(sent, pong[2], pong[3], t)

    def _opened(self, body: bytes, t: int) -> None:
        answer = node_bodies.read_opened(body)
        if answer is None or self._open or answer[0] != self._session or self._hello is None:
            return
        _, boot, at, bits, refusal = answer
        if boot != self._hello.boot or self.clock.error is None:
            return
        if refusal:
            what, _, fix = refusal.partition("; ")
            self._next_session()
            self._unusable("the sensor node refuses: " + what, fix, t)
            return
        self._open = True
        self._reason = None
        self._receiver = Receiver()
        self.deadline = t + STEADY
        self._heard.node_up([bits >> n & 1 for n in range(len(self._lines))], self._time(at, t))

    def _batch(self, body: bytes, t: int) -> None:
        try:
            complete, records = node_bodies.read_batch(body)
        except ValueError:  # whole by its CRC, so the node made it: never seen, and not to be passed over
            self._down("the sensor node sends what cannot be read", "flash its firmware anew", t)
            self._ask(t)
            return
        for line, value, at in records:
            if line < 0:
                self._heard.node_lost(value, self._time(at, t))
            elif line < len(self._lines):
                self._heard.node_edge(line, value, self._time(at, t))
        self._heard.node_passed(self._time(complete, t))

    def _time(self, node_us: int, now: int) -> int:
        """The board's time of a node's instant: not after now, not before what was reported already."""
        self._stamp = max(self._stamp, min(now, self.clock.board(node_us)))
        return self._stamp

    def _next_session(self) -> None:
        self._session = self._session % 0xFFFF + 1

    def _down(self, reason: str, fix: str, t: int) -> None:
        if self._open:
            self._open = False
            self._next_session()
        if reason != self._reason:
            self._reason = reason
            self._stamp = max(self._stamp, t)
            self._heard.node_down(reason, fix, self._stamp)
