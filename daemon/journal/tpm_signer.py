"""The board's signing key sealed in a TPM 2.0, which has no Ed25519 itself: each signature unseals it into memory.

tpm2-tools unseals, openssl signs; the key is on no disk, and no other board's TPM unseals it. Blocking calls.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from pitwatch.daemon.config.tpm_key import TpmKey
from pitwatch.daemon.journal.kept_elsewhere import SignerElsewhere
from pitwatch.daemon.journal.signing import SPKI_BYTES, SigningError, Unnamed, openssl

PATIENCE = 5.0
"""Seconds that the TPM may take."""


class TpmSigner(SignerElsewhere):
    """The sealed key is in PEM form, as openssl writes it."""

    def __init__(self, path: Path, key: TpmKey):
        super().__init__(path, str(key))
        self._handle = key.handle

    def _raw_public(self) -> bytes:
        with Unnamed(self._unsealed()) as (fd, name):
            try:
                der = openssl(["pkey", "-pubout", "-outform", "DER", "-in", name], fd)
            except SigningError:
                der = b""
        if len(der) != SPKI_BYTES:
            raise self.error("what is sealed there is no Ed25519 key in PEM form; seal another")
        return der[-32:]

    def _signature(self, data: bytes) -> bytes:
        with Unnamed(self._unsealed()) as (key_fd, key), Unnamed(data) as (fd, name):
            return openssl(["pkeyutl", "-sign", "-inkey", key, "-rawin", "-in", name], key_fd, fd)

    def _unsealed(self) -> bytes:
        try:
            done = subprocess.run(
                ["tpm2_unseal", "-c", self._handle], stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE
            )
        except FileNotFoundError:
            raise self.error("tpm2_unseal is not installed; apt install tpm2-tools") from None
        except subprocess.TimeoutExpired:
            raise self.error(f"the TPM does not answer within {PATIENCE:.0f} s") from None
        except OSError as error:
            raise self.error(f"tpm2_unseal cannot be run: {error}") from None
        if done.returncode:
            lines = done.stderr.decode(errors="replace").splitlines()
            # The libraries' own lines begin with ERROR:LIBRARY, the last of the tool's repeats that it failed.
            of_tool = [line for line in lines if line.startswith("ERROR: ") and "Unable to run" not in line]
            why = of_tool[-1].removeprefix("ERROR: ").rstrip() if of_tool else f"exit code {done.returncode}"
            raise self.error(f"cannot be unsealed: {why[:200]}")
        return done.stdout
