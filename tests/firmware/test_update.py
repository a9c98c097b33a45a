"""A node's firmware over the wire, on real MicroPython: signed, resumed, the old one kept and back by itself."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.commands import node as command
from pitwatch.daemon.provisioning.node_image import node_image, node_key
from pitwatch.daemon.wiring.node_update import update
from pitwatch.daemon.wiring.nodes import Hardware
from pitwatch.hal.system_clock import SystemClock
from tests.firmware.rig import NodeRig, needs_micropython
from tests.firmware.test_node_on_micropython import SPECS, Listener, until

pytestmark = needs_micropython


def new_key(path: Path) -> Path:
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", path], check=True, capture_output=True)
    return path


def files(proved_ms: int = 300, **changed: str) -> dict[str, bytes]:
    """The firmware as it is, but for a short trial. `changed`: text at the end of a module, by its name."""
    found = {name: source.read_bytes() for name, source in command._files().items()}
    start = found["pitwatch/firmware/start.py"].decode()
    start = start.replace("PROVED_MS = 20000", f"PROVED_MS = {proved_ms}").replace(
        "TRIAL_MS = 600000", "TRIAL_MS = 3000"
    )
    found["pitwatch/firmware/start.py"] = start.encode()
    for name, text in changed.items():
        found[f"pitwatch/firmware/{name}.py"] += text.encode()
    return found


class Node(NodeRig):
    """A node that starts again whenever it resets, as a board's does."""

    def __init__(self, folder: Path, key: Path, **noise: float):
        super().__init__(folder, **noise)  # type: ignore[arg-type]
        (folder / "node.pub").write_text(node_key(key))
        (folder / "build").write_text("100")
        self.starts = 0
        self._watching = asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        while True:
            if self.process is None or self.process.poll() is not None:
                self.power_off()
                self.starts += 1
                self.power_on(play=False)
            await asyncio.sleep(0.02)

    def state(self) -> dict[str, str]:
        return {
            name: (self._folder / name).read_text()
            for name in ("slot", "trial", "tried")
            if (self._folder / name).exists()
        }

    def close(self) -> None:
        self._watching.cancel()
        super().close()


@pytest.fixture
async def made(tmp_path) -> AsyncIterator[tuple[Node, Path]]:
    key = new_key(tmp_path / "house.pem")
    node = Node(tmp_path, key)
    yield node, key
    node.close()


async def sent(node: Node, image: bytes, older: bool = False) -> tuple[str | None, str]:
    async with asyncio.timeout(180):
        return await update(node.link, image, older, lambda done: None)


async def watched(node: Node) -> str:
    """Open a session, as the table does, until the node has proved itself or given up; the firmware it then reports."""
    listener = Listener(Hardware(SystemClock()), node.link, SPECS).start()
    try:
        await until(lambda: listener.online and not node.state().get("trial"), 120)
        return str(listener.bank.identity["firmware"])
    finally:
        listener.bank.stop()
        await asyncio.sleep(0.1)


async def test_a_signed_firmware_is_taken_proves_itself_and_the_next_goes_beside_it(made):
    node, key = made
    assert await sent(node, node_image(files(), 101, key)) == (None, "1.0.0+101")
    assert node.state() == {"trial": "a", "tried": "a"}
    assert await watched(node) == "1.0.0+101"
    assert node.state() == {"slot": "a"}
    assert await sent(node, node_image(files(), 102, key)) == (None, "1.0.0+102")
    assert await watched(node) == "1.0.0+102"
    assert node.state() == {"slot": "b"}
    assert (node._folder / "a" / "build").read_text() == "101"  # the old one is kept
    reason, firmware = await sent(node, node_image(files(), 101, key))
    assert (reason, firmware) == ("it is of build 101, older than build 102 of the node", "1.0.0+102")
    assert await sent(node, node_image(files(), 101, key), older=True) == (None, "1.0.0+101")


