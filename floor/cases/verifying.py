"""Verifies the record of cases: entries, chain, the columns that they are found by, signed heads. Changes nothing."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from pitwatch.daemon.journal.signing import verified
from pitwatch.daemon.tlog.checkpoint import Checkpoint, opened
from pitwatch.daemon.tlog.merkle import Tree, leaf_hash
from pitwatch.daemon.tlog.note import DER, Key, NoteError, parse
from pitwatch.floor.archive.store import Store
from pitwatch.floor.cases.case import FoldError, folded
from pitwatch.floor.cases.change import START, Change, decoded, encoded, link
from pitwatch.floor.cases.heads import HEADS, Head, rows_after
from pitwatch.floor.cases.store import projected

MOST_FAULTS = 100
"""That are reported; what follows an altered entry is rarely another fault."""
CASES = "SELECT * FROM cases ORDER BY case_id"


class Fault(NamedTuple):
    """`number` of the entry, 0 for what concerns all. `what`: `entry`, `chain`, `case`, `head`."""

    number: int
    what: str
    told: str


class Verified(NamedTuple):
    """`signed_up_to`: the newest entry that a genuine head covers; `key` that signed it; `root` over all entries."""

    faults: list[Fault]
    entries: int
    cases: int
    heads: int
    signed_up_to: int
    key: str
    root: str


async def verify(store: Store, keys: Sequence[str], elsewhere: Sequence[Head] = ()) -> Verified:
    """`keys`: public keys that the reader trusts, base64 of their DER form; without any, that of each head is taken,
    which proves less. `elsewhere`: heads that were kept outside the database. Raises StoreError, SigningError."""
    faults: list[Fault] = []
    heads = [(row["size"], row["key"], row["note"]) for row in await store.ask(HEADS)]
    trusted = list(keys) or sorted({key for _, key, _ in heads})
    genuine: list[Checkpoint] = []
    signer = ""
    for size, key, note in [*heads, *((each.said.size, "", each.note) for each in elsewhere)]:
        head = _opened(size, note, trusted)
        if isinstance(head, Fault):
            faults.append(head)
        else:
            genuine.append(head)
            signer = key or signer
    expected: dict[int, list[Checkpoint]] = {}
    for said in genuine:
        expected.setdefault(said.size, []).append(said)
    tree, before = Tree(), START
    entries: dict[int, list[Change]] = {}
    sources: dict[str, int] = {}
    signed_up_to = 0
    async for row in rows_after(store, 0):
        number = tree.size + 1
        if row["number"] != number:
            faults.append(Fault(number, "chain", f"entry {number} is missing; the next there is has {row['number']}"))
            break
        before = link(before, row["body"])
        if row["hash"] != before.hex():
            faults.append(Fault(number, "chain", "the entry or one before it was altered: its hash is another"))
            break
        change = _read(row)
        if isinstance(change, Fault):
            faults.append(change)
        else:
            entries.setdefault(change.case, []).append(change)
            if change.other:
                entries.setdefault(change.other, []).append(change)
            if change.source and sources.setdefault(change.source, number) != number:
                faults.append(Fault(number, "entry", f"its cause is that of entry {sources[change.source]} too"))
        tree.append(leaf_hash(before))
        for said in expected.pop(number, ()):
            if said.root == tree.root():
                signed_up_to = number
            else:
                faults.append(
                    Fault(number, "head", f"the first {number} entries are others than those that were signed")
                )
    faults += [
        Fault(size, "head", f"{size} entries were signed, and the chain is right up to {tree.size} only")
        for size in sorted(expected)
    ]
    faults += _compared(entries, await store.ask(CASES)) if not faults else []
    root = base64.b64encode(tree.root()).decode()
    count = sum(change.kind == "open" for each in entries.values() for change in each)
    return Verified(faults[:MOST_FAULTS], tree.size, count, len(genuine), signed_up_to, signer, root)


def _opened(size: int, note: str, keys: Sequence[str]) -> Checkpoint | Fault:
    """A head that one of the keys signed, else why it is none."""
    try:
        name = parse(note).text.partition("\n")[0]
        told = "no key is known"
        for each in keys:
            try:
                said, _ = opened(note, Key.of_der(name, each), _genuine)
            except NoteError as error:
                told = str(error)
                continue
            if said.size != size:
                return Fault(size, "head", f"it is kept for {size} entries, and covers {said.size}")
            return said
    except NoteError as error:
        told = str(error)
    return Fault(size, "head", f"the signed head is not genuine: {told}")


def _genuine(public: bytes, data: bytes, signature: bytes) -> bool:
    return verified(base64.b64encode(DER + public).decode(), data, signature)


def _read(row: dict[str, Any]) -> Change | Fault:
    number = row["number"]
    try:
        change = decoded(row["body"])
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        return Fault(number, "entry", f"cannot be read: {error}")
    if change.number != number:
        return Fault(number, "entry", f"it says that it is entry {change.number}")
    if json.loads(encoded(change)) != json.loads(row["body"]):
        return Fault(number, "entry", "it says more than this program reads")
    columns = (row["case_id"], row["at"], row["other"] or 0, row["source"] or "")
    if columns != (change.case, change.at, change.other, change.source):
        return Fault(number, "entry", "the columns beside it were altered: it is found by what it does not say")
    return change


def _compared(entries: dict[int, list[Change]], rows: Sequence[dict[str, Any]]) -> list[Fault]:
    """What the table `cases` says against the entries: an altered row hides a case from every list."""
    faults = []
    there = {row["case_id"]: row for row in rows}
    for number, changes in sorted(entries.items()):
        try:
            case = folded(changes)
        except FoldError as error:
            faults.append(Fault(changes[0].number, "case", str(error)))
            continue
        row, right = there.pop(number, None), projected(case)
        if row != right:
            shown = "is not in the list of cases" if row is None else f"is listed as {row['state']}"
            faults.append(Fault(case.newest, "case", f"case {number} {shown}, and its entries say {case.state}"))
    faults += [Fault(0, "case", f"case {number} is listed, and no entry opens it") for number in there]
    return faults
