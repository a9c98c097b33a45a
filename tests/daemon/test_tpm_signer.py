"""The signing key sealed in a TPM 2.0: swtpm's, with the commands of docs/journal.md."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pitwatch.daemon.config import token_key, tpm_key
from pitwatch.daemon.journal.keys import signer_of
from pitwatch.daemon.journal.signing import SigningError, verified
from tests.daemon.test_open_end import grown
from tests.daemon.test_token_running import pitwatch, toml

HANDLE = "0x81010001"

needs_swtpm = pytest.mark.skipif(
    not (
        all(map(shutil.which, ("swtpm", "tpm2_unseal", "openssl")))
        and [*Path("/usr/lib").glob("*/libtss2-tcti-swtpm.so.0")]
    ),
    reason="swtpm or tpm2-tools is not installed: apt install swtpm tpm2-tools libtss2-tcti-swtpm0",
)


class SoftTpm:
    """A TPM in a folder, at two ports of this machine."""

    def __init__(self, folder, monkeypatch):
        self._folder = folder
        self.start()
        monkeypatch.setenv("TPM2TOOLS_TCTI", f"swtpm:host=127.0.0.1,port={self._port}")

    def start(self) -> None:
        self._port = free_ports()
        place = f"type=tcp,bindaddr=127.0.0.1,port={self._port}"
        control = f"type=tcp,bindaddr=127.0.0.1,port={self._port + 1}"
        flags = ["--flags", "not-need-init,startup-clear"]
        command = ["swtpm", "socket", "--tpm2", "--tpmstate", f"dir={self._folder}", "--server", place]
        self._process = subprocess.Popen([*command, "--ctrl", control, *flags])
        deadline = time.monotonic() + 60
        while not answers(self._port + 1):
            assert self._process.poll() is None, "swtpm ended"
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def seal(self, content: bytes) -> None:
        self.do("tpm2_createprimary", "-C", "o", "-c", "primary.ctx")
        (self._folder / "key.pem").write_bytes(content)
        self.do("tpm2_create", "-C", "primary.ctx", "-i", "key.pem", "-u", "seal.pub", "-r", "seal.priv")
        (self._folder / "key.pem").unlink()
        self.do("tpm2_flushcontext", "-t")  # the kernel does this for /dev/tpmrm0
        self.do("tpm2_load", "-C", "primary.ctx", "-u", "seal.pub", "-r", "seal.priv", "-c", "seal.ctx")
        self.do("tpm2_evictcontrol", "-C", "o", "-c", "seal.ctx", HANDLE)
        self.do("tpm2_flushcontext", "-t")

    def remove(self) -> None:
        self.do("tpm2_evictcontrol", "-C", "o", "-c", HANDLE)

    def do(self, *command: str) -> None:
        done = subprocess.run(command, cwd=self._folder, capture_output=True, text=True, env=dict(os.environ))
        assert done.returncode == 0, done.stderr

    def end(self) -> None:
        self._process.terminate()
        self._process.wait(60)


def free_ports() -> int:
    """The first of two ports that are free."""
    while True:
        with socket.socket() as one, socket.socket() as two:
            one.bind(("127.0.0.1", 0))
            port = int(one.getsockname()[1])
            try:
                two.bind(("127.0.0.1", port + 1))
            except (OSError, OverflowError):
                continue
            return port


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 5).close()
    except OSError:
        return False
    return True


@pytest.fixture
def tpm(tmp_path_factory, monkeypatch) -> Iterator[SoftTpm]:
    made = SoftTpm(tmp_path_factory.mktemp("swtpm"), monkeypatch)
    yield made
    made.end()


def new_key(kind: str = "ed25519") -> bytes:
    return subprocess.run(["openssl", "genpkey", "-algorithm", kind], check=True, capture_output=True).stdout


@needs_swtpm
def test_a_sealed_key_signs_and_lies_on_no_disk(tmp_path, tpm):
    tpm.seal(new_key())
    board = signer_of(tmp_path / "t.db", tpm_key.parse(f"tpm2:{HANDLE}"))
    public = board.prepare()
    assert os.listdir(tmp_path) == ["t.pub"]
    for data in (b"as it was", os.urandom(1 << 20)):
        assert verified(public, data, board.sign(data))
    tpm.remove()
    with pytest.raises(SigningError, match=f"signing key in TPM handle {HANDLE}: cannot be unsealed: .*handle"):
        board.sign(b"gone")
    tpm.seal(new_key())
    with pytest.raises(SigningError, match="it signs with another key than that of its public key"):
        board.sign(b"by a stranger")
    with pytest.raises(SigningError, match=r"its key is not that of .*t\.pub"):
        board.prepare()


@needs_swtpm
def test_doctor_signs_on_trial_and_export_signs_with_the_sealed_key(tmp_path, tpm):
    tpm.seal(new_key())
    file = toml(tmp_path, f"tpm2:{HANDLE}")
    path = tmp_path / "j.db"
    signer = grown(path, 50, signer=signer_of(path, tpm_key.parse(f"tpm2:{HANDLE}")))

    def found() -> dict:
        told = [
            json.loads(line) for line in pitwatch("doctor", str(file), "--json", "--listen", "1").stdout.splitlines()
        ]
        return next(each for each in told if each["what"] == f"signing key in TPM handle {HANDLE}")

    assert found()["seen"] == f"signs, key {signer.public}"
    out = tmp_path / "export.jsonl"
    done = pitwatch("journal", "export", str(file), "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert verified(str(signer.public), out.read_bytes(), out.with_name("export.jsonl.sig").read_bytes())
    tpm.remove()
    assert not found()["well"]


@needs_swtpm
@pytest.mark.parametrize("content", [b"a secret", b"\0" * 48])
def test_what_is_sealed_and_no_key_is_one_line(tmp_path, tpm, content):
    tpm.seal(content)
    with pytest.raises(SigningError, match="what is sealed there is no Ed25519 key in PEM form"):
        signer_of(tmp_path / "t.db", tpm_key.parse(f"tpm2:{HANDLE}")).prepare()
    assert os.listdir(tmp_path) == []


def test_without_a_tpm_or_its_tools_it_is_one_line(tmp_path, monkeypatch):
    board = signer_of(tmp_path / "t.db", tpm_key.parse(f"tpm2:{HANDLE}"))
    if shutil.which("tpm2_unseal"):
        monkeypatch.setenv("TPM2TOOLS_TCTI", "device:/dev/no-tpm")
        with pytest.raises(SigningError, match=f"{HANDLE}: cannot be unsealed: Could not load tcti") as raised:
            board.prepare()
        assert "\n" not in str(raised.value)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SigningError, match="apt install tpm2-tools"):
        board.prepare()


@pytest.mark.parametrize("handle", ["", "81010001", "0x01010001", "0x81010001 ", "0x8101000"])
def test_what_is_no_handle_is_refused(handle):
    with pytest.raises(ValueError, match="is no persistent handle of a TPM; tpm2:0x81010001 is right"):
        tpm_key.parse(f"tpm2:{handle}")
    with pytest.raises(ValueError, match="tpm2:HANDLE"):
        token_key.parse(f"tpm:{handle}")
