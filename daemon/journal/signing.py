"""The board's signing key: Ed25519, created once, kept in a file of mode 600; signs and verifies bytes.

The `openssl` program does the work, a few milliseconds each time: a library would cost the daemon 9 MB permanently.
Independent of what is signed. Blocking calls.
"""

from __future__ import annotations

import base64
import os
import subprocess
from pathlib import Path
from shlex import quote

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.common.whole_file import write_beside

PATIENCE = 20.0
"""Seconds that openssl may take."""

SPKI_BYTES = 44
"""Length of an Ed25519 public key as openssl writes it in DER (RFC 8410)."""


def key_path(journal: Path) -> Path:
    """The signing key of the journal at a path: beside it."""
    return journal.with_suffix(".key")


SHELL = 126
"""Exit codes from here on are of a program that did not run; below 0 it was killed."""


class SigningError(UsageError):
    """The key or openssl cannot be used; one line."""


class Signer:
    """The key in the file `path`, with the public one beside it as `.pub`."""

    def __init__(self, path: Path):
        self.path = path
        self.public_path = path.with_suffix(".pub")
        self.new = False
        """A key that was made elsewhere: its public half was first written now, so the journal may be another key's."""

    @property
    def exists(self) -> bool:
        """Whether this board has a key."""
        return self.path.exists()

    @property
    def public(self) -> str | None:
        """The public key, base64 of its DER form; None while there is none."""
        try:
            return public_key(self.public_path)
        except SigningError:
            return None

    def prepare(self) -> str:
        """Make the key if there is none; returns the public key. Raises SigningError."""
        if not self.path.exists():
            write_new(self.path, openssl(["genpkey", "-algorithm", "ed25519"]), 0o600)
        elif self.path.stat().st_mode & 0o077:
            raise SigningError(f"{self.path}: others may read the signing key; chmod 600 {quote(str(self.path))}")
        elif not os.access(self.path, os.R_OK):
            raise SigningError(f"{self.path}: is another user's signing key; only its owner and root may sign with it")
        pem = openssl(["pkey", "-pubout", "-in", str(self.path)])
        known = self.public_path.read_bytes() if self.public_path.exists() else None
        if known != pem:
            if known is not None:
                raise SigningError(
                    f"{self.public_path}: belongs to another key than {self.path}; put back the right one, "
                    "or move both away to begin with a new key"
                )
            write_new(self.public_path, pem, 0o644)
        return public_key(self.public_path)

    def withdraw(self) -> None:
        """Take back the public half of a key that is new here."""
        if self.new:
            self.public_path.unlink(missing_ok=True)
            self.new = False

    def sign(self, data: bytes) -> bytes:
        """The signature, 64 bytes. Raises SigningError."""
        with Unnamed(data) as (fd, name):
            return openssl(["pkeyutl", "-sign", "-inkey", str(self.path), "-rawin", "-in", name], fd)

    def sign_file(self, path: Path) -> bytes:
        """The signature of a file's bytes. Raises SigningError."""
        return openssl(["pkeyutl", "-sign", "-inkey", str(self.path), "-rawin", "-in", str(path)])


def verified(public: str, data: bytes, signature: bytes, library: bool = True) -> bool:
    """Whether the holder of the key signed the data. `library`: by one, where it is installed, since that is faster for
    many. Raises SigningError if that cannot be found out."""
    if not library:
        return _verified_by_openssl(public, data, signature)
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        return _verified_by_openssl(public, data, signature)
    try:
        Ed25519PublicKey.from_public_bytes(base64.b64decode(public)[-32:]).verify(signature, data)
    except (InvalidSignature, ValueError):
        return False
    return True


def _verified_by_openssl(public: str, data: bytes, signature: bytes) -> bool:
    pem = f"-----BEGIN PUBLIC KEY-----\n{public}\n-----END PUBLIC KEY-----\n".encode()
    with Unnamed(data) as (a, data_name), Unnamed(signature) as (b, signature_name), Unnamed(pem) as (c, key_name):
        command = ["pkeyutl", "-verify", "-pubin", "-inkey", key_name, "-rawin", "-in", data_name]
        code = _run([*command, "-sigfile", signature_name], (a, b, c)).returncode
        if code < 0 or code >= SHELL:
            raise SigningError(f"openssl cannot be run: exit code {code}")
        return code == 0


def public_key(path: Path) -> str:
    """The public key in a PEM file, base64 of its DER form. Raises SigningError."""
    try:
        lines = path.read_text(encoding="ascii").split("\n")
        text = "".join(line.strip() for line in lines if not line.startswith("-----"))
        if len(base64.b64decode(text, validate=True)) != SPKI_BYTES:
            raise ValueError("not an Ed25519 key")
    except OSError as error:
        raise SigningError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError:
        raise SigningError(f"{path}: is no Ed25519 public key in PEM form") from None
    return text


class Unnamed:
    """Bytes as a file that has no name on any disk; gives its descriptor and the path a child process opens it by."""

    def __init__(self, data: bytes):
        self._fd = os.memfd_create("pitwatch", 0)
        os.write(self._fd, data)

    def __enter__(self) -> tuple[int, str]:
        return self._fd, f"/proc/self/fd/{self._fd}"

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)


def write_new(path: Path, content: bytes, mode: int) -> None:
    """A file that is there whole or not at all, and with this mode from the beginning."""
    try:
        write_beside(path, content, mode).rename(path)
    except OSError as error:
        raise SigningError(f"{path}: cannot be written: {error.strerror}") from None


def openssl(arguments: list[str], *fds: int) -> bytes:
    done = _run(arguments, fds)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise SigningError(f"openssl {arguments[0]}: {said[0] if said else f'exit code {done.returncode}'}")
    return done.stdout


def _run(arguments: list[str], fds: tuple[int, ...]) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            ["openssl", *arguments], stdin=subprocess.DEVNULL, capture_output=True, pass_fds=fds, timeout=PATIENCE
        )
    except FileNotFoundError:
        raise SigningError("openssl is not installed, so nothing can be signed; apt install openssl") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SigningError(f"openssl cannot be run: {error}") from None
