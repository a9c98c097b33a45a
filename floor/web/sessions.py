"""Sessions: a secret in the browser's cookie, its hash and all else here. Ending one ends it everywhere at once."""

from __future__ import annotations

import hmac
import secrets
import time
from typing import NamedTuple

from pitwatch.floor.web.accounts import Account, Accounts, digest
from pitwatch.floor.web.books import Books

IDLE_S = 12 * 3_600.0
"""Without a request, an open page's own included: a shift and its hand-over."""
LONGEST_S = 24 * 3_600.0
SEEN_EVERY_S = 60.0
MOST_OF_ONE = 20
"""Sessions of one account; a further one ends the oldest."""


class Session(NamedTuple):
    """`key` names it in the file, `csrf` has to come back with every form; `how` it began: password, link,
    certificate or provider."""

    key: str
    csrf: str
    how: str
    account: Account


class Sessions:
    def __init__(self, books: Books, accounts: Accounts):
        self._books, self._accounts = books, accounts

    def begin(self, name: str, how: str, address: str) -> str:
        """A new session; returns the cookie's value. Whatever the browser held before is worth nothing."""
        secret, now = secrets.token_urlsafe(32), time.time()
        with self._books.together():
            self._books.change("DELETE FROM sessions WHERE seen < ? OR made < ?", now - IDLE_S, now - LONGEST_S)
            self._books.change(
                "DELETE FROM sessions WHERE name = ? AND digest NOT IN"
                " (SELECT digest FROM sessions WHERE name = ? ORDER BY made DESC LIMIT ?)",
                name,
                name,
                MOST_OF_ONE - 1,
            )
            self._books.change(
                "INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?)",
                digest(secret),
                name,
                secrets.token_urlsafe(32),
                how,
                now,
                now,
                address,
            )
        return secret

    def find(self, secret: str) -> Session | None:
        """The session of a cookie, with the account as it is now."""
        return self.of(digest(secret)) if secret else None

    def of(self, key: str) -> Session | None:
        """Again, while its account is open and it has not ended."""
        rows = self._books.ask("SELECT name, csrf, how, made, seen FROM sessions WHERE digest = ?", key)
        if not rows:
            return None
        row, now = rows[0], time.time()
        account = self._accounts.find(row["name"])
        if account is None or account.closed or now - row["seen"] > IDLE_S or now - row["made"] > LONGEST_S:
            self.end(key)
            return None
        if now - row["seen"] > SEEN_EVERY_S:
            self._books.change("UPDATE sessions SET seen = ? WHERE digest = ?", now, key)
        return Session(key, row["csrf"], row["how"], account)

    def end(self, key: str) -> None:
        self._books.change("DELETE FROM sessions WHERE digest = ?", key)

    def end_all(self, name: str, but: str = "") -> int:
        """End all sessions of an account, except one; returns how many ended."""
        return self._books.change("DELETE FROM sessions WHERE name = ? AND digest != ?", name, but)


def same(given: str, right: str) -> bool:
    """Whether two secrets are equal, in a time that says nothing of them."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), right.encode())
