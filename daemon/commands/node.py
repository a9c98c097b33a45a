"""`pitwatch node flash-bundle`: writes the folder to copy to a sensor node. Uses files only."""

from __future__ import annotations

import argparse
import importlib.util
import shutil
from pathlib import Path

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.contract.messages import encode

COMMAND = {"name": "node", "turn": 100, "help": "write the folder to copy to a sensor node"}

PACKAGES = ("pitwatch", "pitwatch.hal", "pitwatch.devices", "pitwatch.devices.protocols", "pitwatch.firmware")
MODULES = (
    "pitwatch.hal.errors", "pitwatch.hal.line", "pitwatch.hal.machine_lines", "pitwatch.hal.tick_clock",
    "pitwatch.devices.protocols.cobs", "pitwatch.devices.protocols.crc", "pitwatch.devices.protocols.node_bodies",
    "pitwatch.devices.protocols.node_link",
    "pitwatch.firmware.node", "pitwatch.firmware.ports",
)  # fmt: skip
"""Everything that `firmware.main` imports, the packages' own files aside."""

PORT = '{"port": "usb"}\n'
"""node.json as it is written: the board is at the node's USB port."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Sensor nodes: microcontrollers that listen to a table's lines for the board."
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    bundle = verbs.add_parser("flash-bundle", help="write the folder to copy to a node")
    bundle.add_argument("--json", action="store_true", help="print JSON")
    bundle.add_argument("out", metavar="OUT", help="the folder to write; it must be empty or not exist")


def run(args: argparse.Namespace) -> int:
    out = Path(args.out)
    try:
        if out.exists() and any(out.iterdir()):
            raise UsageError(f"{out}: is not empty, and old modules must not stay on a node; name a new folder")
        files = _write(out)
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


def _write(out: Path) -> list[str]:
    files = {f"{package.replace('.', '/')}/__init__.py": _source(package) for package in PACKAGES}
    files |= {f"{module.replace('.', '/')}.py": _source(module) for module in MODULES}
    files["main.py"] = _source("pitwatch.firmware.main")
    for name, source in files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, out / name)
    (out / "node.json").write_text(PORT, encoding="utf-8")
    return sorted([*files, "node.json"])


def _source(module: str) -> Path:
    """The file of a module, which is found, not run: `firmware.main` runs on a node only."""
    package, _, name = module.rpartition(".")
    if module in PACKAGES:
        package, name = module, "__init__"
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0]) / f"{name}.py"
