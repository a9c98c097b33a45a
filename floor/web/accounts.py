"""Accounts and the one-time links that make them. Rights come from roles alone (`rights`)."""

from __future__ import annotations

import hashlib
import re
import secrets
import sqlite3
import time
from collections.abc import Iterable
from typing import NamedTuple

from pitwatch.floor.web.books import Books
from pitwatch.floor.web.rights import ROLES, Right, rights_of

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}\Z")
"""What a record of a table may name as `by`."""
FREE_FAILURES = 5
"""Wrong passwords after which an account is locked."""
LOCK_FIRST_S, LOCK_MOST_S = 30.0, 900.0
"""The lock, doubled with each further wrong password."""
INVITED_FOR_S = 24 * 3_600.0


class Account(NamedTuple):
    name: str
    roles: tuple[str, ...]
    password: str
    totp: str
    closed: bool
    locked_until: float

    @property
    def rights(self) -> frozenset[Right]:
        return rights_of(self.roles)


class Invite(NamedTuple):
    name: str
    roles: tuple[str, ...]


class Accounts:
    def __init__(self, books: Books):
        self._books = books

    def find(self, name: str) -> Account | None:
        rows = self._books.ask(
            "SELECT name, roles, password, totp, closed, locked_until FROM accounts WHERE name = ?", name
        )
        return _account(rows[0]) if rows else None

    def every(self) -> list[Account]:
        rows = self._books.ask("SELECT name, roles, password, totp, closed, locked_until FROM accounts ORDER BY name")
        return [_account(row) for row in rows]

    def put(self, name: str, roles: Iterable[str], password: str = "") -> None:
        """Make the account, or give it these roles and this password; what it had failed is forgotten."""
        self._books.change(
            "INSERT INTO accounts (name, roles, password) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET"
            " roles = excluded.roles, password = excluded.password, failures = 0, locked_until = 0, closed = 0",
            name,
            _joined(roles),
            password,
        )

    def set_roles(self, name: str, roles: Iterable[str]) -> None:
        self._books.change("UPDATE accounts SET roles = ? WHERE name = ?", _joined(roles), name)

    def set_password(self, name: str, password: str) -> None:
        self._books.change("UPDATE accounts SET password = ? WHERE name = ?", password, name)

    def set_totp(self, name: str, secret: str) -> None:
        """The secret of the codes; empty for none."""
        self._books.change("UPDATE accounts SET totp = ?, totp_used = 0 WHERE name = ?", secret, name)

    def set_closed(self, name: str, closed: bool) -> None:
        self._books.change(
            "UPDATE accounts SET closed = ?, failures = 0, locked_until = 0 WHERE name = ?", int(closed), name
        )

    def use_code(self, name: str, counter: int) -> bool:
        """Whether no code of this counter or a later one was used before; then it counts as used."""
        return bool(
            self._books.change(
                "UPDATE accounts SET totp_used = ? WHERE name = ? AND totp_used < ?", counter, name, counter
            )
        )

    def failed(self, name: str, now: float) -> float:
        """Count a wrong password; returns until when the account is locked, in seconds since 1970, or 0."""
        with self._books.together():
            self._books.change("UPDATE accounts SET failures = failures + 1 WHERE name = ?", name)
            rows = self._books.ask("SELECT failures FROM accounts WHERE name = ?", name)
            over = rows[0]["failures"] - FREE_FAILURES if rows else -1
            if over < 0:
                return 0.0
            until = float(now + min(LOCK_FIRST_S * 2 ** min(over, 16), LOCK_MOST_S))
            self._books.change("UPDATE accounts SET locked_until = ? WHERE name = ?", until, name)
            return until

    def succeeded(self, name: str) -> None:
        self._books.change("UPDATE accounts SET failures = 0, locked_until = 0 WHERE name = ?", name)

    def administrators(self) -> list[str]:
        """Open accounts that may change accounts."""
        return [each.name for each in self.every() if not each.closed and Right.PEOPLE in each.rights]

    # -- links

    def invite(self, name: str, roles: Iterable[str]) -> str:
        """The secret of a link, with which the account is made or gets a new password, once. Only its hash is kept."""
        secret = secrets.token_urlsafe(32)
        with self._books.together():
            self._books.change("DELETE FROM invites WHERE name = ? OR until < ?", name, time.time())
            self._books.change(
                "INSERT INTO invites VALUES (?, ?, ?, ?)",
                digest(secret),
                name,
                _joined(roles),
                time.time() + INVITED_FOR_S,
            )
        return secret

    def invited(self, secret: str) -> Invite | None:
        """What the link is for, while it holds."""
        rows = self._books.ask(
            "SELECT name, roles FROM invites WHERE digest = ? AND until >= ?", digest(secret), time.time()
        )
        return Invite(rows[0]["name"], _split(rows[0]["roles"])) if rows else None

    def redeem(self, secret: str, password: str) -> Invite | None:
        """Make the account with the hash of its password; the link then holds no more. None if it does not hold."""
        with self._books.together():
            found = self.invited(secret)
            if found is not None and self._books.change("DELETE FROM invites WHERE digest = ?", digest(secret)):
                self.put(found.name, found.roles, password)
                return found
        return None


def digest(secret: str) -> str:
    """What is kept of a secret that a browser holds."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def known_roles(roles: Iterable[str]) -> tuple[str, ...]:
    """Those that exist, in their order. Raises ValueError for another, or for none."""
    given = set(roles)
    if unknown := sorted(given - ROLES.keys()):
        raise ValueError(f"{unknown[0]!r} is no role; {', '.join(ROLES)} are")
    if not given:
        raise ValueError(f"no role is named; {', '.join(ROLES)} are")
    return tuple(role for role in ROLES if role in given)


def _account(row: sqlite3.Row) -> Account:
    name, roles, password, totp, closed, locked_until = row
    return Account(name, _split(roles), password, totp, bool(closed), locked_until)


def _joined(roles: Iterable[str]) -> str:
    return ",".join(roles)


def _split(roles: str) -> tuple[str, ...]:
    return tuple(role for role in roles.split(",") if role)
