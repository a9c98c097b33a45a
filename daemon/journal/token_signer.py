"""The board's signing key in a PKCS#11 token: the same signatures as those of a key in a file, which never leaves it.

Each question is a process of its own (pkcs11.py). Beside the journal lies the public half only, as for a key in a file.
Blocking calls, some tenths of a second with a slow token.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from shlex import quote
from typing import Any

from pitwatch.daemon.config.token_key import TokenKey
from pitwatch.daemon.journal.signing import (
    Signer,
    SigningError,
    Unnamed,
    key_path,
    public_key,
    verified,
    write_new,
)
from pitwatch.daemon.tlog.note import DER

PATIENCE = 5.0
"""Seconds that a token may take: the start and the end of a run wait for it, and both have a limit."""

MOST_PIN = 1024
"""Characters that are read of a PIN's file."""

TRIAL = b"pitwatch-trial-v1\n"


def signer_of(journal: Path, token: TokenKey | None) -> Signer:
    """What signs the journal at a path."""
    return Signer(key_path(journal)) if token is None else TokenSigner(key_path(journal), token)


class TokenSigner(Signer):
    """`path` is where the key would lie if it were a file: its public half lies beside it. A wrong PIN is tried once,
    and again when the PIN's file has changed: a token locks itself after some."""

    def __init__(self, path: Path, token: TokenKey):
        super().__init__(path)
        self.token = token
        self._refused: tuple[tuple[int, int, int], str] | None = None
        self._asking = threading.Lock()

    @property
    def exists(self) -> bool:
        """A board with a token has a key, whether it is plugged in or not."""
        return True

    def prepare(self) -> str:
        """The public key, after a signature on trial; it is written beside the journal if none is there. Raises
        SigningError."""
        with Unnamed(b"") as (fd, name):
            raw = self._ask(name, fd, sign=False)
        public = base64.b64encode(DER + raw).decode()
        if self.public_path.exists():
            if public_key(self.public_path) != public:
                raise self._error(
                    f"its key is not that of {self.public_path}; plug in the right token, or begin with a new "
                    "key: move the journal away with its .key and .pub, and keep them"
                )
            return public
        self._checked(public, TRIAL, self._signature(TRIAL))
        write_new(self.public_path, f"-----BEGIN PUBLIC KEY-----\n{public}\n-----END PUBLIC KEY-----\n".encode(), 0o644)
        self.new = True
        return public

    def test(self) -> str:
        """Sign on trial, and write nothing; returns the public key. Raises SigningError."""
        with Unnamed(b"") as (fd, name):
            public = base64.b64encode(DER + self._ask(name, fd, sign=False)).decode()
        if self.public_path.exists() and public_key(self.public_path) != public:
            raise self._error(f"its key is not that of {self.public_path}; plug in the right token")
        self._checked(public, TRIAL, self._signature(TRIAL))
        return public

    def sign(self, data: bytes) -> bytes:
        """The signature, 64 bytes, by the key that was prepared and no other. Raises SigningError."""
        return self._checked(public_key(self.public_path), data, self._signature(data))

    def sign_file(self, path: Path) -> bytes:
        """The signature of a file's bytes, which the token takes as a whole. Raises SigningError."""
        return self.sign(path.read_bytes())

    def _signature(self, data: bytes) -> bytes:
        with Unnamed(data) as (fd, name):
            return self._ask(name, fd, sign=True)

    def _checked(self, public: str, data: bytes, signature: bytes) -> bytes:
        """Another token may be plugged in under the same name."""
        if not verified(public, data, signature, library=False):
            raise self._error("it signs with another key than that of its public key; plug in the right token")
        return signature

    def _ask(self, name: str, fd: int, sign: bool) -> bytes:
        with self._asking:  # two logins at once would be two wrong tries
            pin, state = self._pin()
            if self._refused is not None and self._refused[0] == state:
                raise self._error(f"{self._refused[1]}; it is not tried again before {self.token.pin_file} is changed")
            token = self.token
            asked = {"module": token.module, "token": token.token, "serial": token.serial, "object": token.object}
            said = self._run({**asked, "id": token.id, "pin": pin, "data": name, "sign": sign}, fd)
            if fault := said.get("fault"):
                if said["kind"] == "pin":
                    self._refused = (state, fault)
                    fault = f"{fault}; correct {token.pin_file}" if fault == "the PIN is wrong" else fault
                raise self._error(fault)
            return bytes.fromhex(said["signature" if sign else "public"])

    def _pin(self) -> tuple[str | None, tuple[int, int, int]]:
        """With what tells one state of its file from another."""
        file = self.token.pin_file
        if not file:
            return None, (0, 0, 0)
        try:
            with open(file, encoding="utf-8") as opened:
                there = os.fstat(opened.fileno())
                if there.st_mode & 0o077:
                    raise SigningError(f"{file}: others may read the token's PIN; chmod 600 {quote(file)}")
                pin = opened.read(MOST_PIN).rstrip("\r\n")
        except OSError as error:
            raise SigningError(f"{file}: the token's PIN cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise SigningError(f"{file}: the token's PIN is not UTF-8 text") from None
        if not pin:
            raise SigningError(f"{file}: is empty; put the token's PIN in it, on one line")
        return pin, (there.st_ino, there.st_mtime_ns, there.st_size)

    def _run(self, asked: dict[str, Any], fd: int) -> dict[str, str]:
        command = [sys.executable, "-I", "-S", str(Path(__file__).with_name("pkcs11.py"))]
        try:
            done = subprocess.run(
                command, input=json.dumps(asked).encode(), capture_output=True, pass_fds=(fd,), timeout=PATIENCE
            )
        except subprocess.TimeoutExpired:
            raise self._error(f"does not answer within {PATIENCE:.0f} s; unplug it and plug it in again") from None
        except OSError as error:
            raise self._error(f"cannot be asked: {error}") from None
        try:
            said: dict[str, str] = json.loads(done.stdout)
        except ValueError:
            lines = done.stderr.decode(errors="replace").strip().splitlines()
            why = lines[-1][:200] if lines else f"exit code {done.returncode}"
            raise self._error(f"module {self.token.module}: crashed: {why}") from None
        return said

    def _error(self, what: str) -> SigningError:
        return SigningError(f"signing key in {self.token}: {what}")
