"""The evidence on disk: records in order, hash chain, signatures, retention, rescue, verification, export.

`Journal` is what the running table appends to; `writing` is the thread that has the file; `store` is the file,
`records` what can be asked of it, `reading` how others read it; `chain`, `checkpoints`, `signing` and `verifying`
prove it; `keys` names the key that signs: a file, a PKCS#11 token (`token_signer`, which asks by the program `pkcs11`)
or one that a TPM sealed (`tpm_signer`); `tree` grows the Merkle tree over the records, `planted` is that of an open
file, `nodes` what the file keeps of it, `proofs` proves a record by it. May import: `common`, `contract`, `config`,
`tlog`.
"""

from pitwatch.daemon.journal.journal import Journal

__all__ = ["Journal"]
