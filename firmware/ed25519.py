"""Verifies Ed25519 signatures (RFC 8032, 5.1.7) in plain Python, for MicroPython. It never signs, so nothing is secret
and nothing need take the same time.
"""

from pitwatch.firmware.sha512 import sha512

_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, _P - 2, _P) % _P
_ROOT = pow(2, (_P - 1) // 4, _P)


def verifies(key, text, signature):
    """Whether the 64 bytes of `signature` are that of `text` by the 32 bytes of `key`."""
    if len(key) != 32 or len(signature) != 64:
        return False
    public, point = _point(key), _point(signature[:32])
    factor = int.from_bytes(signature[32:], "little")
    if public is None or point is None or factor >= _ORDER:
        return False
    challenge = int.from_bytes(sha512(signature[:32] + key + text), "little") % _ORDER
    return _same(_times(factor, _BASE), _sum(point, _times(challenge, public)))


def _point(data):
    """A point (x, y, 1, x*y) of its 32 bytes; None if there is none."""
    y = int.from_bytes(data, "little")
    odd = y >> 255
    y &= (1 << 255) - 1
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, _P - 2, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _ROOT % _P
    if (x * x - square) % _P or (not x and odd):
        return None
    if x & 1 != odd:
        x = _P - x
    return x, y, 1, x * y % _P


def _sum(one, two):
    a = (one[1] - one[0]) * (two[1] - two[0]) % _P
    b = (one[1] + one[0]) * (two[1] + two[0]) % _P
    c = 2 * one[3] * two[3] * _D % _P
    d = 2 * one[2] * two[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _times(factor, point):
    total = (0, 1, 1, 0)
    while factor:
        if factor & 1:
            total = _sum(total, point)
        point = _sum(point, point)
        factor >>= 1
    return total


def _same(one, two):
    return not ((one[0] * two[2] - two[0] * one[2]) % _P or (one[1] * two[2] - two[1] * one[2]) % _P)


_BASE = _point((4 * pow(5, _P - 2, _P) % _P).to_bytes(32, "little"))
