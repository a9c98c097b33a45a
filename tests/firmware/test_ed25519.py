"""The node's verification of signatures against the library `cryptography` and hashlib, on CPython and MicroPython."""

from __future__ import annotations

import hashlib
import random
import subprocess
import time

import pytest

from pitwatch.firmware.ed25519 import verifies
from pitwatch.firmware.sha512 import sha512
from tests.firmware.rig import HEAP_KIB, MICROPYTHON, PROJECT, needs_micropython

ed25519 = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ed25519")
ORDER = 2**252 + 27742317777372353535851937790883648493


def signed(text: bytes, seed: int = 1) -> tuple[bytes, bytes]:
    key = ed25519.Ed25519PrivateKey.from_private_bytes(random.Random(seed).randbytes(32))
    return key.public_key().public_bytes_raw(), key.sign(text)


@pytest.mark.parametrize("length", [0, 1, 111, 112, 113, 127, 128, 129, 300])
def test_the_digest_is_hashlibs(length):
    data = random.Random(length).randbytes(length)
    assert sha512(data) == hashlib.sha512(data).digest()


@pytest.mark.parametrize("seed", range(5))
def test_a_genuine_signature_and_none_with_one_bit_changed(seed):
    text = b"pitwatch-node-image-v1 %d" % seed
    key, signature = signed(text, seed)
    assert verifies(key, text, signature)
    chance = random.Random(seed)
    for _ in range(6):
        bit = chance.randrange(512)
        altered = bytearray(signature)
        altered[bit // 8] ^= 1 << bit % 8
        assert not verifies(key, text, bytes(altered))
    assert not verifies(key, text + b"\n", signature)
    assert not verifies(signed(b"", seed + 100)[0], text, signature)


def test_a_signature_in_a_second_form_is_none():
    """RFC 8032: S must be below the order, or whoever sees a signature can make another one."""
    key, signature = signed(b"text")
    second = int.from_bytes(signature[32:], "little") + ORDER
    assert not verifies(key, b"text", signature[:32] + second.to_bytes(32, "little"))


@pytest.mark.parametrize("key", [b"", bytes(31), b"\xff" * 32, bytes(33), b"\x02" + bytes(31)])
def test_what_is_no_key_verifies_nothing(key):
    assert not verifies(key, b"text", signed(b"text")[1])


@needs_micropython
def test_micropython_verifies_the_same(capsys):
    key, signature = signed(b"text")
    code = (
        f"import sys; sys.path.insert(0, {str(PROJECT)!r})\n"
        "from pitwatch.firmware.ed25519 import verifies\n"
        f"print(verifies({key!r}, b'text', {signature!r}), verifies({key!r}, b'texts', {signature!r}))"
    )
    begun = time.monotonic()
    done = subprocess.run(
        [MICROPYTHON, "-X", f"heapsize={HEAP_KIB}k", "-c", code], capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "True False\n", done.stderr
    assert time.monotonic() - begun < 60
