"""Which key signs a journal: a file beside it, a PKCS#11 token or a TPM, as the configuration says."""

from __future__ import annotations

from pathlib import Path

from pitwatch.daemon.config.token_key import TokenKey
from pitwatch.daemon.config.tpm_key import TpmKey
from pitwatch.daemon.journal.kept_elsewhere import SignerElsewhere
from pitwatch.daemon.journal.signing import Signer, key_path
from pitwatch.daemon.journal.token_signer import TokenSigner
from pitwatch.daemon.journal.tpm_signer import TpmSigner


def signer_of(journal: Path, key: TokenKey | TpmKey | None) -> Signer:
    """What signs the journal at a path. `key` None: a file beside it."""
    return Signer(key_path(journal)) if key is None else signer_elsewhere(journal, key)


def signer_elsewhere(journal: Path, key: TokenKey | TpmKey) -> SignerElsewhere:
    """The same where the key is no file."""
    return TpmSigner(key_path(journal), key) if isinstance(key, TpmKey) else TokenSigner(key_path(journal), key)
