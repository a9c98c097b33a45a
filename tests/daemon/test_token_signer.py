"""The signing key in a PKCS#11 token: SoftHSM's, asked as a hardware token would be."""

from __future__ import annotations

import os
import subprocess

import pytest

from pitwatch.daemon.config.token_key import parse
from pitwatch.daemon.journal import token_signer
from pitwatch.daemon.journal.signing import SigningError, verified
from pitwatch.daemon.journal.token_signer import TokenSigner
from tests.daemon.soft_token import PIN, SoftToken, needs_softhsm

pytestmark = needs_softhsm


@pytest.fixture
def token(tmp_path_factory, monkeypatch) -> SoftToken:
    made = SoftToken(tmp_path_factory.mktemp("softhsm"), monkeypatch)
    made.make()
    return made


def signer(tmp_path, uri: str) -> TokenSigner:
    return TokenSigner(tmp_path / "t.key", parse(uri))


def test_the_key_stays_in_the_token_and_signs_what_is_short_and_what_is_long(tmp_path, token):
    board = signer(tmp_path, token.uri())
    public = board.prepare()
    assert os.listdir(tmp_path) == ["t.pub"]
    assert (board.public, signer(tmp_path, token.uri()).prepare()) == (public, public)
    for data in (b"1", b"as it was", os.urandom(3 << 20)):
        assert verified(public, data, board.sign(data))
    export = tmp_path / "export.jsonl"
    export.write_bytes(os.urandom(5000))
    assert verified(public, export.read_bytes(), board.sign_file(export))


def test_an_id_or_a_serial_number_names_one_of_several_keys(tmp_path, token):
    token.add_key("board", "pitwatch", number="02")
    with pytest.raises(SigningError, match="several keys in the token have this name; name one by id="):
        signer(tmp_path, token.uri()).prepare()
    signer(tmp_path, token.uri(more=";id=%02")).prepare()
    with pytest.raises(SigningError, match=r"its key is not that of .*t\.pub"):
        signer(tmp_path, token.uri(more=";id=%01")).prepare()
    with pytest.raises(SigningError, match="no such token is plugged in; there is board"):
        signer(tmp_path, token.uri(more=";serial=0000")).prepare()


def test_each_mistake_is_one_line_that_names_the_token(tmp_path, token):
    token.add_key("board", "elliptic", "EC:prime256v1", "03")
    token.add_key("board", "old", "rsa:2048", "04")
    said = {
        token.uri(token="bord"): "signing key in token bord object pitwatch: no such token is plugged in; there is b",
        token.uri(key="other"): "no such public key in the token",
        token.uri(key="elliptic"): "the key is not Ed25519",
        token.uri(key="old"): "the key is not Ed25519",
        token.uri().replace(token.module, "/usr/lib/none.so"): "module /usr/lib/none.so: no such file",
        token.uri().replace(token.module, "/proc/self/exe"): "module /proc/self/exe: is no PKCS#11 library",
        token.uri().partition("&")[0]: "the token wants a PIN; name its file by pin-source",
        token.uri() + "x": f"{token.pin_file}x: the token's PIN cannot be read: No such file",
    }
    for uri, line in said.items():
        with pytest.raises(SigningError) as raised:
            signer(tmp_path, uri).prepare()
        assert line in str(raised.value)
        assert "\n" not in str(raised.value)
    assert os.listdir(tmp_path) == []


def test_a_wrong_pin_is_tried_once_until_its_file_is_changed(tmp_path, token, monkeypatch):
    board = signer(tmp_path, token.uri())
    token.give_pin("000000")
    with pytest.raises(SigningError, match=r"the PIN is wrong; correct .*pin"):
        board.prepare()
    asked = []
    monkeypatch.setattr(board, "_run", lambda *question: asked.append(question))
    with pytest.raises(SigningError, match=r"the PIN is wrong; it is not tried again before .*pin is changed"):
        board.prepare()
    assert not asked
    monkeypatch.undo()
    monkeypatch.setenv("SOFTHSM2_CONF", str(token.pin_file.with_name("softhsm2.conf")))
    token.give_pin(PIN)
    board.prepare()


def test_a_pin_that_others_may_read_is_refused(tmp_path, token):
    token.pin_file.chmod(0o640)
    with pytest.raises(SigningError, match="others may read the token's PIN; chmod 600"):
        signer(tmp_path, token.uri()).prepare()
    token.pin_file.chmod(0o600)
    token.pin_file.write_text("\n")
    with pytest.raises(SigningError, match="is empty; put the token's PIN in it"):
        signer(tmp_path, token.uri()).prepare()


def test_another_token_of_the_same_name_does_not_sign(tmp_path, token):
    board = signer(tmp_path, token.uri())
    public = board.prepare()
    token.unplug()
    with pytest.raises(SigningError, match="no such token is plugged in; there is no other"):
        board.sign(b"while it is away")
    token.make()
    with pytest.raises(SigningError, match="it signs with another key than that of its public key"):
        board.sign(b"by a stranger")
    with pytest.raises(SigningError, match="its key is not that of"):
        board.prepare()
    token.plug()
    assert verified(public, b"again", board.sign(b"again"))


def test_a_library_that_crashes_or_says_nothing_takes_nothing_with_it(tmp_path, token):
    crashing = token.uri().replace(token.module, library(tmp_path, "abort();"))
    with pytest.raises(SigningError, match=r"module .*wrong.so: crashed: exit code -6"):
        signer(tmp_path, crashing).prepare()


def test_a_library_that_hangs_is_given_up(tmp_path, token, monkeypatch):
    monkeypatch.setattr(token_signer, "PATIENCE", 1.0)
    hanging = token.uri().replace(token.module, library(tmp_path, "for (;;) sleep(1);"))
    with pytest.raises(SigningError, match="does not answer within 1 s; unplug it and plug it in again"):
        signer(tmp_path, hanging).prepare()


def library(folder, does: str) -> str:
    """A library whose only function does this."""
    source, made = folder / "wrong.c", folder / "wrong.so"
    source.write_text(f"#include <stdlib.h>\n#include <unistd.h>\nint C_GetFunctionList(void **list) {{ {does} }}\n")
    try:
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", str(made), str(source)], check=True)
    except FileNotFoundError:
        pytest.skip("gcc is not installed, so no faulty library can be made")
    return str(made)
