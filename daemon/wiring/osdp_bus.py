"""OSDP buses: one port for each bus, shared by all key-card readers on it. Handles the panel's protocol, no card."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pitwatch.daemon.wiring.answering import Answering, told
from pitwatch.devices.osdp_panel import Heard, Panel
from pitwatch.hal.address import Address
from pitwatch.hal.clock import Clock
from pitwatch.hal.link import ByteLink, DuplexLink

KEY_BYTES = 16


class ReaderLink(ByteLink):
    """What one reader on a bus says: its replies, as plain OSDP packets."""

    def __init__(self, bus: Bus, address: int):
        self.address = address
        self.on_bytes: Callable[[bytes, int], object] | None = None
        self.on_state: Callable[[bool, str], object] = _nobody
        self._bus = bus

    def start(self, on_bytes: Callable[[bytes, int], object], on_state: Callable[[bool, str], object]) -> None:
        if self.on_bytes is not None:
            raise RuntimeError("started twice")
        self.on_bytes, self.on_state = on_bytes, on_state
        self._bus.start(self)

    def stop(self) -> None:
        if self.on_bytes is not None:
            self.on_bytes = None
            self._bus.stop()

    @property
    def identity(self) -> dict[str, Any]:
        """What the reader says of itself."""
        return self._bus.identity(self.address)


def _nobody(online: bool, reason: str) -> None:
    pass


class Bus(Heard):
    """The link and the panel of one bus. All its readers are named before the first is started."""

    def __init__(self, link: DuplexLink, clock: Clock, address: Address):
        self.path = address.path
        self.settings = _settings(address)
        self._baud = address.baud
        self._link = link
        self._answering = Answering(link, clock)
        self._keys: dict[int, bytes] = {}
        self._readers: dict[int, ReaderLink] = {}
        self._panel: Panel | None = None
        self._down: dict[int, str] = {}
        self._up: set[int] = set()

    def reader(self, address: Address) -> ReaderLink:
        """The link of a further reader. Raises ValueError for an address or a key that cannot be."""
        if _settings(address) != self.settings:
            raise ValueError(f"another reader on {self.path} has other settings; write baud, parity, bits, stop alike")
        if address.address in self._readers:
            raise ValueError(f"address={address.address} on {self.path} is another reader's already; give each its own")
        self._keys[address.address] = _key_of(address)
        reader = self._readers[address.address] = ReaderLink(self, address.address)
        return reader

    def identity(self, address: int) -> dict[str, Any]:
        return self._panel.identity(address) if self._panel is not None else {}

    def start(self, reader: ReaderLink) -> None:
        if sum(other.on_bytes is not None for other in self._readers.values()) == 1:
            self._down.clear()
            self._up.clear()
            self._panel = Panel(self._keys, self, Ecb, os.urandom, self._baud)
            self._answering.start(self._panel)
        elif reader.address in self._up:
            reader.on_state(True, "")
        elif reader.address in self._down:
            reader.on_state(False, self._down[reader.address])

    def stop(self) -> None:
        if any(reader.on_bytes is not None for reader in self._readers.values()):
            return
        self._answering.stop()

    def reader_up(self, address: int, t: int) -> None:
        self._up.add(address)
        self._link.understood()
        reader = self._readers[address]
        if reader.on_bytes is not None:
            reader.on_state(True, "")

    def reader_said(self, address: int, packet: bytes, t: int) -> None:
        reader = self._readers[address]
        if reader.on_bytes is not None:
            reader.on_bytes(packet, t)

    def reader_down(self, address: int, reason: str, fix: str, t: int) -> None:
        self._up.discard(address)
        self._down[address] = told(self.path, reason, fix)
        reader = self._readers[address]
        if reader.on_bytes is not None:
            reader.on_state(False, self._down[address])


def _settings(address: Address) -> tuple[int, int, str, int]:
    return address.baud, address.bits, address.parity, address.stop


def _key_of(address: Address) -> bytes:
    """The key in the address's key file, 32 hexadecimal digits, or b"" without one. Raises ValueError in one line."""
    path = address.key_file
    if not path:
        return b""
    if importlib.util.find_spec("cryptography") is None:
        raise ValueError(
            f"key_file {path}: needs the package cryptography; in Pitwatch's clone: .venv/bin/pip install -e '.[osdp]'"
        )
    try:
        text = Path(path).read_text(encoding="ascii").strip()
    except OSError as error:
        raise ValueError(
            f"key_file {path}: cannot be read: {error.strerror}; give the daemon's user the file"
        ) from None
    except UnicodeDecodeError:
        text = ""
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise ValueError(f"key_file {path}: holds no key; {2 * KEY_BYTES} hexadecimal digits are right")
    return key


class Ecb:
    """AES of single blocks by the `cryptography` package."""

    def __init__(self, key: bytes):
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        cipher = Cipher(algorithms.AES(key), modes.ECB())
        self._encryptor = cipher.encryptor()
        self._decryptor = cipher.decryptor()

    def encrypt(self, block: bytes) -> bytes:
        return self._encryptor.update(block)

    def decrypt(self, block: bytes) -> bytes:
        return self._decryptor.update(block)
