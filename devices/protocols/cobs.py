"""Consistent Overhead Byte Stuffing (Cheshire and Baker, 1999): bytes without a zero, so that a zero can end a frame.

MicroPython subset. Costs one byte in 254. Must not know what is in the frame.
"""

_RUN = 254  # longest run of bytes behind one code byte


def encode(data: bytes) -> bytes:
    """The data without zeros; the zero that ends the frame is the caller's."""
    out = bytearray()
    runs = data.split(b"\0")
    last = len(runs) - 1
    for number, run in enumerate(runs):
        while len(run) >= _RUN:
            out.append(255)
            out += run[:_RUN]
            run = run[_RUN:]
            if not run and number == last:
                return bytes(out)
        out.append(len(run) + 1)
        out += run
    return bytes(out)


def decode(coded: bytes) -> "bytes | None":
    """What was encoded, or None if no encoder makes such bytes."""
    out = bytearray()
    at, end = 0, len(coded)
    if b"\0" in coded or not end:
        return None
    while at < end:
        code = coded[at]
        after = at + code
        if after > end:
            return None
        out += coded[at + 1 : after]
        at = after
        if code <= _RUN and at < end:
            out.append(0)
    return bytes(out)
