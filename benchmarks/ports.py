"""Ports for what listens on the loopback interface in a benchmark or a test."""

from __future__ import annotations

import contextlib
import random
import socket
from collections.abc import Sequence
from pathlib import Path

_taken: list[socket.socket] = []
"""What this process has taken ports with; they are free again when it ends."""


def free_port(hosts: Sequence[str] = ("127.0.0.1",)) -> int:
    """A port that is free on each of the addresses, that nobody else is given here while this process lives, and none
    that the kernel gives to a client: who stops and starts would find it taken, and who connects to him meanwhile might
    reach himself. Raises RuntimeError if there is none."""
    clients = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    for _ in range(1000):
        port = random.SystemRandom().randrange(10_000, max(clients, 11_000))
        taken = socket.socket(socket.AF_UNIX)
        try:
            taken.bind(f"\0pitwatch-port-{port}")
            with contextlib.ExitStack() as stack:
                for host in hosts:
                    stack.enter_context(socket.socket()).bind((host, port))
        except OSError:
            taken.close()
            continue
        _taken.append(taken)
        return port
    raise RuntimeError(f"no port is free on all of {', '.join(hosts)}")
