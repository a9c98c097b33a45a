"""What the pages work with: the floor, the archive, accounts, the log of changes. Made once for a server."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from pitwatch.daemon.common.errors import UsageError
from pitwatch.floor.config import FloorConfig
from pitwatch.floor.open_lines import AskArchive
from pitwatch.floor.web.accounts import Accounts
from pitwatch.floor.web.archive_door import ArchiveDoor
from pitwatch.floor.web.audit import Audit
from pitwatch.floor.web.books import Books
from pitwatch.floor.web.config import ProviderSection, WebSection
from pitwatch.floor.web.limits import Bucket
from pitwatch.floor.web.sessions import Sessions
from pitwatch.floor.web.watching import Watching

if TYPE_CHECKING:
    from pitwatch.floor.web.live import Live
    from pitwatch.floor.web.provider import Provider

TRIES_AT_ONCE, TRIES_PER_SECOND = 10, 1 / 6
"""Of one address to sign in."""


def _provider(section: ProviderSection) -> Provider:
    try:
        from pitwatch.floor.web.provider import Provider
    except ModuleNotFoundError as error:
        if error.name != "joserfc":
            raise
        raise UsageError(
            "[web.provider] needs joserfc; in Pitwatch's clone: .venv/bin/pip install -e '.[web]'"
        ) from None
    return Provider(section)


class Parts:
    """Raises UsageError if the file of accounts cannot be used."""

    def __init__(self, house: FloorConfig, ask: AskArchive | None):
        self.house = house
        self.web: WebSection = house.web
        self.books = Books(house.web.accounts)
        self.audit = Audit(self.books)
        self.accounts = Accounts(self.books)
        self.sessions = Sessions(self.books, self.accounts)
        self.tries = Bucket(TRIES_AT_ONCE, TRIES_PER_SECOND)
        self.watching = Watching(house, ask, house.web.live_cards)
        self.archive = ArchiveDoor(house.archive.database if house.names_archive else "", self.watching.floor)
        self.provider = None if not house.web.provider.issuer else _provider(house.web.provider)
        self.live: Live
        self._key = secrets.token_bytes(32)

    def form_key(self, kept: str) -> str:
        """What a form carries of a browser that has no session."""
        return hmac.digest(self._key, kept.encode(), hashlib.sha256).hex()

    @property
    def runs(self) -> tuple[Callable[[], Coroutine[Any, Any, None]], ...]:
        """What goes on beside the pages."""
        return (self.watching.run, self.archive.run, self.live.run)
