"""The signing key: made once, kept close, verified by either means."""

from __future__ import annotations

import os
import shutil

import pytest

from pitwatch.daemon.journal import signing
from pitwatch.daemon.journal.signing import Signer, SigningError, _verified_by_openssl, public_key, verified

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")


def test_a_key_is_made_once_and_only_its_owner_may_read_it(tmp_path):
    signer = Signer(tmp_path / "t.key")
    assert signer.public is None
    public = signer.prepare()
    assert os.stat(signer.path).st_mode & 0o777 == 0o600
    assert (Signer(signer.path).prepare(), Signer(signer.path).public) == (public, public)
    assert sorted(os.listdir(tmp_path)) == ["t.key", "t.pub"]


def test_what_was_signed_is_verified_and_nothing_else_by_either_means(tmp_path):
    signer, other = Signer(tmp_path / "a.key"), Signer(tmp_path / "b.key")
    public, stranger = signer.prepare(), other.prepare()
    signature = signer.sign(b"as it was")
    assert len(signature) == 64
    for means in (verified, _verified_by_openssl):
        assert means(public, b"as it was", signature)
        assert not means(public, b"as it is", signature)
        assert not means(stranger, b"as it was", signature)
        assert not means(public, b"as it was", bytes(64))
        assert not means(public, b"as it was", signature[:-1])


def test_a_key_that_others_may_read_is_refused(tmp_path):
    signer = Signer(tmp_path / "t.key")
    signer.prepare()
    signer.path.chmod(0o640)
    with pytest.raises(SigningError, match="others may read the signing key; chmod 600"):
        signer.prepare()


def test_a_swapped_private_key_does_not_pass_for_the_old_one(tmp_path):
    signer, other = Signer(tmp_path / "a.key"), Signer(tmp_path / "b.key")
    signer.prepare()
    other.prepare()
    other.path.replace(signer.path)
    with pytest.raises(SigningError, match="belongs to another key"):
        signer.prepare()


def test_a_folder_that_cannot_be_written_and_a_missing_openssl_are_one_line(tmp_path, monkeypatch):
    with pytest.raises(SigningError, match="cannot be written: No such file or directory"):
        Signer(tmp_path / "no" / "t.key").prepare()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SigningError, match="apt install openssl"):
        Signer(tmp_path / "t.key").prepare()


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"])
def test_what_is_no_public_key_is_one_line(tmp_path, content):
    (tmp_path / "t.pub").write_bytes(content)
    with pytest.raises(SigningError, match="is no Ed25519 public key"):
        public_key(tmp_path / "t.pub")
    assert Signer(tmp_path / "t.key").public is None
    assert signing.SPKI_BYTES == 44
