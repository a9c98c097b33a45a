"""`python -m tests.floor.witness.published FOLDER`: this project against another published implementation of C2SP's
tlog-witness and tlog-cosignature: the packages aics-witness and aics-tlog, in a virtual environment of Python 3.12:

    python3.12 -m venv FOLDER && FOLDER/bin/pip install aics-witness==0.1.0 aics-tlog==0.2.1

That witness cosigns what our client sends, and that verifier accepts what our server cosigns.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from benchmarks.ports import free_port
from pitwatch.daemon.tlog.note import Key, Note, Signature, parse
from pitwatch.floor.archive.database import store_at
from pitwatch.floor.witness.outside import ContradictsError, ElsewhereError, Outside, OutsideError
from tests.floor.witness.independent import Log, proof
from tests.floor.witness.test_server import NAME, ORIGIN, Running

VERIFY = """
import json, sys
from aics_tlog import parse_note, parse_vkey, verify_checkpoint
asked = json.load(sys.stdin)
found = verify_checkpoint(parse_note(asked["note"]), parse_vkey(asked["log"]),
    [parse_vkey(asked["witness"])], quorum=1)
print(json.dumps(bool(found.ok)))
"""


def their_witness(programs: Path, folder: Path) -> None:
    """It cosigns what our client sends, and refuses what it must refuse."""
    program, config, port = str(programs / "aics-witness"), str(folder / "witness.json"), free_port()
    log = Log(ORIGIN)
    made = subprocess.run(
        [program, "init", "--config", config, "--name", NAME], check=True, capture_output=True, text=True
    )
    subprocess.run(
        [program, "add-log", "--config", config, "--origin", ORIGIN, "--vkey", log.vkey],
        check=True,
        capture_output=True,
    )
    settings = json.loads(Path(config).read_text())
    settings["witness"]["listen"] = f"127.0.0.1:{port}"
    Path(config).write_text(json.dumps(settings))
    serving = subprocess.Popen([program, "serve", "--config", config], stderr=subprocess.DEVNULL)
    try:
        outside = Outside(f"http://127.0.0.1:{port}", Key.parse(made.stdout.strip().splitlines()[-1]))
        size = 0
        for count in (3, 10, 1, 50):
            log.grow(count)
            note = parse(log.note())
            _, at = _sent(outside, size, proof(size, log.leaves), note, len(log.leaves))
            assert abs(at - time.time()) < 60
            size = len(log.leaves)
        with pytest.raises(ElsewhereError) as refused:
            outside.add_checkpoint(3, proof(3, log.leaves), parse(log.note()), size)
        assert refused.value.size == size
        other = Log(ORIGIN).grow(size, "another past")
        with pytest.raises(ContradictsError):
            outside.add_checkpoint(size, [], parse(other.note()), size)
    finally:
        serving.terminate()
        serving.wait()


def _sent(outside: Outside, old: int, path: list[bytes], note: Note, size: int) -> tuple[Signature, int]:
    """Once it listens."""
    ends = time.monotonic() + 30.0
    while True:
        try:
            return outside.add_checkpoint(old, path, note, size)
        except OutsideError as error:
            if "cannot be used" not in str(error) or time.monotonic() > ends:
                raise
            time.sleep(0.1)


async def our_witness(programs: Path, folder: Path) -> None:
    """Their verifier accepts what our server cosigns."""
    log = Log(ORIGIN)
    store = store_at(f"sqlite:{folder / 'w.db'}")
    await store.open()
    running = Running(store, folder, log.vkey)
    running.port = running.server.start()
    size = 0
    for count in (1, 7, 30):
        log.grow(count)
        status, _, body = await running.post(log.request(size))
        assert status == 200
        key = running.cosigner.prepare().format()
        asked = {"note": log.note() + body.decode(), "log": log.vkey, "witness": key}
        done = await asyncio.to_thread(
            subprocess.run,
            [str(programs / "python"), "-c", VERIFY],
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            check=True,
        )
        assert json.loads(done.stdout) is True, done.stdout
        size = len(log.leaves)
    await running.server.stop()
    await store.close()


if __name__ == "__main__":
    where = Path(sys.argv[1]) / "bin"
    with tempfile.TemporaryDirectory() as theirs, tempfile.TemporaryDirectory() as ours:
        their_witness(where, Path(theirs))
        print("their witness cosigns what this project sends")
        asyncio.run(our_witness(where, Path(ours)))
        print("their verifier accepts what this project cosigns")