@pytest.mark.parametrize(
    ("fault", "starts"),
    [
        ({"start": "\nsyntax error here\n"}, 3),
        ({"start": "\nraise RuntimeError('does not start')\n"}, 3),
        ({"node": "\nNode.turn = lambda self: 1 / 0\n"}, 3),
        ({"node": "\nNode._open = lambda self, session, lines: None\n"}, 3),  # runs, but gives no session
    ],
)
async def test_one_that_does_not_prove_itself_gives_way_to_the_old_one(made, fault, starts):
    node, key = made
    sending = asyncio.create_task(sent(node, node_image(files(**fault), 101, key)))
    await until(lambda: node.starts >= starts, 120)  # the first start, the trial, and the old one again
    reason, firmware = await sending
    if "node" not in fault:  # it did not even greet
        assert reason == "the new firmware did not start, and the node has gone back to the one before"
        assert firmware == "1.0.0+100"
    assert await watched(node) == "1.0.0+100"
    assert node.state() == {}


async def test_what_is_not_signed_by_the_house_or_is_altered_is_not_started(made, tmp_path):
    node, key = made
    image = node_image(files(), 101, key)
    other = node_image(files(), 101, new_key(tmp_path / "other.pem"))
    unsigned = "the image is not signed with the house's key"
    assert (await sent(node, other))[0] == unsigned
    assert (await sent(node, image[:100] + b"#" + image[101:]))[0] == unsigned
    assert (await sent(node, image[:-1] + bytes([image[-1] ^ 1])))[0] == unsigned
    assert (await sent(node, b"x" * 50))[0] == "an image of 50 bytes cannot be"
    outside = node_image({"main.py": b"evil"}, 101, key)
    assert (await sent(node, outside))[0] == "it has a file named main.py"
    assert (await sent(node, node_image({"pitwatch/../main.py": b""}, 101, key)))[
        0
    ] == "it has a file named pitwatch/../main.py"
    (tmp_path / "node.pub").unlink()
    assert (await sent(node, image))[0] == "the node has no key: node.pub must be copied to it once"
    assert node.state() == {}
    assert await watched(node) == "1.0.0+100"


async def test_a_power_cut_loses_nothing_that_was_sent(made):
    node, key = made
    image = node_image(files(), 101, key)
    part = node._folder / "image"
    sending = asyncio.create_task(sent(node, image))
    for cut in range(1, 6):
        await until(lambda cut=cut: part.exists() and part.stat().st_size > cut * len(image) // 8, 120)
        before, starts = part.stat().st_size, node.starts
        node.power_off()
        await until(lambda starts=starts: node.starts > starts, 60)
        assert part.stat().st_size >= before
    assert await sending == (None, "1.0.0+101")
    assert await watched(node) == "1.0.0+101"


async def test_an_image_comes_whole_through_a_bad_wire(tmp_path):
    key = new_key(tmp_path / "house.pem")
    node = Node(tmp_path, key, drop=0.0002, flip=0.0001, split=True)
    try:
        assert await sent(node, node_image(files(), 101, key)) == (None, "1.0.0+101")
        assert node.to_node.dropped + node.to_node.flipped > 0
    finally:
        node.close()


@pytest.mark.parametrize("cut_ms", [0, 30, 60, 120, 250])
async def test_a_power_cut_while_it_is_unpacked_leaves_one_that_starts(made, cut_ms):
    node, key = made
    image = node_image(files(), 101, key)
    part = node._folder / "image"
    sending = asyncio.create_task(sent(node, image))
    await until(lambda: part.exists() and part.stat().st_size == len(image), 120)
    await asyncio.sleep(cut_ms / 1000)
    node.power_off()
    begun = time.monotonic()
    assert (await sending)[1] in ("1.0.0+101", "1.0.0+100")  # cut in its trial it has failed it
    assert await watched(node) in ("1.0.0+100", "1.0.0+101")
    assert time.monotonic() - begun < 120


def test_an_image_needs_a_key_of_the_right_kind(tmp_path, capsys):
    subprocess.run(["openssl", "genpkey", "-algorithm", "x25519", "-out", tmp_path / "x"], check=True)
    for key in ("x", "missing"):
        assert cli.main(["node", "image", str(tmp_path / "out"), "--key", str(tmp_path / key), "--build", "5"]) == 2
    assert (
        cli.main(["node", "image", str(tmp_path / "out"), "--key", str(new_key(tmp_path / "k")), "--build", "5"]) == 0
    )
    assert "build 5" in capsys.readouterr().out
    assert cli.main(["node", "update", "serial:/dev/null", str(tmp_path / "out")]) == 2
    assert "is no link of a sensor node" in capsys.readouterr().err
