"""docs/evidence.md: a third party verifies a package with openssl and sha256sum, by the commands of the page."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from pitwatch.daemon.journal.signing import public_key
from tests.daemon.evidence.table import played
from tests.daemon.evidence.test_package import House

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")

PAGE = Path(__file__).parents[3] / "docs" / "evidence.md"


def commands(values: dict[str, str]) -> str:
    """The page's blocks up to the last that has its values, which are filled in."""
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL)
    wanted = []
    for block in blocks:
        names = set(re.findall(r"^([A-Z_]+)=…$", block, re.MULTILINE))
        if names <= set(values):
            wanted.append(
                re.sub(r"^([A-Z_]+)=…$", lambda found: f"{found[1]}='{values[found[1]]}'", block, flags=re.MULTILINE)
            )
    return "set -e\n" + "\n".join(wanted)


def by_hand(folder: Path, values: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sh", "-c", commands(values)], cwd=folder, capture_output=True, text=True, timeout=120)


def unpacked(made: Path, folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    with zipfile.ZipFile(made) as archive:
        archive.extractall(folder)
    return folder / made.stem


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    folder = tmp_path_factory.mktemp("by-hand")
    return House(asyncio.run(played(folder)), folder)


def test_the_commands_of_the_page_verify_a_package_and_find_what_was_changed(house: House) -> None:
    made = house.make()
    key = public_key(house.key)
    values = {"PACKAGER": key, "BOARD": key}
    folder = unpacked(made, house.out / "unpacked")
    done = by_hand(folder, values)
    assert done.returncode == 0, done.stderr
    records = sorted(path.stem for path in folder.glob("records/*.json"))
    assert (
        sorted(re.findall(r"^record (\d+): proven by house/pitwatch/toledo/BA-01", done.stdout, re.MULTILINE))
        == records
    )
    other = "MCowBQYDK2VwAyEA" + "A" * 43 + "="
    assert by_hand(folder, {**values, "PACKAGER": other}).returncode != 0
    assert by_hand(folder, {**values, "BOARD": other}).returncode != 0
    for path in sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file()):
        changed = unpacked(made, house.out / "changed")
        content = (changed / path).read_bytes()
        (changed / path).write_bytes(content[:-2] + bytes([content[-2] ^ 1]) + content[-1:])
        assert by_hand(changed, values).returncode != 0, path
    changed = unpacked(made, house.out / "changed")
    (changed / "records" / "999.json").write_text("[]")
    assert by_hand(changed, values).returncode != 0


def test_the_proofs_alone_find_a_record_that_was_altered(house: House) -> None:
    """Without the manifest: what a packager changed himself."""
    made = house.make(out="alone")
    values = {"BOARD": public_key(house.key)}
    script = commands({"PACKAGER": "", **values})
    _, _, walking = script.partition("MANIFEST.sig\n")
    start = f"set -e\nBOARD='{values['BOARD']}'\n"

    def verified(folder: Path) -> bool:
        return (
            subprocess.run(["sh", "-c", start + walking], cwd=folder, capture_output=True, timeout=120).returncode == 0
        )

    assert verified(unpacked(made, house.out / "unpacked"))
    for kind in ("records", "proofs"):
        for path in sorted(made.with_suffix("").glob(f"{kind}/*"))[:2]:
            changed = unpacked(made, house.out / "changed")
            content = path.read_bytes()
            at = content.index(b",") + 3 if kind == "records" else content.index(b"\n\n") - 9
            (changed / kind / path.name).write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
            assert not verified(changed), path
