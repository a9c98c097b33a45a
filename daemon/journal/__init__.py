"""The evidence on disk: records in order, hash chain, signatures, retention, rescue, verification, export.

The running table appends to `Journal`; `writing` is the thread that writes the file; `store` is the file; `chain`,
`checkpoints`, `signing` and `verifying` prove it. May import: `common`, `contract`, `config`.
"""

from pitwatch.daemon.journal.journal import Journal

__all__ = ["Journal"]
