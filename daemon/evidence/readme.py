"""The first file of a package that somebody opens: what is in it, and how it is verified."""

from __future__ import annotations

from pitwatch.daemon.evidence.facts import Facts

FILES = (
    ("index.html", "one page for people; it prints"),
    ("certificate.txt", "draft of a certificate after Fed. R. Evid. 902(13) and (14)"),
    ("package.json", "the same facts for programs"),
    ("records/N.json", "record N of the board's journal: the bytes that are hashed"),
    ("proofs/N.tlog-proof", "proves that record N is in a tree that the board signed (c2sp.org/tlog-proof)"),
    ("time/N.*", "time stamp (RFC 3161) over the signed tree of N records"),
    ("published.jsonl", "messages as the archive received them"),
    ("wires.jsonl", "what the devices sent in the round, a capture for pitwatch replay"),
    ("replay.jsonl", "what pitwatch replay answers for wires.jsonl"),
    ("custody.jsonl", "who made which package of this irregularity when"),
    ("MANIFEST", "SHA-256 of each file; sha256sum -c MANIFEST"),
    ("MANIFEST.sig, MANIFEST.pub", "Ed25519 signature of MANIFEST, and the key; compare the key with the house's"),
)


def readme(facts: Facts) -> bytes:
    lines = [
        f"Evidence package: table {facts.table}, record {facts.sequence}, {facts.irregularity['rule']}.",
        "It holds one irregularity and its round, and nothing of other rounds.",
        "",
        "    pitwatch evidence verify FILE.zip --key KEY     KEY: a public key from the house, not from this package",
        "",
        "docs/evidence.md of Pitwatch tells how to verify it with openssl and sha256sum alone.",
        "",
        *(f"{name:<28}{what}" for name, what in FILES),
        "",
        "What this package does not prove:",
        *(f"- {each}" for each in facts.limits()),
        "",
    ]
    return "\n".join(lines).encode()
