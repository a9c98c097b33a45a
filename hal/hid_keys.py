"""Turns key presses of a keyboard into the typed text. MicroPython subset. Opens nothing.

A bar-code reader in keyboard mode types the code and a return. Input is the kernel's `struct input_event`,
output US-ASCII as a US keyboard types it, which is the factory setting of readers. Facts: linux/input.h and
input-event-codes.h. Must not know what a code means.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

EVENT = "@llHHi"
"""Of `struct`: seconds, microseconds, type, code, value."""

_SYN, _KEY = 0, 1
_DROPPED = 3
_PRESSED, _RELEASED = 1, 0
_SHIFTS = (42, 54)
_CAPS_LOCK = 58
LOST = 0
"""Stands in the text where the kernel had to drop key presses: no reader types it, so the line counts as garbage."""


def _keys() -> "dict[int, tuple[int, int]]":
    """Key code: what it types alone and with shift."""
    keys: dict[int, tuple[int, int]] = {}
    for first, plain, shifted in (
        (2, "1234567890-=", "!@#$%^&*()_+"),
        (16, "qwertyuiop[]", "QWERTYUIOP{}"),
        (30, "asdfghjkl;'`", 'ASDFGHJKL:"~'),
        (43, "\\zxcvbnm,./", "|ZXCVBNM<>?"),
        (57, " ", " "),
        (71, "789-456+1230.", "789-456+1230."),
        (55, "*", "*"),
        (98, "/", "/"),
        (15, "\t", "\t"),
        (28, "\n", "\n"),
        (96, "\n", "\n"),
    ):
        for i in range(len(plain)):
            keys[first + i] = (ord(plain[i]), ord(shifted[i]))
    return keys


_KEYS = _keys()


class Typed:
    """Keeps which shift keys are down."""

    def __init__(self) -> None:
        self._shifts: set[int] = set()
        self._caps = False

    def event(self, kind: int, code: int, value: int) -> "int | None":
        """The character (its number) that an event types, LOST, or None. A key held down types once."""
        if kind == _SYN and code == _DROPPED:
            self._shifts.clear()
            return LOST
        if kind != _KEY:
            return None
        if code in _SHIFTS:
            if value == _RELEASED:
                self._shifts.discard(code)
            else:
                self._shifts.add(code)
        elif value == _PRESSED:
            if code == _CAPS_LOCK:
                self._caps = not self._caps
            elif code in _KEYS:
                plain, shifted = _KEYS[code]
                letter = 97 <= plain <= 122
                return shifted if bool(self._shifts) != (letter and self._caps) else plain
        return None


def key_of(char: str) -> "tuple[int, bool]":
    """(key code, whether shift is held) that types a character, for a simulated reader. Raises KeyError."""
    for code in sorted(_KEYS):
        for i in (0, 1):
            if _KEYS[code][i] == ord(char):
                return code, i == 1
    raise KeyError(char)


def strokes(text: str) -> "Iterator[tuple[int, int, int]]":
    """The (type, code, value) events of a simulated reader that types `text`."""
    for char in text:
        code, shift = key_of(char)
        for stroke in ((_SHIFTS[0], 1), (code, 1), (code, 0), (_SHIFTS[0], 0)):
            if shift or stroke[0] != _SHIFTS[0]:
                yield _KEY, stroke[0], stroke[1]
                yield _SYN, 0, 0
