"""A PKCS#11 token in a folder, by Debian's SoftHSM, made with the commands of docs/access.md."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

MODULES = [*Path("/usr/lib").glob("softhsm/libsofthsm2.so"), *Path("/usr/lib").glob("*/softhsm/libsofthsm2.so")]
PIN, SO_PIN = "271828", "31415926"

needs_softhsm = pytest.mark.skipif(
    not (MODULES and shutil.which("softhsm2-util") and shutil.which("pkcs11-tool")),
    reason="SoftHSM or pkcs11-tool is not installed: apt install softhsm2 opensc",
)


class SoftToken:
    """Tokens in a folder of their own; the environment names it, for this process and its children."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch):
        self.module = str(MODULES[0])
        self._tokens = folder / "tokens"
        self._away = folder / "tokens-unplugged"
        self._tokens.mkdir()
        settings = folder / "softhsm2.conf"
        settings.write_text(f"directories.tokendir = {self._tokens}\nobjectstore.backend = file\nlog.level = ERROR\n")
        monkeypatch.setenv("SOFTHSM2_CONF", str(settings))
        self.pin_file = folder / "pin"
        self.give_pin(PIN)

    def give_pin(self, pin: str) -> None:
        self.pin_file.write_text(f"{pin}\n")
        self.pin_file.chmod(0o600)

    def make(self, label: str = "board", key: str = "pitwatch", kind: str = "EC:edwards25519") -> None:
        """A token with a key."""
        self._do("softhsm2-util", "--init-token", "--free", "--label", label, "--pin", PIN, "--so-pin", SO_PIN)
        self.add_key(label, key, kind)

    def add_key(self, label: str, key: str, kind: str = "EC:edwards25519", number: str = "01") -> None:
        command = ["pkcs11-tool", "--module", self.module, "--login", "--token-label", label, "--pin", PIN]
        self._do(*command, "--keypairgen", "--key-type", kind, "--label", key, "--id", number)

    def unplug(self) -> None:
        self._tokens.rename(self._away)
        self._tokens.mkdir()

    def plug(self) -> None:
        """In again what was unplugged; what is there goes."""
        shutil.rmtree(self._tokens)
        self._away.rename(self._tokens)

    def uri(self, token: str = "board", key: str = "pitwatch", more: str = "") -> str:
        return f"pkcs11:token={token};object={key}{more}?module-path={self.module}&pin-source=file:{self.pin_file}"

    @staticmethod
    def _do(*command: str) -> None:
        subprocess.run(command, check=True, capture_output=True, env=dict(os.environ))
