"""A stream of bytes from a device. MicroPython subset. Must not know what the bytes mean.

Receive-only by type: there is no write method here, so nothing above can touch a gaming device by mistake.
Back ends: `hal.sim`, `hal.serial_link` (any tty), `hal.tcp_link` (raw socket).
"""


class ByteLink:
    def start(self, on_bytes, on_state) -> None:
        """Begin listening. Calls come on the event loop: on_bytes(data, t_ns) stamped when read;
        on_state(online, reason) as in `hal.line.LineBank.start`. An unplugged link is reopened with back-off."""
        raise NotImplementedError

    def stop(self) -> None:
        """Close the link; safe to call twice; never blocks the loop."""
        raise NotImplementedError
