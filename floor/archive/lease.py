"""Which of several instances does what only one should do: the one that holds the lease in the database."""

from __future__ import annotations

import time

from pitwatch.floor.archive.store import Store

LEASE_S = 60.0
"""Seconds for which a lease holds; who holds it takes it again before."""

TAKE = """
    INSERT INTO leases VALUES (:name, :holder, :until) ON CONFLICT (name) DO UPDATE
    SET holder = excluded.holder, until = excluded.until WHERE leases.holder = excluded.holder OR leases.until < :now
"""


async def leased(store: Store, name: str, holder: str) -> bool:
    """Take or keep the lease of a name; whether `holder` has it now. Raises StoreError."""
    now = time.time()
    return bool(await store.change(TAKE, name=name, holder=holder, until=now + LEASE_S, now=now))
