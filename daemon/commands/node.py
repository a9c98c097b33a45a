"""`pitwatch node`: the firmware of sensor nodes: the folder to copy to one, a signed image, an image over the wire."""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import shutil
import sys
from pathlib import Path

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.common.new_file import new_file
from pitwatch.daemon.common.version import full_version
from pitwatch.daemon.contract.messages import encode
from pitwatch.daemon.journal.signing import SigningError
from pitwatch.daemon.provisioning.node_image import build_of, node_image, node_key

COMMAND = {"name": "node", "turn": 100, "help": "the firmware of sensor nodes"}

PACKAGES = ("pitwatch", "pitwatch.hal", "pitwatch.devices", "pitwatch.devices.protocols", "pitwatch.firmware")
MODULES = (
    "pitwatch.hal.errors", "pitwatch.hal.line", "pitwatch.hal.machine_lines", "pitwatch.hal.tick_clock",
    "pitwatch.devices.protocols.cobs", "pitwatch.devices.protocols.crc", "pitwatch.devices.protocols.node_bodies",
    "pitwatch.devices.protocols.node_link",
    "pitwatch.firmware.node", "pitwatch.firmware.ports", "pitwatch.firmware.slots", "pitwatch.firmware.start",
)  # fmt: skip
"""Everything that `firmware.main` imports, the packages' own files aside."""
LATER = ("pitwatch.firmware.updating", "pitwatch.firmware.ed25519", "pitwatch.firmware.sha512")
"""Imported when an image comes."""

PORT = '{"port": "usb"}\n'
"""node.json as it is written: the board is at the node's USB port."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Sensor nodes: microcontrollers that listen to a table's lines for the board."
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    bundle = verbs.add_parser("flash-bundle", help="write the folder to copy to a node")
    bundle.add_argument("out", metavar="OUT", help="the folder to write; it must be empty or not exist")
    bundle.add_argument(
        "--key", metavar="PEM", help="the key that signs images: the node then takes them over the wire"
    )
    image = verbs.add_parser("image", help="write a signed image of the firmware")
    image.add_argument("out", metavar="IMAGE", help="the file to write; it must not exist")
    image.add_argument("--key", metavar="PEM", required=True, help="the house's private Ed25519 key for this")
    image.add_argument("--build", metavar="N", type=int, help="number of the build (default: that of this program)")
    update = verbs.add_parser("update", help="send an image to a node; stop the table first")
    update.add_argument("link", metavar="LINK", help="link of the table's file: node:serial:/dev/serial/by-id/…")
    update.add_argument("image", metavar="IMAGE", help="what `pitwatch node image` wrote")
    update.add_argument("--older", action="store_true", help="also if it is older than the node's firmware")
    for verb in (bundle, image, update):
        verb.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    try:
        return {"flash-bundle": _bundle, "image": _image, "update": _update}[args.verb](args)
    except SigningError as error:
        raise UsageError(f"{args.key}: {error}") from None


def _bundle(args: argparse.Namespace) -> int:
    out = Path(args.out)
    key = node_key(Path(args.key)) if args.key else ""
    try:
        if out.exists() and any(out.iterdir()):
            raise UsageError(f"{out}: is not empty, and old modules must not stay on a node; name a new folder")
        files = _write(out, key)
    except OSError as error:
        raise UsageError(f"{out}: cannot be written: {error.strerror}") from None
    if args.json:
        print(encode({"folder": str(out), "files": files}).decode())
        return 0
    print(f"{out}: {len(files)} files; node.json says where the board is")
    print("MicroPython 1.22 or newer must be on the node already. Then, with the node on USB:")
    print(f"  mpremote cp -r {out}/. :")
    print("  mpremote reset")
    return 0


def _image(args: argparse.Namespace) -> int:
    build = build_of(full_version()) if args.build is None else args.build
    if not 0 < build < 2**31:
        raise UsageError("--build N: give a number that grows with each build; this program's own build is not known")
    image = node_image({name: source.read_bytes() for name, source in _files().items()}, build, Path(args.key))
    with new_file(args.out) as file:
        file.write(image)
    print(encode({"file": args.out, "bytes": len(image), "build": build}).decode() if args.json
          else f"{args.out}: {len(image)} bytes, build {build}")  # fmt: skip
    return 0


def _update(args: argparse.Namespace) -> int:
    from pitwatch.daemon.wiring.node_update import update

    def tell(done: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{done} of {len(image)} bytes", end="", file=sys.stderr, flush=True)

    image = Path(args.image).read_bytes()
    fault, firmware = asyncio.run(update(args.link, image, args.older, tell))
    if args.json:
        print(encode({"updated": fault is None, "reason": fault, "firmware": firmware}).decode())
    elif fault is None:
        print(f"the node has started with firmware {firmware}, on trial: start the table")
        print(
            "It proves itself by a session of 20 s; otherwise the node goes back to its old firmware after 10 minutes."
        )
    else:
        print(f"not updated: {fault}; the node keeps its firmware {firmware}".rstrip())
    return 0 if fault is None else 1


def _files() -> dict[str, Path]:
    """The modules of the firmware by their place on a node."""
    files = {f"{package.replace('.', '/')}/__init__.py": _source(package) for package in PACKAGES}
    return files | {f"{module.replace('.', '/')}.py": _source(module) for module in (*MODULES, *LATER)}


def _write(out: Path, key: str) -> list[str]:
    files = _files() | {"main.py": _source("pitwatch.firmware.main")}
    for name, source in files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, out / name)
    texts = {"node.json": PORT}
    if key:
        texts |= {"node.pub": f"{key}\n", "build": f"{build_of(full_version())}\n"}
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8")
    return sorted([*files, *texts])


def _source(module: str) -> Path:
    """The file of a module, which is found, not run: `firmware.main` runs on a node only."""
    package, _, name = module.rpartition(".")
    if module in PACKAGES:
        package, name = module, "__init__"
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0]) / f"{name}.py"
