"""A stream of bytes from a device. MicroPython subset. Must not know what the bytes mean.

Receive-only by type: there is no write method here, so nothing above can write to a gaming device by mistake.
Back ends: `hal.serial_link` (any tty), `hal.tcp_link` (raw socket), `hal.rfc2217_link`, `hal.hid_link`, `hal.sim`.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class ByteLink:
    def start(self, on_bytes: "Callable[[bytes, int], object]", on_state: "Callable[[bool, str], object]") -> None:
        """Begin listening; may be called again after `stop`. Calls come on the event loop.

        on_bytes(data, t_ns): never empty, split as it happened to come, stamped when read.
        on_state(online, reason): as in `hal.line.LineBank.start`. An unplugged link is reopened with back-off; what the
        device sent meanwhile is gone. Its first bytes may be the end of something that began before.
        No call comes after `stop`. Errors are reported by on_state, never raised.
        """
        raise NotImplementedError

    def understood(self) -> None:
        """What came since the link opened is the device's: to be reported once, so that a link that opens and ends
        without it is tried ever more seldom."""

    def stop(self) -> None:
        """Close the link; safe to call twice, and from a callback; never blocks the loop."""
        raise NotImplementedError


class DuplexLink(ByteLink):
    """A link to a sensor node, which must be answered, or to key-card readers, which must be asked. A gaming device is
    never on one: the factory makes it by another call than `link`."""

    def write(self, data: bytes) -> None:
        """Send, in order with what was written before; what the port does not take within its buffer is dropped.

        Does nothing while off line. Never blocks; errors are reported by on_state."""
        raise NotImplementedError
