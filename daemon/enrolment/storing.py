"""What a board keeps of an enrolment: its keys from the first try on, then its table's folder, all of it or nothing.

The keys are made on the board and stay there. They are on the disk before the house is asked, so that a board that
loses power meanwhile asks again with the same ones and gets the same answer.
"""

from __future__ import annotations

import os
import pwd
import shutil
from pathlib import Path

import msgspec

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.common.whole_file import sync_folder, write_beside
from pitwatch.daemon.enrolment.exchange import ExchangeError, Grant, Request
from pitwatch.daemon.journal.signing import Signer

USER = "pitwatch"
UNFINISHED = ".enrolment"
"""In the folder of tables, until the enrolment is complete."""


class Storing:
    """`folder` has the tables (/etc/pitwatch), `state` their journals (/var/lib/pitwatch)."""

    def __init__(self, folder: Path, state: Path):
        self._folder, self._state = folder, state
        self._own = folder / UNFINISHED

    def request(self) -> bytes:
        """The body of this board's request; the same until the enrolment is complete. Raises UsageError."""
        body = self._own / "request"
        if body.exists():
            return body.read_bytes()
        self._own.mkdir(parents=True, exist_ok=True, mode=0o700)
        (self._own / "journal.key").unlink(missing_ok=True)
        (self._own / "journal.pub").unlink(missing_ok=True)
        journal = Signer(self._own / "journal.key").prepare()
        key, request = _new_request()
        _put(self._own / "client.key", key, 0o600)
        _put(body, msgspec.json.encode(Request(request, journal)), 0o600)
        return body.read_bytes()

    def store(self, grant: Grant) -> Path:
        """Everything that was granted; the table's folder. Raises UsageError, ExchangeError."""
        key = (self._own / "client.key").read_bytes()
        _check(grant, key)
        name = grant.table.partition("/")[2]
        target = self._folder / name
        journals = self._state / name
        if target.exists() and not self._is_ours(target, key):
            raise UsageError(f"{target}: exists; this board has a table {name}. Move the folder away to enrol it anew")
        if (journals / f"pitwatch-{name}.db").exists():
            raise UsageError(
                f"{journals}: has a journal of {name}, signed by another key. Move the folder away, and keep it: it is "
                "evidence"
            )
        self._lay(target, {**_files(grant), "client.key": key.decode()})
        journals.mkdir(parents=True, exist_ok=True, mode=0o700)
        for suffix, mode in ((".pub", 0o644), (".key", 0o600)):
            _put(journals / f"pitwatch-{name}{suffix}", (self._own / f"journal{suffix}").read_bytes(), mode)
        file = self._folder / f"{name}.toml"
        if grant.file and not file.exists():
            _put(file, grant.file.encode(), 0o644)
        for path in (target, journals):
            _give(path)
        over = self._own.with_name(".enrolled")
        shutil.rmtree(over, ignore_errors=True)
        self._own.rename(over)
        sync_folder(self._folder)
        shutil.rmtree(over)
        return target

    def _is_ours(self, target: Path, key: bytes) -> bool:
        """Whether this enrolment made it, and was interrupted then."""
        own = target / "client.key"
        return own.exists() and own.read_bytes() == key

    def _lay(self, target: Path, files: dict[str, str]) -> None:
        """The folder with these files, whole from the moment it is there."""
        part = self._own / "table"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(mode=0o700)
        for name, text in files.items():
            _put(part / name, text.encode(), 0o600 if name.endswith(".key") else 0o644)
        if target.exists():
            return
        part.rename(target)
        sync_folder(self._folder)


def _files(grant: Grant) -> dict[str, str]:
    return {"ca.crt": grant.ca, "client.crt": grant.certificate, "mqtt.toml": grant.mqtt}


def _check(grant: Grant, key: bytes) -> None:
    """Raises ExchangeError unless the certificate is for the board's key, for its table and of this authority."""
    from cryptography import x509
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.serialization import load_pem_private_key
    from cryptography.x509.oid import NameOID

    try:
        certificate = x509.load_pem_x509_certificate(grant.certificate.encode())
        certificate.verify_directly_issued_by(x509.load_pem_x509_certificate(grant.ca.encode()))
        named = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value
        fits = certificate.public_key() == load_pem_private_key(key, None).public_key() and named == grant.table
    except (ValueError, TypeError, IndexError, InvalidSignature):
        fits = False
    if not fits:
        raise ExchangeError("the certificate that the house gave is not for this board's key and table")


def _new_request() -> tuple[bytes, str]:
    """A new key in PEM and the request for its certificate; the house gives the name."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = ec.generate_private_key(ec.SECP256R1())
    request = x509.CertificateSigningRequestBuilder().subject_name(x509.Name([])).sign(key, hashes.SHA256())
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return pem, request.public_bytes(Encoding.PEM).decode()


def _put(path: Path, content: bytes, mode: int) -> None:
    write_beside(path, content, mode).rename(path)
    sync_folder(path.parent)


def _give(path: Path) -> None:
    """To the daemon's user, where root enrols and that user exists."""
    if os.geteuid() != 0:
        return
    try:
        user = pwd.getpwnam(USER)
    except KeyError:
        return
    for each in (path, *path.rglob("*")):
        os.chown(each, user.pw_uid, user.pw_gid)
