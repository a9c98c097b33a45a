"""The package's files as a folder and as a zip: manifest, signature, one form for the same content.

Knows no record. The zip has one form, so a byte that was added around the files is detected too.
"""

from __future__ import annotations

import io
import re
import zipfile
from hashlib import sha256
from pathlib import Path

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.journal.signing import Signer

MANIFEST, SIGNATURE, PUBLIC = "MANIFEST", "MANIFEST.sig", "MANIFEST.pub"
SEAL = (MANIFEST, SIGNATURE, PUBLIC)
"""Files that the manifest does not list."""

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*\Z")
PATH = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*(/[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*)?\Z")
LINE = re.compile(r"([0-9a-f]{64})  (\S+)\Z")

MOST_BYTES = 64 << 20
"""Of all files of a package. The wires of one round are some hundred kilobytes."""
MOST_FILES = 10_000

Files = dict[str, bytes]
"""Content by path, with / between folder and name; there is one level of folders."""

STAMP = (1980, 1, 1, 0, 0, 0)
"""The time of every file in the zip, so that the same content makes the same zip. The custody log says when."""


def manifest(files: Files) -> bytes:
    """As `sha256sum -c` reads it."""
    listed = sorted(path for path in files if path not in SEAL)
    return "".join(f"{sha256(files[path]).hexdigest()}  {path}\n" for path in listed).encode()


def sealed(files: Files, signer: Signer) -> Files:
    """With the manifest, its Ed25519 signature and the key that made it. Raises SigningError."""
    key = signer.prepare()
    listed = manifest(files)
    return {**files, MANIFEST: listed, SIGNATURE: signer.sign(listed), PUBLIC: pem(key)}


def digest_of(files: Files) -> str:
    """The SHA-256 of the manifest: it stands for all of the package."""
    return sha256(files[MANIFEST]).hexdigest()


def pem(key: str) -> bytes:
    """A public key, base64 of its DER form, as a PEM file."""
    return f"-----BEGIN PUBLIC KEY-----\n{key}\n-----END PUBLIC KEY-----\n".encode()


def key_in(content: bytes) -> str | None:
    """The Ed25519 public key of a PEM file, base64 of its DER form; None if it holds none."""
    match content.decode("ascii", "replace").split("\n"):
        case ["-----BEGIN PUBLIC KEY-----", key, "-----END PUBLIC KEY-----", ""]:
            return key if re.fullmatch(r"[A-Za-z0-9+/]{59}=", key) else None
    return None


def faults(files: Files) -> list[str]:
    """Which files are not as the manifest lists them, each in one line."""
    if missing := [path for path in SEAL if path not in files]:
        return [f"{path}: missing" for path in missing]
    listed: dict[str, str] = {}
    for number, line in enumerate(files[MANIFEST].decode("ascii", "replace").splitlines(), 1):
        found = LINE.match(line)
        if found is None or found[2] in listed or found[2] in SEAL:
            return [f"{MANIFEST}:{number}: is no line of a manifest"]
        listed[found[2]] = found[1]
    wrong = [f"{path}: was added: {MANIFEST} does not list it" for path in files if path not in (*listed, *SEAL)]
    for path, digest in listed.items():
        if path not in files:
            wrong.append(f"{path}: missing: {MANIFEST} lists it")
        elif sha256(files[path]).hexdigest() != digest:
            wrong.append(f"{path}: was altered: its SHA-256 is not the one in {MANIFEST}")
    if not wrong and files[MANIFEST] != manifest(files):
        wrong.append(f"{MANIFEST}: is not in the order in which Pitwatch writes it")
    return wrong


def zipped(name: str, files: Files) -> bytes:
    """The folder `name` as a zip: in order of the paths, not compressed, without times."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(files):
            entry = zipfile.ZipInfo(f"{name}/{path}", STAMP)
            entry.external_attr = 0o100644 << 16
            entry.create_system = 3
            archive.writestr(entry, files[path])
    return out.getvalue()


def write(out: Path, name: str, files: Files) -> tuple[Path, Path]:
    """The folder and the zip in the folder `out`, neither of which may be there. Raises UsageError, OSError."""
    folder, file = out / name, out / f"{name}.zip"
    for there in (folder, file):
        if there.exists() or there.is_symlink():
            raise UsageError(f"{there}: is there already; move it away, or name another folder with --out")
    for path in sorted(files):
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(files[path])
    with file.open("xb") as opened:
        opened.write(zipped(name, files))
    return folder, file


def read(path: Path) -> tuple[str, Files]:
    """Name and files of a package, a zip or a folder. Raises UsageError for what is none."""
    try:
        return _folder(path) if path.is_dir() else _zip(path)
    except OSError as error:
        raise UsageError(f"{error.filename or path}: cannot be read: {error.strerror}") from None


def _folder(path: Path) -> tuple[str, Files]:
    files: Files = {}
    for place in sorted(path.rglob("*")):
        if place.is_dir() and not place.is_symlink():
            continue
        name = place.relative_to(path).as_posix()
        if place.is_symlink() or not place.is_file():
            raise UsageError(f"{place}: is no file; a package holds files only")
        if len(files) >= MOST_FILES or place.stat().st_size > MOST_BYTES:
            raise UsageError(f"{place}: too large, or too many files, for an evidence package")
        files[name] = place.read_bytes()
    if MANIFEST not in files:
        raise UsageError(f"{path}: no evidence package: it has no {MANIFEST}")
    return path.resolve().name, files


def _zip(path: Path) -> tuple[str, Files]:
    if path.stat().st_size > 2 * MOST_BYTES:
        raise UsageError(f"{path}: too large for an evidence package")
    raw = path.read_bytes()
    files: Files = {}
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            entries = archive.infolist()
            if len(entries) > MOST_FILES or sum(entry.file_size for entry in entries) > MOST_BYTES:
                raise UsageError(f"{path}: too large for an evidence package")
            names = {entry.filename.partition("/")[0] for entry in entries}
            for entry in entries:
                name = entry.filename.partition("/")[2]
                if len(names) != 1 or not PATH.match(name) or name in files:
                    raise UsageError(f"{path}: no evidence package: it holds {entry.filename[:80]!r}")
                files[name] = archive.read(entry)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError, OSError) as error:
        raise UsageError(f"{path}: no evidence package: {error or 'not readable as a zip'}") from None
    if MANIFEST not in files:
        raise UsageError(f"{path}: no evidence package: it has no {MANIFEST}")
    (name,) = names
    if not NAME.match(name) or zipped(name, files) != raw:
        raise UsageError(
            f"{path}: was altered: it is not the zip that Pitwatch makes of these files; something was added around "
            "them, or they were zipped again. Unpack it and verify the folder"
        )
    return name, files
