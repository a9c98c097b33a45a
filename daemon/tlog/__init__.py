"""Transparency-log formats that others verify: Merkle trees, signed notes, checkpoints. Pure: no files, no keys.

`merkle` is the tree and its proofs (RFC 6962), `note` a signed text (C2SP signed-note), `checkpoint` the text that
states a tree's size and root (C2SP tlog-checkpoint), `cosignature` what a witness adds to it (C2SP
tlog-cosignature). Who signs, and what the leaves are, is for the caller to know.
May import: nothing of the daemon.
"""
