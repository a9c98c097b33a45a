"""One-time codes by time (RFC 6238: SHA-1, six digits, 30 seconds), as authenticator apps make them. Pure."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import struct
from urllib.parse import quote, urlencode

STEP_S = 30
DIGITS = 6
APART = 1
"""Steps by which an app's clock may be wrong, either way."""


def new_secret() -> str:
    return base64.b32encode(secrets.token_bytes(20)).decode()


def code_at(secret: str, counter: int) -> str:
    """Raises ValueError for a secret that is no base32."""
    mac = hmac.digest(base64.b32decode(secret), struct.pack(">Q", counter), hashlib.sha1)
    start = mac[-1] & 15
    number = struct.unpack(">I", mac[start : start + 4])[0] & 0x7FFF_FFFF
    return f"{number % 10**DIGITS:0{DIGITS}d}"


def counter_of(secret: str, code: str, now: float) -> int | None:
    """The counter whose code this is, at `now` in seconds since 1970; None if it is wrong."""
    code, middle, found = code.replace(" ", ""), int(now) // STEP_S, None
    for counter in range(max(middle - APART, 0), middle + APART + 1):
        if hmac.compare_digest(code_at(secret, counter).encode(), code.encode("utf-8", "replace")):
            found = counter
    return found


def address(secret: str, name: str, house: str) -> str:
    """What an app reads from a QR code or a link."""
    label = quote(f"{house}:{name}")
    return f"otpauth://totp/{label}?{urlencode({'secret': secret, 'issuer': house})}"
