"""The key of a witness, and signatures by it. Blocking calls."""

from __future__ import annotations

import base64
from pathlib import Path

from pitwatch.daemon.journal.signing import Signer, SigningError, verified
from pitwatch.daemon.tlog.cosignature import cosign
from pitwatch.daemon.tlog.note import COSIGNATURE, DER, Key, Signature


class Cosigner:
    """`name` of the witness, `path` of its key: a file of mode 600, which is made once."""

    def __init__(self, name: str, path: Path):
        self.name = name
        self._signer = Signer(path)
        self._key: Key | None = None

    def prepare(self) -> Key:
        """Make the key if there is none; the public half. Raises SigningError."""
        if self._key is None:
            self._key = Key.of_der(self.name, self._signer.prepare(), COSIGNATURE)
        return self._key

    def cosign(self, text: str, at: int) -> Signature:
        """The cosignature of a note's text. `at` in seconds since 1970. Raises SigningError."""
        return cosign(text, self.prepare(), at, self._signer.sign)


def genuine(public: bytes, data: bytes, signature: bytes) -> bool:
    """Whether the holder of an Ed25519 key (32 bytes) signed the data. Raises SigningError if that cannot be found
    out."""
    return verified(base64.b64encode(DER + public).decode(), data, signature)


__all__ = ["Cosigner", "SigningError", "genuine"]
