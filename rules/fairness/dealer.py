"""Who deals, for a monitor that keeps one state for each dealer. Only the credential's hash leaves here."""

from __future__ import annotations

from hashlib import sha256

from pitwatch.rules.desk import Desk
from pitwatch.rules.people import DEALER

UNKNOWN = "unknown"


class Dealer:
    """`name`: the first 12 digits of the SHA-256 of the dealer's credential, or "unknown"."""

    def __init__(self, desk: Desk):
        self._people = desk.table.people
        self.name = UNKNOWN

    def key(self, key: str | None) -> None:
        """A key of the panel: after a change of dealer nobody knows who deals until a credential tells."""
        if key == "dealer_change":
            self.name = UNKNOWN

    def credential(self, credential: str | None) -> None:
        """A credential was presented; only a dealer's counts."""
        if credential is not None and self._people.get(credential) == DEALER:
            self.name = sha256(credential.encode()).hexdigest()[:12]
