"""Builds the Debian packages: `pitwatch` for a board, `pitwatch-floor` for the machine with the archive and the screen.

For each release of Debian and each architecture, on any of them: what the locks ask for comes as wheels and is
unpacked, nothing is compiled. The same commit gives the same bytes, wherever and whenever it is built, by the same
Python and tools. Prints the files' names.

Usage: build.py [--debian 12 13] [--arch amd64 arm64] [--package pitwatch pitwatch-floor] [--out dist]
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))

from pages import compress, write_pages  # noqa: E402
from parts import parts_list  # noqa: E402
from wheels import Target, fetch, lay, locked  # noqa: E402

from pitwatch.daemon.common.version import full_version  # noqa: E402

PYTHONS = {"12": ("3.11", 36), "13": ("3.13", 41)}
"""Release of Debian to its Python and the N of its C library, glibc 2.N."""
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
PACKAGES = ("pitwatch", "pitwatch-floor")
NO_ARMHF = (
    "there is no package for armhf: most of what Pitwatch needs (msgspec, gpiod, cryptography, pyarrow) has no wheel "
    "for 32-bit ARM. Install the 64-bit system (arm64), which every Raspberry Pi since the 3 runs"
)
SOURCES = ("setup.py", "pyproject.toml", "README.md", "LICENSE", "pitwatch")
ROOMS = ("hal", "devices", "firmware", "rules", "daemon", "floor", "sim_hw")
PACKAGE = "opt/pitwatch/package"
HOME = f"{PACKAGE}/.venv"
FITTED = ("pitwatch@.service", "60-pitwatch.rules")
"""Files of a version that `pitwatch upgrade stage` puts where the system looks for them."""
MOUNTED = ("dev", "devices", "etc", "lib", "lib64", "opt/pitwatch", "proc", "root", "run", "sys", "tmp", "usr", "var")
"""The folders of the service's root directory; systemd mounts their contents."""

RUN = """#!/opt/pitwatch/.venv/bin/python -I
import os
import sys

sys.path[:] = map(os.path.realpath, sys.path)  # an upgrade changes the link; this process stays with its version
from pitwatch.daemon.cli import main
sys.exit(main())
"""


def main() -> int:
    args = arguments()
    os.umask(0o022)
    os.environ.setdefault("SOURCE_DATE_EPOCH", git("log", "-1", "--format=%ct"))
    args.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="pitwatch-debs.") as work:
        for debian in args.debian:
            python, glibc = PYTHONS[debian]
            version = f"{full_version()}.deb{debian}"
            if "+git." not in version:
                raise SystemExit(
                    "debs: the build is unknown; build from a full clone with git, not from a copy or a shallow one"
                )
            own = own_wheel(Path(work) / f"own-{debian}", version)
            for arch in args.arch:
                target = Target(debian, python, glibc, arch, MACHINES[arch])
                for package in args.package:
                    print(
                        build(package, version, own, target, Path(work) / f"{package}-{debian}-{arch}", args.out),
                        flush=True,
                    )
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="debs", description="Builds the Debian packages.")
    parser.add_argument("--debian", nargs="+", choices=PYTHONS, default=list(PYTHONS), help="releases")
    parser.add_argument("--arch", nargs="+", type=architecture, default=list(MACHINES), help="amd64, arm64")
    parser.add_argument("--package", nargs="+", choices=PACKAGES, default=list(PACKAGES))
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder")
    return parser.parse_args()


def architecture(name: str) -> str:
    if name in ("armhf", "armel"):
        raise SystemExit(f"debs: {NO_ARMHF}")
    if name not in MACHINES:
        raise argparse.ArgumentTypeError(f"{name}: not one of {', '.join(MACHINES)}")
    return name


def git(*asked: str) -> str:
    return subprocess.run(["git", "-C", str(ROOT), *asked], capture_output=True, text=True, check=True).stdout.strip()


def own_wheel(work: Path, version: str) -> Path:
    """The program itself as a wheel that bears this version, from the files that git knows."""
    source = work / "source"
    for name in git("ls-files", "--", *SOURCES, *ROOMS).splitlines():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source / name, follow_symlinks=False)
    (source / "pitwatch" / "build.txt").write_text(version.partition("+")[2] + "\n")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*command, "--no-build-isolation", f"--wheel-dir={work}", source], check=True)
    return next(work.glob("pitwatch-*.whl"))


