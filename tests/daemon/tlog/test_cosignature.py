"""Cosignatures: those of another implementation verify and are made byte for byte, and nothing else is one."""

from __future__ import annotations

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from pitwatch.daemon.tlog import note
from pitwatch.daemon.tlog.checkpoint import Checkpoint, opened
from pitwatch.daemon.tlog.cosignature import cosign, message, verified, with_cosignature
from pitwatch.daemon.tlog.note import COSIGNATURE, Key, NoteError, Signature
from tests.daemon.tlog.test_note import verify

# Made by the package aics-tlog 0.2.1, another implementation of the same specification.
LOG = "house.example/pitwatch/toledo/RL-07"
NOTE = (
    f"{LOG}\n4711\nny5tM6NxfugmNTpAS6RhjRrutoea15Nrzo7V9GgUkk0=\n\n"
    f"— {LOG} jdaJO/BtdRjZkGMRfnhb6iKXOOqo0kZ0y5PXHScfVwB70xyHiCpFjXwUKEJJHJl6Orl3bLc7mSA+yNRByfmbzR8negg=\n"
    "— witness.example/w1 IDJKvgAAAABkGFDL5pyQTUHISSqFAt/4As4q33D9zhbefp1jk19fZQXOZPPYLGuoKp50Rha7Uh4kESt+zqnm7EZ93sqc"
    "yVig2Y0UCQ==\n"
)
AT = 1_679_315_147

# A witness of the public network, as its operator publishes it.
PUBLISHED = "remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2"


def secret(first: int) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(bytes(range(first, first + 32)))


def key(name: str, first: int, type: int = COSIGNATURE) -> Key:
    return Key(name, secret(first).public_key().public_bytes_raw(), type)


WITNESS = key("witness.example/w1", 32)


def test_a_published_key_reads_back() -> None:
    found = Key.parse(PUBLISHED)
    assert (found.type, found.id.hex(), found.format()) == (COSIGNATURE, "da77ade7", PUBLISHED)


def test_the_message_is_that_of_the_specification() -> None:
    text = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
    assert message(text, AT).decode() == (
        "cosignature/v1\ntime 1679315147\nexample.com/behind-the-sofa\n20852163\n"
        "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
    )


def test_another_implementation_s_cosignature_verifies_and_is_made_alike() -> None:
    said, read = opened(NOTE, key(LOG, 0, note.ED25519), verify)
    assert said == Checkpoint(LOG, 4711, said.root)
    (signature,) = read.by(WITNESS)
    assert verified(read.text, signature, WITNESS, verify) == AT
    made = cosign(read.text, WITNESS, AT, secret(32).sign)
    assert made == signature
    alone = note.Note(read.text, read.signatures[:1])
    assert with_cosignature(alone, made).format() == NOTE
    later = cosign(read.text, WITNESS, AT + 1, secret(32).sign)
    assert with_cosignature(read, later).signatures == (read.signatures[0], later)


@given(at=st.integers(0, (1 << 63) - 1))
def test_any_time_reads_back(at: int) -> None:
    text = f"{LOG}\n0\n{base64.b64encode(bytes(32)).decode()}\n"
    assert verified(text, cosign(text, WITNESS, at, secret(32).sign), WITNESS, verify) == at


def test_one_changed_bit_is_no_cosignature() -> None:
    read = note.parse(NOTE)
    (signature,) = read.by(WITNESS)
    for bit in range(8 * len(signature.data)):
        data = bytearray(signature.data)
        data[bit // 8] ^= 1 << bit % 8
        with pytest.raises(NoteError, match="not genuine"):
            verified(read.text, Signature(signature.name, signature.key_id, bytes(data)), WITNESS, verify)
    with pytest.raises(NoteError, match="not genuine"):
        verified(read.text.replace("4711", "4712"), signature, WITNESS, verify)


@pytest.mark.parametrize(
    ("signature", "by"),
    [
        (Signature("witness.example/w2", WITNESS.id, bytes(72)), WITNESS),
        (Signature(WITNESS.name, bytes(4), bytes(72)), WITNESS),
        (Signature(WITNESS.name, WITNESS.id, bytes(71)), WITNESS),
        (Signature(WITNESS.name, WITNESS.id, b"\xff" * 72), WITNESS),
        (Signature(LOG, key(LOG, 0, note.ED25519).id, bytes(72)), key(LOG, 0, note.ED25519)),
    ],
)
def test_what_is_no_cosignature_by_this_key(signature: Signature, by: Key) -> None:
    with pytest.raises(NoteError):
        verified("text\n", signature, by, lambda public, data, signature: True)


def test_a_log_s_key_and_an_impossible_time_cosign_nothing() -> None:
    for by, at in ((key(LOG, 0, note.ED25519), AT), (WITNESS, -1), (WITNESS, 1 << 63)):
        with pytest.raises(NoteError):
            cosign("text\n", by, at, secret(32).sign)
