"""The sensor node: listens to the pins that the board names and sends it their edges. MicroPython subset.

Knows neither what the pins are wired to nor what is at the other end of its port. It keeps nothing: pins, pulls and
debounce come with each session from the board's configuration, so one firmware fits every table.
"""

import gc

from pitwatch.devices.protocols import node_bodies, node_link
from pitwatch.devices.protocols.node_bodies import Batch
from pitwatch.devices.protocols.node_link import Framer, Sender, frame
from pitwatch.hal.line import LineSpec
from pitwatch.hal.machine_lines import MachineLines, Ring

HELLO_US = 500_000  # between two greetings while no session is open
BEAT_US = 100_000  # longest silence in a session: an empty batch says that nothing happened until now
BATCH = 32  # bytes of edges after which a batch goes: on a bad line short frames get through
GATHER_US = 4_000  # that the first edge of a batch waits for others
TURN = 24  # edges handled in one turn, which fit one batch
PROMPT = (b"\r\x03", b"\r\x03\x03")  # what mpremote sends to interrupt a program
TIDY_US = 1_000_000  # between two collections of memory, so that none is long


class Node:
    """`port` as in `firmware.ports`; `clock` a TickClock; `texts` as in `node_bodies.hello_body`."""

    def __init__(self, port, clock, boot, cause, texts):
        self.session = 0
        self.restart = False
        """A firmware has come that is to be started."""
        self.feed = int  # keeps the watchdog quiet, once there is one
        self._updating = None
        self._port = port
        self._clock = clock
        self._boot = boot
        self._cause = cause
        self._texts = texts
        self._framer = Framer()
        self._ring = Ring(clock.ticks)
        self._bank = None
        self._opened = b""
        self._begin()
        self._hello_at = 0
        self._tidy_at = 0

    def turn(self):
        """Do what is to be done now, then wait for up to 2 ms.

        Raises KeyboardInterrupt if, with no session open, somebody asks for the prompt."""
        heard = self._port.read()
        if heard in PROMPT and self._bank is None and self._framer.idle():
            raise KeyboardInterrupt
        now = self._clock.us()  # after reading: a ping must not seem to have come before it was sent
        for kind, body in self._framer.feed(heard):
            self._told(kind, body, now)
        if self._bank is not None:
            self._listen(now)
        elif now >= self._hello_at:
            self._hello(now)
        if now >= self._tidy_at:
            self._tidy_at = now + TIDY_US
            gc.collect()
        self._port.wait(2)

    def _begin(self):
        self._sender = Sender()
        self._batch = Batch()
        self._complete = 0
        self._beat_at = 0

    def _send(self, kind, body):
        self._port.write(frame(kind, body))

    def _hello(self, now):
        self._hello_at = now + HELLO_US
        self._send(node_link.HELLO, node_bodies.hello_body(self._boot, self.session, self._cause, self._texts))

    def _told(self, kind, body, now):
        if kind == node_link.PING:
            ping = node_bodies.read_pong(body)
            if ping is not None:
                self._send(node_link.PONG, node_bodies.pong_body(ping[0], self._boot, now, self._clock.us()))
        elif kind == node_link.ACK:
            numbers = node_bodies.read_numbers(body, 3)
            if numbers and numbers[0] == self.session and self._bank is not None:
                for wire in self._sender.acknowledged(numbers[1], numbers[2], now):
                    self._port.write(wire)
        elif kind == node_link.OPEN:
            asked = node_bodies.read_open(body)
            if asked is not None:
                self._open(asked[0], asked[1])
        elif kind == node_link.ASK:
            self._hello(now)
        elif kind == node_link.CLOSE:
            self._close()
        elif kind in (node_link.BEGIN, node_link.PIECE, node_link.END) and self._bank is None:
            self._update(kind, body)

    def _update(self, kind, body):
        if self._updating is None:
            from pitwatch.firmware.updating import Updating  # its memory is needed now only

            self._updating = Updating(self.feed)
        updating = self._updating
        if kind == node_link.END:
            got = updating.end()
        else:
            got = updating.begin(body) if kind == node_link.BEGIN else updating.piece(body)
        self._send(node_link.GOT, got)
        self.restart = updating.taken

    def _open(self, session, lines):
        if session != self.session:
            self._close()
            specs = [LineSpec(str(n), "", pin, low, bias, us) for n, (pin, low, bias, us) in enumerate(lines)]
            bank = MachineLines(self._clock, specs, self._ring)
            self._refusal = ""
            bank.start(self._edge, self._lost, self._state)
            levels = 0
            if not self._refusal:
                self._bank = bank
                self.session = session
                for name, level in bank.levels().items():
                    levels |= level << int(name)
            self._opened = node_bodies.opened_body(session, self._boot, self._clock.us(), levels, self._refusal)
        self._send(node_link.OPENED, self._opened)

    def _close(self):
        if self._bank is not None:
            self._bank.stop()
            self._bank = None
        self.session = 0
        self._begin()

    def _state(self, online, reason):
        if not online:
            self._refusal = reason

    def _edge(self, name, level, t_ns):
        t = t_ns // 1000
        if self._batch.size >= Batch.FULL:
            self._complete = t - 1
            self._flush(self._clock.us())
        self._batch.edge(int(name), level, t)

    def _lost(self, count, t_ns):
        self._batch.lost(count, t_ns // 1000)

    def _listen(self, now):
        # With the window full the edges stay where the interrupts put them, which counts what no longer fits.
        if self._sender.has_room():
            if self._batch.size < Batch.FULL - TURN * 4:
                self._complete = self._bank.poll(TURN)
            batch = self._batch
            gathered = batch.size and now - batch.oldest() >= GATHER_US
            if gathered or batch.size >= BATCH or now >= self._beat_at:
                self._flush(now)
        wire = self._sender.overdue(now)
        if wire:
            self._port.write(wire)

    def _flush(self, now):
        self._beat_at = now + BEAT_US
        self._port.write(self._sender.push(self.session, self._batch.take(self._complete), now))
