"""A byte link over a bar-code or card reader that types like a keyboard. CPython on Linux (evdev).

The reader is grabbed: no console and no other program receives what it types. Stamps are the kernel's own.
Nothing is ever written.
"""

import asyncio
import errno
import fcntl
import os
import struct

from pitwatch.hal.clock import Clock
from pitwatch.hal.device_files import device_file
from pitwatch.hal.errors import Busy, Forbidden, HalError, Missing, Unusable
from pitwatch.hal.hid_keys import EVENT, Typed
from pitwatch.hal.reopening_link import ReopeningLink

# linux/input.h: _IOW('E', 0x90, int), _IOW('E', 0xa0, int)
_EVIOCGRAB = 0x40044590
_EVIOCSCLOCKID = 0x400445A0
_CLOCK_MONOTONIC = 1
_SIZE = struct.calcsize(EVENT)
_AT_ONCE = 64  # events a read


class HidLink(ReopeningLink):
    """Reads /dev/input/…, best by its name below /dev/input/by-id, which stays the same.

    What is typed comes as ASCII, a return as a line feed.
    """

    def __init__(self, clock: Clock, path: str) -> None:
        super().__init__(clock)
        self._path = path
        self._fd = -1
        self._typed = Typed()

    def _open(self) -> None:
        try:
            fd = os.open(device_file(self._path), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise _explain(self._path, error) from error
        try:
            fcntl.ioctl(fd, _EVIOCGRAB, 1)
            fcntl.ioctl(fd, _EVIOCSCLOCKID, struct.pack("@i", _CLOCK_MONOTONIC))
        except OSError as error:
            os.close(fd)
            raise _explain(self._path, error) from error
        self._fd = fd
        self._typed = Typed()
        asyncio.get_running_loop().add_reader(fd, self._readable)
        self._is_open()

    def _readable(self) -> None:
        try:
            data = os.read(self._fd, _SIZE * _AT_ONCE)
        except BlockingIOError:
            return
        except OSError as error:
            self._fail(Missing(self._path, "unplugged (%s)" % error.strerror, "plug it in again"))
            return
        if not data:
            self._fail(Missing(self._path, "unplugged", "plug it in again"))
            return
        text, stamp = bytearray(), 0
        for seconds, micros, kind, code, value in struct.iter_unpack(EVENT, data[: len(data) // _SIZE * _SIZE]):
            char = self._typed.event(kind, code, value)
            if char is not None:
                text.append(char)
                stamp = seconds * 1_000_000_000 + micros * 1000
        if text and self._on_bytes is not None:
            self._on_bytes(bytes(text), stamp)

    def _close(self) -> None:
        fd, self._fd = self._fd, -1
        if fd >= 0:
            asyncio.get_running_loop().remove_reader(fd)
            os.close(fd)


def _explain(path: str, error: OSError) -> HalError:
    code = error.errno
    if code in (errno.ENOENT, errno.ENXIO, errno.ENODEV, errno.ENOTDIR):
        return Missing(path, "no such reader", "plug it in, or correct `link`; readers are in /dev/input/by-id")
    if code in (errno.EACCES, errno.EPERM):
        return Forbidden(path, "no permission to open it", "add the daemon's user to the group input")
    if code == errno.EBUSY:
        return Busy(path, "another program has grabbed it", "stop that one; `fuser %s` names it" % path)
    if code in (errno.ENOTTY, errno.EINVAL):
        return Unusable(path, "is no input device", "name one of /dev/input/by-id/…-event-kbd")
    return Unusable(path, "cannot be used as a card reader (%s)" % error.strerror, "name a reader that types")
