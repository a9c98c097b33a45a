"""A signing key that is no file. Its public half lies beside the journal, and no other key may take its place."""

from __future__ import annotations

import base64
from pathlib import Path

from pitwatch.daemon.journal.signing import Signer, SigningError, public_key, verified, write_new
from pitwatch.daemon.tlog.note import DER

TRIAL = b"pitwatch-trial-v1\n"


class SignerElsewhere(Signer):
    """`path` is where the key would lie if it were a file, `name` what messages call it. A kind of key gives its public
    half and signatures."""

    def __init__(self, path: Path, name: str):
        super().__init__(path)
        self.name = name

    def _raw_public(self) -> bytes:
        """32 bytes. Raises SigningError."""
        raise NotImplementedError

    def _signature(self, data: bytes) -> bytes:
        """Raises SigningError."""
        raise NotImplementedError

    @property
    def exists(self) -> bool:
        """Such a board has a key, whether it can be reached or not."""
        return True

    def prepare(self) -> str:
        """The public key; it is written beside the journal if none is there, after a signature on trial. Raises
        SigningError."""
        public = self._public()
        if not self.public_path.exists():
            self._checked(public, TRIAL, self._signature(TRIAL))
            write_new(
                self.public_path, f"-----BEGIN PUBLIC KEY-----\n{public}\n-----END PUBLIC KEY-----\n".encode(), 0o644
            )
            self.new = True
        return public

    def test(self) -> str:
        """Sign on trial, and write nothing; returns the public key. Raises SigningError."""
        public = self._public()
        self._checked(public, TRIAL, self._signature(TRIAL))
        return public

    def sign(self, data: bytes) -> bytes:
        """The signature, 64 bytes, by the key that was prepared and no other. Raises SigningError."""
        return self._checked(public_key(self.public_path), data, self._signature(data))

    def sign_file(self, path: Path) -> bytes:
        """The signature of a file's bytes, which are signed as a whole. Raises SigningError."""
        return self.sign(path.read_bytes())

    def error(self, what: str) -> SigningError:
        return SigningError(f"signing key in {self.name}: {what}")

    def _public(self) -> str:
        public = base64.b64encode(DER + self._raw_public()).decode()
        if self.public_path.exists() and public_key(self.public_path) != public:
            raise self.error(
                f"its key is not that of {self.public_path}; put the right one back, or begin with a new "
                "key: move the journal away with its .key and .pub, and keep them"
            )
        return public

    def _checked(self, public: str, data: bytes, signature: bytes) -> bytes:
        """Another token may be plugged in under the same name."""
        if not verified(public, data, signature, library=False):
            raise self.error("it signs with another key than that of its public key; put the right one back")
        return signature
