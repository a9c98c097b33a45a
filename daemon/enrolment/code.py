"""A one-time code that a person types into a board, and the keys that both sides derive from it. Sends nothing."""

from __future__ import annotations

import hashlib
import re
import secrets
from typing import NamedTuple

LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no I, L, O, U, which are taken for others."""
SECRET_LETTERS = 16
"""80 bits. With the cost of `scrypt` no one finds it out from the messages, in the hours that it is valid or later."""
SHAPE = re.compile(rf"[{LETTERS}]{{{SECRET_LETTERS + 1}}}\Z")
SALT = b"pitwatch enrolment 1"
COST = {"n": 2**14, "r": 8, "p": 1, "maxmem": 64 * 2**20}
"""16 MiB and a tenth of a second of a board."""


class CodeError(ValueError):
    """What was typed is no code; one line, without what was typed."""


class Keys(NamedTuple):
    """`name` tells the house which code it is and reveals nothing of it; each side proves itself with its own key."""

    name: str
    board: bytes
    house: bytes


def new_code() -> str:
    """A code as it is shown: four groups, the last letter a check of the others."""
    text = "".join(secrets.choice(LETTERS) for _ in range(SECRET_LETTERS))
    text += _check(text)
    return "-".join((text[:4], text[4:8], text[8:12], text[12:]))


def read_code(typed: str) -> str:
    """The letters of a code, however it was typed: small letters, blanks, O for 0. Raises CodeError."""
    text = re.sub(r"[\s-]", "", typed).upper().translate(str.maketrans("OIL", "011"))
    if not SHAPE.match(text):
        raise CodeError(f"this is no code; a code has {SECRET_LETTERS + 1} letters and digits, such as K7QD-9M2X-…")
    if _check(text[:-1]) != text[-1]:
        raise CodeError("the code has a mistake: one of its letters is not as it was issued; type it again")
    return text


def keys(code: str) -> Keys:
    """The keys of a code; takes a tenth of a second. Raises CodeError."""
    secret = hashlib.scrypt(read_code(code).encode(), salt=SALT, dklen=80, **COST)
    return Keys(secret[:16].hex(), secret[16:48], secret[48:])


def _check(text: str) -> str:
    return LETTERS[hashlib.sha256(text.encode()).digest()[0] % len(LETTERS)]
