"""The archive's tables, in the SQL that PostgreSQL and SQLite share. One row an event; the rest is bookkeeping."""

from __future__ import annotations

VERSION = 7

TABLES = (
    """CREATE TABLE IF NOT EXISTS events (
        site TEXT NOT NULL, table_id TEXT NOT NULL, id TEXT NOT NULL, sequence BIGINT, boot TEXT NOT NULL,
        kind TEXT NOT NULL, subtopic TEXT NOT NULL, at TIMESTAMPTZ NOT NULL, monotonic_ns BIGINT NOT NULL,
        synced BOOLEAN NOT NULL, name TEXT, device TEXT, severity TEXT, raised BOOLEAN, partial BOOLEAN,
        earlier BOOLEAN, void TEXT, payload TEXT NOT NULL, PRIMARY KEY (site, table_id, id))""",
    "CREATE INDEX IF NOT EXISTS events_in_order ON events (site, table_id, sequence)",
    "CREATE INDEX IF NOT EXISTS events_by_time ON events (at)",
    "CREATE INDEX IF NOT EXISTS events_by_name ON events (kind, name)",
    # The newest health of each table; its history is nobody's evidence.
    """CREATE TABLE IF NOT EXISTS latest (
        site TEXT NOT NULL, table_id TEXT NOT NULL, at TIMESTAMPTZ NOT NULL, delivered BIGINT NOT NULL,
        payload TEXT NOT NULL, PRIMARY KEY (site, table_id))""",
    # What the clock of a run did last: the right time of its records is monotonic_ns + offset_ns.
    """CREATE TABLE IF NOT EXISTS clocks (
        site TEXT NOT NULL, table_id TEXT NOT NULL, boot TEXT NOT NULL, sequence BIGINT NOT NULL,
        offset_ns BIGINT NOT NULL, PRIMARY KEY (site, table_id, boot))""",
    # Up to where a table's records are all there, so that gaps need not be looked for from the beginning each time.
    """CREATE TABLE IF NOT EXISTS whole (
        site TEXT NOT NULL, table_id TEXT NOT NULL, up_to BIGINT NOT NULL, PRIMARY KEY (site, table_id))""",
    """CREATE TABLE IF NOT EXISTS given_up (
        site TEXT NOT NULL, table_id TEXT NOT NULL, first BIGINT NOT NULL, last BIGINT NOT NULL, reason TEXT NOT NULL,
        PRIMARY KEY (site, table_id, first))""",
    # Tables that have not reported again what is missing, and why.
    """CREATE TABLE IF NOT EXISTS unanswered (
        site TEXT NOT NULL, table_id TEXT NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (site, table_id))""",
    # Which of several instances does what only one should do.
    """CREATE TABLE IF NOT EXISTS leases (
        name TEXT PRIMARY KEY, holder TEXT NOT NULL, until DOUBLE PRECISION NOT NULL)""",
    # Messages that are no row of `events`: as they came, since nobody else keeps them. `digest`: of table and message.
    """CREATE TABLE IF NOT EXISTS put_aside (
        digest TEXT PRIMARY KEY, site TEXT NOT NULL, table_id TEXT NOT NULL, topic TEXT NOT NULL,
        at TIMESTAMPTZ NOT NULL, trouble TEXT NOT NULL, reason TEXT NOT NULL, message BYTEA NOT NULL)""",
    # Which run of a table's daemon gave which numbers (floor/identity). `last` may lag behind `events`; what is not
    # known is 0 or empty.
    """CREATE TABLE IF NOT EXISTS runs (
        site TEXT NOT NULL, table_id TEXT NOT NULL, boot TEXT NOT NULL, first BIGINT NOT NULL, last BIGINT NOT NULL,
        met DOUBLE PRECISION NOT NULL, began DOUBLE PRECISION NOT NULL, committed BIGINT NOT NULL,
        refused BIGINT NOT NULL, aside BOOLEAN NOT NULL, below BOOLEAN NOT NULL, key TEXT NOT NULL,
        claim_sequence BIGINT, claim_boot TEXT, claim_last BIGINT, PRIMARY KEY (site, table_id, boot))""",
    # Hashes of records that genuine checkpoints and retention records have signed, by key.
    """CREATE TABLE IF NOT EXISTS heads (
        site TEXT NOT NULL, table_id TEXT NOT NULL, key TEXT NOT NULL, sequence BIGINT NOT NULL, hash TEXT NOT NULL,
        PRIMARY KEY (site, table_id, key, sequence))""",
    # Where a table contradicts what it has published, or what the house approved; `over_at` is null while it stands.
    """CREATE TABLE IF NOT EXISTS troubles (
        site TEXT NOT NULL, table_id TEXT NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL, at TIMESTAMPTZ NOT NULL,
        told TEXT NOT NULL, heard TEXT NOT NULL, said TEXT NOT NULL, over_at TIMESTAMPTZ,
        PRIMARY KEY (site, table_id, kind, subject))""",
    # Signed heads of tables' Merkle trees as they came, for the witness (floor/witness). `verdict` is null until it is
    # known; of a checkpoint without a note, `root` and `note` are empty.
    """CREATE TABLE IF NOT EXISTS tree_heads (
        site TEXT NOT NULL, table_id TEXT NOT NULL, origin TEXT NOT NULL, key TEXT NOT NULL, size BIGINT NOT NULL,
        root TEXT NOT NULL, note TEXT NOT NULL, boot TEXT NOT NULL, at DOUBLE PRECISION NOT NULL, verdict TEXT,
        PRIMARY KEY (site, table_id, key, size, root))""",
    "CREATE INDEX IF NOT EXISTS tree_heads_new ON tree_heads (site, table_id) WHERE verdict IS NULL",
    # The newest head of each log that this archive's witness has cosigned: moved by compare-and-set.
    """CREATE TABLE IF NOT EXISTS witness_heads (
        origin TEXT NOT NULL, key TEXT NOT NULL, site TEXT NOT NULL, table_id TEXT NOT NULL, size BIGINT NOT NULL,
        root TEXT NOT NULL, note TEXT NOT NULL, at TIMESTAMPTZ NOT NULL, PRIMARY KEY (origin, key))""",
    # Cosigned notes, by this witness and others; `told`: the table has it.
    """CREATE TABLE IF NOT EXISTS cosignatures (
        origin TEXT NOT NULL, key TEXT NOT NULL, witness TEXT NOT NULL, size BIGINT NOT NULL, root TEXT NOT NULL,
        note TEXT NOT NULL, at TIMESTAMPTZ NOT NULL, told BOOLEAN NOT NULL,
        PRIMARY KEY (origin, key, witness, size, root))""",
    "CREATE INDEX IF NOT EXISTS cosignatures_untold ON cosignatures (origin, key) WHERE NOT told",
    # Time stamps: what was stamped (a tree over signed heads, floor/evidence), by its SHA-256, and the reply.
    """CREATE TABLE IF NOT EXISTS stamps (
        digest TEXT PRIMARY KEY, at TIMESTAMPTZ NOT NULL, hour TEXT NOT NULL, authority TEXT NOT NULL,
        stamped TEXT NOT NULL, reply BYTEA NOT NULL)""",
    # The leaves of those trees, in order; `head` is the text, `path` its way to the root, hashes in base64.
    """CREATE TABLE IF NOT EXISTS stamped_heads (
        digest TEXT NOT NULL, position BIGINT NOT NULL, site TEXT NOT NULL, table_id TEXT NOT NULL, key TEXT NOT NULL,
        sequence BIGINT NOT NULL, hash TEXT NOT NULL, head TEXT NOT NULL, path TEXT NOT NULL,
        PRIMARY KEY (digest, position))""",
    "CREATE INDEX IF NOT EXISTS stamped_heads_by_table ON stamped_heads (site, table_id, sequence)",
    # Why the authority has not stamped since; no row where it does.
    """CREATE TABLE IF NOT EXISTS not_stamped (
        authority TEXT PRIMARY KEY, since TIMESTAMPTZ NOT NULL, at TIMESTAMPTZ NOT NULL, times BIGINT NOT NULL,
        reason TEXT NOT NULL)""",
    # Which evidence packages were made of this archive: chain of custody.
    """CREATE TABLE IF NOT EXISTS packages (
        manifest TEXT NOT NULL, site TEXT NOT NULL, table_id TEXT NOT NULL, sequence BIGINT NOT NULL,
        at TIMESTAMPTZ NOT NULL, entry TEXT NOT NULL, PRIMARY KEY (manifest, at))""",
    # What was done about cases (floor/cases): a chain of entries, never changed. `body` is what is hashed; the columns
    # before it are what it is found by. `source` lets one cause be entered once.
    """CREATE TABLE IF NOT EXISTS case_changes (
        number BIGINT PRIMARY KEY, case_id BIGINT NOT NULL, at TIMESTAMPTZ NOT NULL, other BIGINT, source TEXT UNIQUE,
        body TEXT NOT NULL, hash TEXT NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS case_changes_by_time ON case_changes (at)",
    "CREATE INDEX IF NOT EXISTS case_changes_by_case ON case_changes (case_id, number)",
    "CREATE INDEX IF NOT EXISTS case_changes_by_link ON case_changes (other) WHERE other IS NOT NULL",
    # Where each case stands, made of its entries: only to find them.
    """CREATE TABLE IF NOT EXISTS cases (
        case_id BIGINT PRIMARY KEY, site TEXT NOT NULL, table_id TEXT NOT NULL, subject TEXT NOT NULL,
        state TEXT NOT NULL, newest BIGINT NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS cases_open ON cases (case_id) WHERE state <> 'closed'",
    "CREATE INDEX IF NOT EXISTS cases_by_subject ON cases (subject, case_id)",
    # Signed roots of the Merkle tree over the entries.
    """CREATE TABLE IF NOT EXISTS case_heads (
        size BIGINT NOT NULL, key TEXT NOT NULL, note TEXT NOT NULL, at TIMESTAMPTZ NOT NULL,
        PRIMARY KEY (size, key))""",
    # Who is notified of cases (floor/notify): from which entry on, and up to which.
    """CREATE TABLE IF NOT EXISTS notify_receivers (
        receiver TEXT PRIMARY KEY, since BIGINT NOT NULL, number BIGINT NOT NULL)""",
    # What is to be sent; a row goes when its receiver has taken it. `given_up`: never tried again.
    """CREATE TABLE IF NOT EXISTS notify_outbox (
        receiver TEXT NOT NULL, id TEXT NOT NULL, due DOUBLE PRECISION NOT NULL, made DOUBLE PRECISION NOT NULL,
        attempts BIGINT NOT NULL, given_up BOOLEAN NOT NULL, reason TEXT NOT NULL, notice TEXT NOT NULL,
        PRIMARY KEY (receiver, id))""",
    # Kinds of notices of which no more are sent until then, and how many were left out meanwhile.
    """CREATE TABLE IF NOT EXISTS notify_groups (
        receiver TEXT NOT NULL, topic TEXT NOT NULL, until DOUBLE PRECISION NOT NULL, left_out BIGINT NOT NULL,
        first BIGINT NOT NULL, last BIGINT NOT NULL, notice TEXT NOT NULL, PRIMARY KEY (receiver, topic))""",
    "CREATE TABLE IF NOT EXISTS archive_version (version INTEGER PRIMARY KEY)",
)

CHANGES = {
    # A will's `earlier` was kept in `partial`. Its monotonic_ns was written as 0 and stays so.
    1: (
        "ALTER TABLE events ADD COLUMN earlier BOOLEAN",
        "UPDATE events SET earlier = coalesce(partial, FALSE), partial = NULL WHERE kind = 'status' AND name = 'lost'",
    ),
    2: (),  # tables only, which are made where they are missing
    3: (),
    4: (),
    5: (),
    6: (),
}
"""What makes an archive of an older version one of the next."""


class NewerError(Exception):
    """The archive is not for this program; one line says so."""


def changes(found: int | None) -> list[str]:
    """What makes tables of that version, None for those just made, into this program's. Raises NewerError."""
    if found is not None and found > VERSION:
        raise NewerError(f"the archive is of version {found}, this program's is {VERSION}; a newer Pitwatch opens it")
    steps = [statement for version in range(found or VERSION, VERSION) for statement in CHANGES[version]]
    return steps if found == VERSION else [*steps, f"INSERT INTO archive_version VALUES ({VERSION})"]
