"""A byte link over any tty, by pyserial. CPython on Linux, on the running asyncio loop.

Nothing is ever written. Opening a tty raises DTR and RTS (the kernel does, before any program can prevent it). They
stay raised when the tty is closed, so a restart of the daemon makes no pulse on them.
"""

import asyncio
import contextlib
import errno
import fcntl
import os
import termios
import threading

import serial

from pitwatch.hal.address import Address
from pitwatch.hal.clock import Clock
from pitwatch.hal.device_files import device_file
from pitwatch.hal.errors import Busy, Forbidden, HalError, Missing, Unusable
from pitwatch.hal.reopening_link import ReopeningLink

_READ_BYTES = 4096  # a tty gives 4095 at most in one read


class SerialLink(ReopeningLink):
    """Holds the port exclusively: flock keeps out every opener that asks too, TIOCEXCL every other but root."""

    def __init__(self, clock: Clock, address: Address) -> None:
        super().__init__(clock)
        self._address = address
        self._port: serial.Serial | None = None

    def _open(self) -> None:
        a = self._address
        try:
            # Whatever came before opening is thrown away by pyserial: it is of unknown age.
            port = serial.Serial(device_file(a.path), a.baud, a.bits, a.parity, a.stop, timeout=0, exclusive=True)
        except (OSError, termios.error, ValueError) as error:
            raise _explain(a.path, error) from error
        try:
            _set_up(port.fileno())
        except (OSError, termios.error) as error:
            port.close()
            raise _explain(a.path, error) from error
        self._port = port
        asyncio.get_running_loop().add_reader(port.fileno(), self._readable)
        self._is_open()

    def _readable(self) -> None:
        """Read once; the loop calls again at once if there is more, after the others have had their turn."""
        port = self._port
        if port is None or self._on_bytes is None:
            return
        try:
            data = os.read(port.fileno(), _READ_BYTES)
        except BlockingIOError:
            return
        except OSError as error:
            self._fail(Missing(self._address.path, _gone(error), "plug it in again"))
            return
        if data:
            self._on_bytes(data, self._clock.now())
        else:
            self._fail(Missing(self._address.path, "unplugged (hung up)", "plug it in again"))

    def _close(self) -> None:
        port, self._port = self._port, None
        if port is None:
            return
        fd = port.fileno()
        asyncio.get_running_loop().remove_reader(fd)
        # Free for the next opener at once, though the descriptor may take its time.
        fcntl.flock(fd, fcntl.LOCK_UN)
        with contextlib.suppress(OSError):  # unplugged: nothing is left to be exclusive about
            fcntl.ioctl(fd, termios.TIOCNXCL)
        # Closing waits in the kernel for the adapter to drain, 0.27 s for a PL2303 at 9600 baud, sent or not.
        threading.Thread(target=port.close, name="close " + self._address.path, daemon=True).start()


def _set_up(fd: int) -> None:
    fcntl.ioctl(fd, termios.TIOCEXCL)
    mode = termios.tcgetattr(fd)
    mode[0] &= ~(termios.BRKINT | termios.PARMRK)  # a break must not throw input away
    mode[2] &= ~termios.HUPCL  # leave DTR and RTS alone at close
    mode[6][termios.VMIN] = 1  # so that only a hung-up port reads as empty
    mode[6][termios.VTIME] = 0
    termios.tcsetattr(fd, termios.TCSANOW, mode)


def _gone(error: OSError) -> str:
    return "unplugged (%s)" % errno.errorcode.get(error.errno or 0, str(error))


def _explain(path: str, error: Exception) -> HalError:
    code = getattr(error, "errno", None) or (error.args[0] if isinstance(error, termios.error) else None)
    if code in (errno.ENOENT, errno.ENXIO, errno.ENODEV, errno.ENOTDIR):
        return Missing(path, "no such port", "plug the adapter in, or correct `link`; ports are in /dev/serial/by-id")
    if code in (errno.EACCES, errno.EPERM):
        return Forbidden(path, "no permission to open it", "add the daemon's user to the port's group, often dialout")
    if code in (errno.EAGAIN, errno.EBUSY):
        return Busy(path, "another program holds it", "stop that one; `fuser %s` names it" % path)
    if code == errno.EIO:
        return Missing(path, "no hardware behind it", "choose the port that the device is on")
    return Unusable(path, "cannot be used as a serial port (%s)" % error, "name a tty and settings that it can do")
