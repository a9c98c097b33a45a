"""The board's signing key in a PKCS#11 token: the same signatures as those of a key in a file, which never leaves it.

Each question is a process of its own (pkcs11.py). Beside the journal lies the public half only, as for a key in a file.
Blocking calls, some tenths of a second with a slow token.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from shlex import quote
from typing import Any

from pitwatch.daemon.config.token_key import TokenKey
from pitwatch.daemon.journal.kept_elsewhere import SignerElsewhere
from pitwatch.daemon.journal.signing import SigningError, Unnamed

PATIENCE = 5.0
"""Seconds that a token may take: the start and the end of a run wait for it, and both have a limit."""

MOST_PIN = 1024
"""Characters that are read of a PIN's file."""


class TokenSigner(SignerElsewhere):
    """`path` is where the key would lie if it were a file: its public half lies beside it. A wrong PIN is tried once,
    and again when the PIN's file has changed: a token locks itself after some."""

    def __init__(self, path: Path, token: TokenKey):
        super().__init__(path, str(token))
        self.token = token
        self._refused: tuple[tuple[int, int, int], str] | None = None
        self._asking = threading.Lock()

    def _raw_public(self) -> bytes:
        with Unnamed(b"") as (fd, name):
            return self._ask(name, fd, sign=False)

    def _signature(self, data: bytes) -> bytes:
        with Unnamed(data) as (fd, name):
            return self._ask(name, fd, sign=True)

    def _ask(self, name: str, fd: int, sign: bool) -> bytes:
        with self._asking:  # two logins at once would be two wrong tries
            pin, state = self._pin()
            if self._refused is not None and self._refused[0] == state:
                raise self.error(f"{self._refused[1]}; it is not tried again before {self.token.pin_file} is changed")
            token = self.token
            asked = {"module": token.module, "token": token.token, "serial": token.serial, "object": token.object}
            said = self._run({**asked, "id": token.id, "pin": pin, "data": name, "sign": sign}, fd)
            if fault := said.get("fault"):
                if said["kind"] == "pin":
                    self._refused = (state, fault)
                    fault = f"{fault}; correct {token.pin_file}" if fault == "the PIN is wrong" else fault
                raise self.error(fault)
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
            raise self.error(f"does not answer within {PATIENCE:.0f} s; unplug it and plug it in again") from None
        except OSError as error:
            raise self.error(f"cannot be asked: {error}") from None
        try:
            said: dict[str, str] = json.loads(done.stdout)
        except ValueError:
            lines = done.stderr.decode(errors="replace").strip().splitlines()
            why = lines[-1][:200] if lines else f"exit code {done.returncode}"
            raise self.error(f"module {self.token.module}: crashed: {why}") from None
        return said
