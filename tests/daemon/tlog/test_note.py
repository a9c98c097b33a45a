"""Signed notes: published ones verify, what is written reads back, and nothing but the exact form is taken."""

from __future__ import annotations

import base64

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from pitwatch.daemon.journal.signing import Signer
from pitwatch.daemon.journal.signing import verified as verified_by_openssl
from pitwatch.daemon.tlog import note
from pitwatch.daemon.tlog.note import Key, Note, NoteError, Signature

# Published with the Go language's package of signed notes, and in C2SP signed-note.
PUBLISHED = [
    (
        "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n"
        "\u2014 PeterNeumann "
        "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n",
    ),
    (
        "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
        "This is an example message.\n\n"
        "\u2014 example.com/foo "
        "Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n",
    ),
]


def verify(public, data, signature):
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, data)
    except InvalidSignature:
        return False
    return True


class Holder:
    """A key with what it signs."""

    def __init__(self, name, seed=1):
        self._secret = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
        raw = serialization.Encoding.Raw, serialization.PublicFormat.Raw
        self.key = Key(name, self._secret.public_key().public_bytes(*raw))

    def sign(self, text):
        return note.sign(text, self.key, self._secret.sign)


@pytest.mark.parametrize(("vkey", "text"), PUBLISHED)
def test_published_notes_verify_and_read_back(vkey, text):
    key = Key.parse(vkey)
    assert key.format() == vkey
    read = note.parse(text.encode())
    assert read.format() == text
    assert note.verified(read, [key], verify) == [key]
    other = Note(read.text.replace(".", ","), read.signatures)
    with pytest.raises(NoteError, match="not genuine"):
        note.verified(other, [key], verify)


def test_the_id_of_a_key_depends_on_its_type():
    public = bytes(range(32))
    ids = {note.key_id("house/w1", each, public) for each in (note.ED25519, note.COSIGNATURE)}
    assert len(ids) == 2
    witness = Key("house/w1", public, note.COSIGNATURE)
    assert Key.parse(witness.format()) == witness


def test_a_key_is_the_same_in_both_forms():
    key = Holder("house/w1").key
    assert Key.of_der("house/w1", key.der) == key
    for wrong in ("", "no base64", base64.b64encode(bytes(44)).decode(), key.der[:-4]):
        with pytest.raises(NoteError, match="public key"):
            Key.of_der("house/w1", wrong)


def test_the_boards_own_program_signs_and_verifies(tmp_path):
    signer = Signer(tmp_path / "t.key")
    key = Key.of_der("house/pitwatch/toledo/RL-07", signer.prepare())
    made = Note("one\n", (note.sign("one\n", key, signer.sign),))
    assert note.verified(note.parse(made.format()), [key], verify) == [key]

    def openssl(public, data, signature):
        return verified_by_openssl(Key("x", public).der, data, signature, library=False)

    assert note.verified(made, [key], openssl) == [key]
    with pytest.raises(NoteError, match="not genuine"):
        note.verified(Note("two\n", made.signatures), [key], openssl)


def test_signatures_of_unknown_keys_are_ignored_and_of_known_ones_never():
    board, witness = Holder("house/board"), Holder("house/w1", 2)
    text = "one\n"
    both = Note(text, (board.sign(text), witness.sign(text)))
    assert note.verified(both, [board.key], verify) == [board.key]
    assert note.verified(both, [board.key, witness.key], verify) == [board.key, witness.key]
    impostor = Holder("house/board", 3)
    with pytest.raises(NoteError, match="known here"):
        note.verified(Note(text, (impostor.sign(text),)), [board.key], verify)
    forged = Signature("house/board", board.key.id, impostor.sign(text).data)
    for signatures in ((forged,), (board.sign(text), forged), (forged, board.sign(text))):
        with pytest.raises(NoteError, match="not genuine"):
            note.verified(Note(text, signatures), [board.key], verify)
    short = Signature("house/board", board.key.id, bytes(63))
    with pytest.raises(NoteError, match="not genuine"):
        note.verified(Note(text, (short,)), [board.key], verify)
    with pytest.raises(NoteError, match="type 4"):
        note.verified(both, [Key("house/w1", bytes(32), note.COSIGNATURE)], verify)


GOOD = PUBLISHED[0][1]
LINE = GOOD.split("\n\n")[1]


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "\n",
        "\n\n",
        GOOD[:-1],
        GOOD.replace("\n\n", "\n"),
        GOOD.split("\n\n")[0] + "\n\n",
        GOOD + "\n",
        GOOD + "more\n",
        GOOD + "\u2014 PeterNeumann\n",
        GOOD.replace("\u2014 ", "- "),
        GOOD.replace("\u2014 ", "\u2014"),
        GOOD.replace("x08go/", "x08go/ "),
        GOOD.replace("nAM=", "nAM"),
        GOOD.replace("nAM=", "nAN="),
        GOOD.replace("nAM=", "nAM=="),
        GOOD.replace(LINE, "\u2014 PeterNeumann x08goz==\n"),
        GOOD.replace(LINE, "\u2014 PeterNeumann x08gow==\n"),
        GOOD.replace(LINE, "\u2014  x08go/ZJ\n"),
        GOOD.replace("PeterNeumann", "Peter+Neumann"),
        GOOD.replace("PeterNeumann", "Peter\u00a0Neumann"),
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("think", "thi\tnk"),
        GOOD.replace("think", "thi\0nk"),
        GOOD.replace(LINE, LINE * 101),
        "x" * (1 << 16) + GOOD,
        GOOD.encode().replace(b"think", b"thi\xffnk"),
        GOOD.replace("think", "thi\ud800nk"),
    ],
)
def test_what_is_not_exactly_a_note_is_refused(raw):
    with pytest.raises(NoteError) as refused:
        note.parse(raw)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400


def test_as_many_signatures_as_the_specification_asks_for_are_read():
    assert len(note.parse(GOOD.replace(LINE, LINE * 16)).signatures) == 16


@pytest.mark.parametrize(
    "line",
    [
        "",
        "PeterNeumann",
        "PeterNeumann+c74f20a3",
        "PeterNeumann+c74f20a3+",
        "PeterNeumann+C74F20A3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "PeterNeuman+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "PeterNeumann+c74f20a3+BRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10T",
        "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW\n",
        "Peter Neumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "x+00000000+AQ==",
    ],
)
def test_what_is_not_exactly_a_key_is_refused(line):
    with pytest.raises(NoteError) as refused:
        Key.parse(line)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("text", ["", "no line end", "a\rb\n", "a\0b\n"])
def test_a_text_that_no_note_can_have_is_not_signed(text):
    with pytest.raises(NoteError):
        Holder("house/board").sign(text)


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"])), st.integers(1, 16))
def test_any_text_reads_back(text, count):
    text += "\n"
    made = Note(text, tuple(Holder(f"house/w{each}", each).sign(text) for each in range(1, count + 1)))
    assert note.parse(made.format()) == made
    assert note.parse(made.format().encode()) == made


@given(st.binary(max_size=300))
def test_no_bytes_break_the_parser(raw):
    for given_ in (raw, b"text\n\n" + raw, "text\n\n\u2014 ".encode() + raw + b"\n"):
        try:
            read = note.parse(given_)
        except NoteError:
            continue
        assert read.format().encode() == given_
