"""The newest cosigned, else signed head of each table, and the tree over them that is stamped. Sends nothing.

One time stamp serves all tables of an hour: it is over a tree (RFC 6962) whose leaves are the heads, so what is handed
over of one table does not show another's.
"""

from __future__ import annotations

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
from pitwatch.floor.statements import checkpoint_in

TRIED = 20
"""Newest checkpoints of a table among which a genuine one is looked for."""

TABLES = "SELECT DISTINCT site, table_id FROM events WHERE kind = 'checkpoint' ORDER BY site, table_id"
NEWEST = f"""
    SELECT payload FROM events WHERE (site, table_id) = (:site, :table_id) AND kind = 'checkpoint'
    AND sequence > :after ORDER BY sequence DESC LIMIT {TRIED}
"""
STAMPED = """
    SELECT max(stamped_heads.sequence) AS sequence FROM stamped_heads JOIN stamps
    ON stamps.digest = stamped_heads.digest WHERE (site, table_id) = (:site, :table_id)
"""


class Due(NamedTuple):
    """What the authority is to stamp, and the heads in it."""

    stamped: str
    heads: list[StampedHead]


async def due(store: Store) -> Due | None:
    """The heads that no stamp covers yet, one a table; None if there are none. Raises StoreError, SigningError."""
    found: list[Head] = []
    for row in await store.ask(TABLES):
        of = {"site": row["site"], "table_id": row["table_id"]}
        last = (await store.ask(STAMPED, **of))[0]["sequence"] or 0
        for each in await store.ask(NEWEST, **of, after=last):
            said = checkpoint_in(each["payload"])
            if said is not None and said.table == f"{row['site']}/{row['table_id']}" and _genuine(said):
                found += [await _best(store, said, last)] if said.sequence > last else []
                break
    return tree(found) if found else None


async def _best(store: Store, said: CheckpointData, last: int) -> Head:
    """The newest head that is cosigned, if no stamp covers it yet, else the newest that is signed."""
    notes = await cosigned(store, said.table, said.key, last)
    for size in sorted(notes, reverse=True):
        if (made := read(notes[size].format(), said.key)) is not None:
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
