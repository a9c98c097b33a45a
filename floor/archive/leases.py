"""Leases: which of several instances of the archive does what only one should do."""

from __future__ import annotations

import time

from pitwatch.floor.archive.store import Store

LEASE_S = 60.0

TAKE = """
    INSERT INTO leases VALUES (:name, :holder, :until) ON CONFLICT (name) DO UPDATE
    SET holder = excluded.holder, until = excluded.until WHERE leases.holder = excluded.holder OR leases.until < :now
"""


async def leased(store: Store, name: str, holder: str) -> bool:
    """Whether the lease is the holder's for another minute. Raises StoreError."""
    now = time.time()
    return bool(await store.change(TAKE, name=name, holder=holder, until=now + LEASE_S, now=now))