def build(package: str, version: str, own: Path, target: Target, work: Path, out: Path) -> Path:
    """One package. Returns its file."""
    board = locked(ROOT / "locks" / "board.lock", target)
    floor = locked(ROOT / "locks" / "floor.lock", target)
    needs = board if package == "pitwatch" else {name: floor[name] for name in floor if name not in board}
    wheels = fetch(needs, target, work / "wheels")
    root = work / "root"
    for wheel in wheels if package == "pitwatch-floor" else [*wheels, own]:
        lay(wheel, root / HOME, target)
    shutil.rmtree(root / HOME / "bin", ignore_errors=True)  # other packages' programs
    shutil.rmtree(root / HOME / "share", ignore_errors=True)
    (lay_board if package == "pitwatch" else lay_floor)(root, version, target)
    documents = root / "usr/share/doc" / package
    put(documents / "copyright", (ROOT / "LICENSE").read_text())
    compress(documents / "changelog.gz", (ROOT / "CHANGELOG.md").read_text())
    put(documents / "pitwatch.cdx.json", parts_list(package, version, what_is_in(wheels, work)))
    control(package, version, root, target)
    file = out / f"{package}_{version}_{target.arch}.deb"
    pack(root, file)
    return file


def lay_board(root: Path, version: str, target: Target) -> None:
    home, program = root / HOME, root / "opt/pitwatch"
    put(home / "pyvenv.cfg", f"home = /usr/bin\ninclude-system-site-packages = false\nversion = {target.python}\n")
    put(home / "bin/pitwatch", RUN, 0o755)
    (home / "bin/python").symlink_to(f"/usr/bin/python{target.python}")
    put(root / PACKAGE / "VERSION", f"{version}\n")
    copy(root / PACKAGE / "systemd", *(ROOT / "systemd" / name for name in FITTED), HERE / "pitwatch-upgrade.service")
    (root / "usr/bin").mkdir(parents=True)
    (root / "usr/bin/pitwatch").symlink_to("/opt/pitwatch/.venv/bin/pitwatch")
    put(program / "first-boot", (HERE / "first-boot").read_text(), 0o755)
    units = root / "lib/systemd/system"
    copy(units, HERE / "pitwatch-first-boot.service")
    (units / "multi-user.target.wants").mkdir()
    (units / "multi-user.target.wants/pitwatch-upgrade.service").symlink_to("../pitwatch-upgrade.service")
    copy(program / "systemd/drop-ins", *(ROOT / "systemd/drop-ins").glob("*.conf"))
    copy(program / "docs", *(ROOT / "docs").glob("*.md"), ROOT / "docs/asyncapi.yaml")
    copy(root / "usr/share/doc/pitwatch/examples", *(ROOT / "docs/examples").iterdir())
    for name in MOUNTED:
        (root / "opt/pitwatch-root" / name).mkdir(parents=True)
    write_pages(root, version)


def lay_floor(root: Path, version: str, target: Target) -> None:
    copy(
        root / "lib/systemd/system",
        *(ROOT / f"systemd/pitwatch-{name}.service" for name in ("archive", "notify", "web")),
    )
    put(root / "etc/pitwatch-floor/FLOOR.toml", (HERE / "floor/FLOOR.toml").read_text())


def put(path: Path, text: str, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def copy(folder: Path, *files: Path) -> None:
    for file in files:
        put(folder / file.name, file.read_text(), 0o755 if os.access(file, os.X_OK) else 0o644)


def what_is_in(wheels: list[Path], work: Path) -> Path:
    """A file that asks for exactly these wheels, with the hash of each."""
    asked = work / "parts.txt"
    lines = []
    for wheel in wheels:
        name, number, *_ = wheel.name.split("-")
        lines.append(f"{name}=={number} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n")
    asked.write_text("".join(lines))
    return asked


def control(package: str, version: str, root: Path, target: Target) -> None:
    """The folder DEBIAN: what dpkg has to know, with the hash of every file."""
    template = HERE / ("board" if package == "pitwatch" else "floor")
    files = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    size = sum(path.stat().st_size for path in files) // 1024 + 1
    major, minor = target.python.split(".")
    words = {"VERSION": version, "ARCH": target.arch, "SIZE": str(size), "PYTHON": target.python}
    text = (template / "control").read_text()
    for word, meaning in {**words, "NEXT": f"{major}.{int(minor) + 1}"}.items():
        text = text.replace(f"@{word}@", meaning)
    put(root / "DEBIAN/control", text)
    names = [str(path.relative_to(root)) for path in files]
    sums = (f"{hashlib.md5(path.read_bytes()).hexdigest()}  {name}\n" for path, name in zip(files, names, strict=True))
    put(root / "DEBIAN/md5sums", "".join(sums))
    if kept := [f"/{name}\n" for name in names if name.startswith("etc/")]:
        put(root / "DEBIAN/conffiles", "".join(kept))
    for script in ("postinst", "prerm", "postrm"):
        if (template / script).exists():
            put(root / "DEBIAN" / script, (template / script).read_text(), 0o755)


def pack(root: Path, file: Path) -> None:
    """The package, every file with the time of the commit, in one thread: more give other bytes."""
    moment = int(os.environ["SOURCE_DATE_EPOCH"])
    for path in [root, *root.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        os.utime(path, (moment, moment), follow_symlinks=False)
    command = ["dpkg-deb", "--root-owner-group", "--threads-max=1", "-Zzstd", "-z9", "--build", root, file]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
