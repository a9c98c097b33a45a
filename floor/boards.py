"""The boards that the house has announced (`pitwatch provision --board`): their keys, once the list is verified."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from pitwatch.daemon.journal.signing import PATIENCE
from pitwatch.daemon.provisioning.boards import parse, signed_part
from pitwatch.floor.identity.approved import Approved


def announced(path: Path, authority: str) -> dict[str, tuple[str, ...]]:
    """The keys of each table, the oldest first. `authority`: the certificate that the list must be signed by. Raises
    ValueError with what is wrong, in one line."""
    try:
        text, signature = signed_part(path.read_bytes())
        boards = parse(text.decode())
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}; copy it from the house's folder again") from None
    if not _is_genuine(authority, text, signature):
        raise ValueError(f"{path}: is not signed by {authority}; copy it from the house's folder again")
    found: dict[str, tuple[str, ...]] = {}
    for board in boards:
        found[board.table] = (*found.get(board.table, ()), board.key)
    return found


def with_boards(approved: Approved, boards: dict[str, tuple[str, ...]]) -> Approved:
    """What the house approves, with the keys of its boards after those that FLOOR.toml names."""
    for table, keys in boards.items():
        approved = approved.with_keys(table, keys)
    return approved


def _is_genuine(authority: str, data: bytes, signature: bytes) -> bool:
    """By openssl, which a certificate's key needs no library for. Raises ValueError if that cannot be found out."""
    try:
        public = subprocess.run(
            ["openssl", "x509", "-in", authority, "-noout", "-pubkey"], capture_output=True, timeout=PATIENCE
        )
        if public.returncode:
            raise ValueError(f"{authority}: is no certificate that openssl reads")
        with tempfile.TemporaryDirectory() as folder:
            for name, content in (("key", public.stdout), ("sig", signature)):
                (Path(folder) / name).write_bytes(content)
            command = ["openssl", "dgst", "-sha256", "-verify", f"{folder}/key", "-signature", f"{folder}/sig"]
            return not subprocess.run(command, input=data, capture_output=True, timeout=PATIENCE).returncode
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ValueError(f"openssl cannot be run: {error}") from None
