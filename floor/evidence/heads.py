"""The newest cosigned, else signed head of each table, and the tree over them that is stamped. Sends nothing.

One time stamp serves all tables of an hour: it is over a tree (RFC 6962) whose leaves are the heads, so what is handed
over of one table does not show another's.
"""

from __future__ import annotations

import asyncio
import base64
from typing import Any, NamedTuple

from pitwatch.daemon.contract.messages import CheckpointData
from pitwatch.daemon.evidence.head import Head, StampedHead, read, stamped_text
from pitwatch.daemon.evidence.head import of as head_of
from pitwatch.daemon.journal.statements import is_genuine, noted
from pitwatch.daemon.tlog.merkle import Tree, inclusion_path, leaf_hash
from pitwatch.daemon.tlog.note import NoteError
from pitwatch.floor.archive.store import Store
from pitwatch.floor.evidence.cosigned import cosigned
from pitwatch.floor.identity.approved import Approved
from pitwatch.floor.statements import checkpoint_in

TRIED = 20
"""Newest checkpoints of a table among which a genuine one is looked for."""

TABLES = "SELECT site, table_id FROM event_tables ORDER BY site, table_id"
NEWEST = f"""
    SELECT payload FROM events WHERE (site, table_id) = (:site, :table_id) AND kind = 'checkpoint'
    AND payload LIKE :named ORDER BY at DESC, sequence DESC LIMIT {TRIED}
"""
STAMPED = """
    SELECT max(stamped_heads.sequence) AS sequence FROM stamped_heads JOIN stamps
    ON stamps.digest = stamped_heads.digest WHERE (site, table_id) = (:site, :table_id) AND key = :key
"""


class Due(NamedTuple):
    """What the authority is to stamp, and the heads in it."""

    stamped: str
    heads: list[StampedHead]


async def due(store: Store, approved: Approved | None = None) -> Due | None:
    """The heads that no stamp covers yet, one for each table and key; None if there are none. `approved`: where the
    house has approved keys of a table, only what these sign. Raises StoreError, SigningError."""
    found: list[Head] = []
    for row in await store.ask(TABLES):
        table, of = f"{row['site']}/{row['table_id']}", {"site": row["site"], "table_id": row["table_id"]}
        keys = approved.of(table, "key") if approved is not None else ()
        seen: set[str] = set()
        for key in keys or ("",):
            for each in await store.ask(NEWEST, **of, named=f"%{key}%"):
                said = checkpoint_in(each["payload"])
                if said is None or said.table != table or said.key in seen or (keys and said.key != key):
                    continue
                if not await asyncio.to_thread(_genuine, said):
                    continue
                seen.add(said.key)
                last = (await store.ask(STAMPED, **of, key=said.key))[0]["sequence"] or 0
                if said.sequence > last:
                    found.append(await _best(store, said, last))
    return tree(found) if found else None


async def _best(store: Store, said: CheckpointData, last: int) -> Head:
    """The newest head that is cosigned, if no stamp covers it yet, else the newest that is signed."""
    notes = await cosigned(store, said.table, said.key, last)
    for size in sorted(notes, reverse=True):
        if (made := await asyncio.to_thread(read, notes[size].format(), said.key)) is not None:
            return made
    return head_of(said)


def _genuine(said: CheckpointData) -> bool:
    """Raises SigningError."""
    try:
        return is_genuine(said) and (said.note is None or noted(said).size == said.sequence)
    except NoteError:
        return False


def tree(heads: list[Head]) -> Due:
    """A tree of these heads, in their order."""
    nodes: dict[tuple[int, int], bytes] = {}
    grown = Tree()
    for head in heads:
        grown.append(
            leaf_hash(head.text.encode()), lambda level, index, hash_: nodes.__setitem__((level, index), hash_)
        )
    stamped = stamped_text(len(heads), grown.root())
    made = []
    for position, head in enumerate(heads):
        path = inclusion_path(position, len(heads), lambda level, index: nodes[level, index])
        made.append(StampedHead(head, position, [base64.b64encode(each).decode() for each in path]))
    return Due(stamped, made)


def row_of(each: StampedHead, digest: str) -> dict[str, Any]:
    """As the table `stamped_heads` has it."""
    site, _, table_id = each.head.table.partition("/")
    return {
        "digest": digest,
        "position": each.position,
        "site": site,
        "table_id": table_id,
        "key": each.head.key,
        "sequence": each.head.sequence,
        "hash": each.head.hash,
        "head": each.head.text,
        "path": " ".join(each.path),
    }
