"""The node's side of the wire to the board: a UART, or the USB port that MicroPython's prompt is on. MicroPython only.

`read` returns what has come, never waiting; `write` may wait for the line; `wait` sleeps until something comes or the
time is over, while interrupts go on.
"""

import select
import sys


class UsbPort:
    """Standard input and output: on a Pico, USB. Takes the prompt away: every byte belongs to the wire."""

    def __init__(self):
        import micropython

        micropython.kbd_intr(-1)  # byte 3 is data, not a key
        self._in = sys.stdin.buffer
        self._out = sys.stdout.buffer
        self._poll = select.poll()
        self._poll.register(sys.stdin, select.POLLIN)

    def release(self):
        """Give the prompt back."""
        import micropython

        micropython.kbd_intr(3)

    def read(self):
        data = bytearray()
        while len(data) < 256 and self._poll.poll(0):
            byte = self._in.read(1)  # asked for more it would wait for more
            if not byte:
                raise OSError("the other end has gone")
            data += byte
        return bytes(data)

    def write(self, data):
        self._out.write(data)

    def wait(self, ms):
        self._poll.poll(ms)


class UartPort:
    """A UART; `settings` are the arguments of `machine.UART`."""

    def __init__(self, settings):
        from machine import UART

        settings = dict(settings)
        self._uart = UART(settings.pop("id"), rxbuf=1024, txbuf=1024, **settings)
        self._poll = select.poll()
        self._poll.register(self._uart, select.POLLIN)

    def release(self):
        """The prompt was on USB all the time."""

    def read(self):
        return self._uart.read() or b""

    def write(self, data):
        while data:
            data = data[self._uart.write(data) or 0 :]

    def wait(self, ms):
        self._poll.poll(ms)
