"""An authority, and certificates for a server and for people, by openssl. For tests only."""

from __future__ import annotations

import subprocess
from pathlib import Path


def openssl(*arguments: str, folder: Path) -> None:
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


class Authority:
    def __init__(self, folder: Path):
        folder.mkdir()
        self.folder = folder
        self.certificate = folder / "ca.crt"
        self._make("ca", "Authority", "-x509", "-days", "30", "-addext", "keyUsage=critical,keyCertSign,cRLSign")

    def issue(self, file: str, name: str, addresses: str = "") -> tuple[str, str]:
        """Paths of certificate and key."""
        self._make(file, name)
        (self.folder / "ext").write_text(
            "authorityKeyIdentifier=keyid\n"  # Python 3.13 asks for what RFC 5280 does
            + (f"subjectAltName={addresses}\n" if addresses else "basicConstraints=CA:FALSE\n")
        )
        openssl(
            "x509", "-req", "-in", f"{file}.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "30",
            "-extfile", "ext", "-out", f"{file}.crt", folder=self.folder,
        )  # fmt: skip
        return str(self.folder / f"{file}.crt"), str(self.folder / f"{file}.key")

    def _make(self, file: str, name: str, *more: str) -> None:
        out = f"{file}.crt" if more else f"{file}.csr"
        openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}",
            "-keyout", f"{file}.key", "-out", out, *more, folder=self.folder,
        )  # fmt: skip
