"""Passwords: Argon2id as RFC 9106 recommends it for little memory. Hashing is slow on purpose: call it in a thread."""

from __future__ import annotations

import secrets
from functools import cache

import argon2

SHORTEST, LONGEST = 12, 128
"""Characters. The longest bounds the work that a stranger can give."""

_hasher = argon2.PasswordHasher(time_cost=3, memory_cost=65_536, parallelism=4)

COMMON = ("password", "passwort", "pitwatch", "casino", "roulette", "blackjack", "baccarat", "surveillance", "qwertz")


def hashed(password: str) -> str:
    return _hasher.hash(password)


def matches(kept: str, password: str) -> bool:
    """Whether it is the password of that hash. As slow if there is no hash, so that the time of the answer does not say
    which accounts exist."""
    try:
        return _hasher.verify(kept or _nobodys(), password) and bool(kept)
    except (argon2.exceptions.VerificationError, argon2.exceptions.InvalidHashError):
        return False


@cache
def _nobodys() -> str:
    return _hasher.hash(secrets.token_urlsafe())


def weak(password: str, name: str) -> str:
    """Why it is not good enough, in one sentence; empty if it is."""
    if len(password) < SHORTEST:
        return f"The password needs {SHORTEST} characters at least."
    if len(password) > LONGEST:
        return f"The password may have {LONGEST} characters at most."
    plain = password.casefold()
    if len(set(plain)) < 6:
        return "The password repeats few characters. Use more different ones."
    if len(name) >= 3 and name.casefold() in plain:
        return "The password contains the account's name."
    left = plain
    for word in COMMON:
        left = left.replace(word, "")
    return "The password is little more than a common word." if len(left) < SHORTEST // 2 else ""
