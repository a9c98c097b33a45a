"""A TCP proxy between daemon and broker that can stall, throttle, cut, half-close and refuse. For tests only."""

from __future__ import annotations

import contextlib
import select
import socket
import threading
import time

CHUNK = 65536


class Proxy:
    """Listens on `port`. `up` and `down` say what passes from the daemon and from the broker: None is everything, 0
    nothing, a number so many bytes a second."""

    def __init__(self, broker_port: int, port: int = 0):
        self._broker = ("127.0.0.1", broker_port)
        self._listener = socket.create_server(("127.0.0.1", port), backlog=32)
        self.port = int(self._listener.getsockname()[1])
        self.up: float | None = None
        self.down: float | None = None
        self.refusing = False
        self.connections = 0
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._closing = False
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Reset every connection."""
        pairs, self._pairs = self._pairs, []
        for pair in pairs:
            for end in pair:
                with contextlib.suppress(OSError):
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                    end.shutdown(socket.SHUT_RDWR)
                    end.close()

    def half_close(self) -> None:
        """The broker's side says it will send no more, and goes on listening."""
        for daemon, _ in list(self._pairs):
            with contextlib.suppress(OSError):
                daemon.shutdown(socket.SHUT_WR)

    def abandon(self) -> None:
        """The daemon's side is gone and the broker does not know: what a board's power cut leaves behind."""
        for daemon, _ in list(self._pairs):
            with contextlib.suppress(OSError):
                daemon.close()

    def heal(self) -> None:
        self.up = self.down = None
        self.refusing = False

    def close(self) -> None:
        self._closing = True
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while not self._closing:
            try:
                daemon, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            if self.refusing:
                daemon.close()
                continue
            try:
                broker = socket.create_connection(self._broker, 5)
            except OSError:
                daemon.close()
                continue
            for end in (daemon, broker):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._pairs.append((daemon, broker))
            threading.Thread(target=self._pump, args=(daemon, broker, "up"), daemon=True).start()
            threading.Thread(target=self._pump, args=(broker, daemon, "down"), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket, way: str) -> None:
        try:
            while not self._closing:
                rate = getattr(self, way)
                if rate == 0:
                    time.sleep(0.01)
                    continue
                if not select.select([source], [], [], 0.1)[0]:
                    continue
                if getattr(self, way) == 0:
                    continue
                data = source.recv(CHUNK if rate is None else max(1, int(rate / 50)))
                if not data:
                    break
                sink.sendall(data)
                if rate is not None:
                    time.sleep(len(data) / rate)
        except (OSError, ValueError):
            pass
        if way == "up" and source.fileno() == -1:
            return  # abandoned: the broker is told nothing
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
