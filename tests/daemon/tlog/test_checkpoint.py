"""Checkpoints: the specification's example reads back, hostile ones are refused, and only the log's key is taken."""

from __future__ import annotations

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from pitwatch.daemon.tlog import checkpoint, note
from pitwatch.daemon.tlog.checkpoint import Checkpoint, NoteError
from pitwatch.daemon.tlog.note import Key, Note

# Of C2SP tlog-checkpoint.
EXAMPLE = """example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

\u2014 example.com/behind-the-sofa \
Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
"""
TEXT = EXAMPLE.split("\n\n")[0] + "\n"

SECRET = Ed25519PrivateKey.from_private_bytes(bytes(32))
PUBLIC = SECRET.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def verify(public, data, signature):
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, data)
    except InvalidSignature:
        return False
    return True


def test_the_example_of_the_specification_reads_back():
    said = Checkpoint.parse(note.parse(EXAMPLE).text)
    assert (said.origin, said.size) == ("example.com/behind-the-sofa", 20852163)
    assert said.root.hex() == "0ac5186a91863e8e1d90c808014aa89bf5da8e3ee1d9f07630f0378f68f1ab62"
    assert said.format() == TEXT


def test_the_origin_of_a_table_names_house_and_table():
    assert checkpoint.origin("house.example", "toledo/RL-07") == "house.example/pitwatch/toledo/RL-07"


@given(st.integers(0, checkpoint.MOST_SIZE), st.binary(min_size=32, max_size=32))
def test_a_checkpoint_is_signed_and_opened_by_the_key_of_its_log(size, root):
    said = Checkpoint("house.example/pitwatch/toledo/RL-07", size, root)
    key = Key(said.origin, PUBLIC)
    made = checkpoint.signed(said, key.der, SECRET.sign)
    assert checkpoint.opened(made.format(), key, verify) == (said, made)
    assert checkpoint.opened(made.format().encode(), key, verify) == (said, made)
    with pytest.raises(NoteError, match="known here"):
        checkpoint.opened(made.format(), Key("house.example/pitwatch/toledo/RL-08", PUBLIC), verify)
    grown = Note(Checkpoint(said.origin, size ^ 1, root).format(), made.signatures)
    with pytest.raises(NoteError, match="not genuine"):
        checkpoint.opened(grown.format(), key, verify)


def test_a_checkpoint_of_another_log_is_refused_though_the_key_signed_it():
    key = Key("house.example/pitwatch/toledo/RL-07", PUBLIC)
    text = Checkpoint("house.example/pitwatch/toledo/RL-08", 5, bytes(32)).format()
    other = Note(text, (note.sign(text, key, SECRET.sign),))
    with pytest.raises(NoteError, match="RL-08"):
        checkpoint.opened(other.format(), key, verify)


def test_other_signatures_and_lines_are_kept():
    key = Key("house.example/pitwatch/toledo/RL-07", PUBLIC)
    text = Checkpoint(key.name, 5, bytes(32), ("more",)).format()
    witness = note.Signature("house.example/w1", b"1234", bytes(72))
    made = Note(text, (note.sign(text, key, SECRET.sign), witness))
    said, read = checkpoint.opened(made.format(), key, verify)
    assert said.extensions == ("more",)
    assert read.signatures[1] == witness


ROOT = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I="


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        TEXT[:-1],
        TEXT + "\n",
        TEXT + "\nmore\n",
        "\n" + TEXT,
        "a\n1\n",
        TEXT.replace("20852163", "020852163"),
        TEXT.replace("20852163", "-1"),
        TEXT.replace("20852163", "+1"),
        TEXT.replace("20852163", " 1"),
        TEXT.replace("20852163", "1_0"),
        TEXT.replace("20852163", "\u0661"),
        TEXT.replace("20852163", "9223372036854775808"),
        TEXT.replace("20852163", "9" * 5000),
        TEXT.replace(ROOT, ROOT[:-1]),
        TEXT.replace(ROOT, ROOT[:-2] + "J="),
        TEXT.replace(ROOT, ROOT[4:]),
        TEXT.replace(ROOT, "AAAA" + ROOT),
        TEXT.replace(ROOT, ROOT + " "),
        TEXT.replace(ROOT, "no base64"),
    ],
)
def test_what_is_not_exactly_a_checkpoint_is_refused(text):
    with pytest.raises(NoteError) as refused:
        Checkpoint.parse(text)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400
