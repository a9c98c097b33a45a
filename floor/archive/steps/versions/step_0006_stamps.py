"""Time stamps and evidence packages."""

from __future__ import annotations

from alembic import op

revision = "0006"
down_revision = "0005"

STATEMENTS = (
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
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
