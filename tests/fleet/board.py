"""A board as a folder: a real sshd, real daemons, real dpkg and apt with a root of their own. For tests only.

`systemctl.py` stands for systemd; apt-get and dpkg-query are the system's with the folder as their root.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from benchmarks.ports import free_port
from tests.e2e.mosquitto import wait_for
from tests.fleet import systemctl
from tests.fleet.packages import OLD

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin") or ""

TABLE = """
[table]
site = "{site}"
id = "{id}"
game = "toledo-2020/roulette"
[statistics]
watch = false
[[device]]
id = "wheel"
type = "wheel"
link = "tcp:127.0.0.1:{port}"
protocol = "slingshot2"
"""

PROGRAM = """\
import sys
from pathlib import Path
from pitwatch.daemon.config import installed
installed.FOLDER, installed.STATE = Path({etc!r}), Path({state!r})
from pitwatch.daemon.cli import main
sys.exit(main())
"""

SCRIPTS = {
    "pitwatch": 'PYTHONPATH={board}/root/opt/pitwatch exec {python} {board}/program.py "$@"',
    "systemctl": 'exec {python} -I -S {systemctl} {board} "$@"',
    "apt-get": 'APT_CONFIG={board}/apt.conf exec {apt} "$@"',
    "dpkg-query": 'exec {query} --admindir={board}/root/var/lib/dpkg "$@"',
    "serve": 'PATH={board}/bin:$PATH; export PATH; echo "$SSH_ORIGINAL_COMMAND" >>{board}/orders; exec {serve}',
}


APT = """\
Dir "{board}/apt";
Dir::State::status "{board}/root/var/lib/dpkg/status";
APT::Sandbox::User "root";
DPkg::Path "{board}/bin:/usr/sbin:/usr/bin:/sbin:/bin";
DPkg::Options {{ "--root={board}/root"; "--force-script-chrootless,unsafe-io,not-root,bad-path"; }};
"""


class BoardFolder:
    """`tables` are SITE/TABLE. `serve`: what its key may run; another program is that of a hostile board."""

    def __init__(self, folder: Path, name: str, tables: tuple[str, ...], client_key: Path, serve: str = ""):
        self.folder, self.name, self.tables = folder, name, tables
        self.port = free_port()
        for each in (
            "bin",
            "etc",
            "state",
            "run",
            "apt/etc",
            "apt/var/log/apt",
            "apt/var/lib/apt/lists/partial",
            "apt/var/cache/apt/archives/partial",
            "apt/etc/apt/apt.conf.d",
            "apt/etc/apt/preferences.d",
            "apt/etc/apt/sources.list.d",
            "apt/etc/apt/trusted.gpg.d",
            "root/var/lib/dpkg/info",
            "root/var/lib/dpkg/updates",
            "root/var/lib/dpkg/triggers",
        ):
            (folder / each).mkdir(parents=True)  # fmt: skip
        (folder / "root/var/lib/dpkg/status").touch()
        self._program(serve)
        self._ssh(client_key)
        self._sshd: subprocess.Popen[bytes] | None = None

    def _program(self, serve: str) -> None:
        known = {
            "board": self.folder, "python": sys.executable, "systemctl": Path(systemctl.__file__),
            "apt": shutil.which("apt-get"), "query": shutil.which("dpkg-query"),
            "serve": serve or "pitwatch board serve",
        }  # fmt: skip
        (self.folder / "program.py").write_text(
            PROGRAM.format(etc=str(self.folder / "etc"), state=str(self.folder / "state"))
        )
        (self.folder / "apt.conf").write_text(APT.format(board=self.folder))
        for name, text in SCRIPTS.items():
            script = self.folder / "bin" / name
            script.write_text(f"#!/bin/sh\n{text.format(**known)}\n")
            script.chmod(0o755)

    def _ssh(self, client_key: Path) -> None:
        folder = self.folder / "ssh"
        folder.mkdir()
        new_key(folder / "host_key")
        public = client_key.with_suffix(".pub").read_text()
        (folder / "authorized_keys").write_text(f'restrict,command="{self.folder}/bin/serve" {public}')
        (folder / "sshd_config").write_text(
            f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {folder}/host_key\nPidFile none\nUsePAM no\n"
            f"AuthorizedKeysFile {folder}/authorized_keys\nPermitRootLogin forced-commands-only\nStrictModes no\n"
            "PasswordAuthentication no\nKbdInteractiveAuthentication no\nAllowAgentForwarding no\n"
        )

    @property
    def host_key(self) -> str:
        return " ".join((self.folder / "ssh" / "host_key.pub").read_text().split()[:2])

    def install(self, repository: Path, version: str = OLD) -> None:
        (self.folder / "apt/etc/apt/sources.list").write_text(f"deb [trusted=yes] file:{repository} ./\n")
        self.run("apt-get", "-q", "update")
        self.run("apt-get", "-q", "-y", "install", f"pitwatch={version}")

    def configure(self, table: str, house: Path, wheel: int, text: str = "") -> None:
        """The table's file and folder, as `provision` made it."""
        id_ = table.rpartition("/")[2]
        shutil.copytree(house / "tables" / table, self.folder / "etc" / id_)
        (self.folder / "etc" / f"{id_}.toml").write_text(text or configuration(table, house, wheel))

    def run(self, *words: str) -> str:
        environment = {**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}"}
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout

    def start(self) -> None:
        """Begin every table, without waiting for one before the next; then sshd."""
        control = self.folder / "bin" / "systemctl"
        units = [f"pitwatch@{table.rpartition('/')[2]}.service" for table in self.tables]
        starting = [subprocess.Popen([control, "restart", unit]) for unit in units]
        assert all(process.wait() == 0 for process in starting), (self.folder / "log").read_text()
        self.start_sshd()

    def start_sshd(self) -> None:
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        log = self.folder / "sshd.log"
        self._sshd = subprocess.Popen([SSHD, "-D", "-f", self.folder / "ssh" / "sshd_config", "-E", log])
        wait_for(lambda: log.exists() and b"Server listening" in log.read_bytes(), 60, "sshd does not start")

    def service(self, id_: str) -> str:
        return "active" if systemctl.pid_of(self.folder, f"pitwatch@{id_}.service") else "inactive"

    def orders(self) -> list[str]:
        """What was ordered over ssh."""
        path = self.folder / "orders"
        return path.read_text().splitlines() if path.exists() else []

    def close(self) -> None:
        if self._sshd is not None:
            self._sshd.kill()
            self._sshd.wait()
        for table in self.tables:
            if pid := systemctl.pid_of(self.folder, f"pitwatch@{table.partition('/')[2]}.service"):
                os.kill(pid, signal.SIGKILL)


def configuration(table: str, house: Path, wheel: int) -> str:
    """A TABLE.toml: `[mqtt]` as `provision` made it."""
    site, _, id_ = table.partition("/")
    mqtt = (house / "tables" / table / "mqtt.toml").read_text()
    return TABLE.format(site=site, id=id_, port=wheel) + mqtt


def new_key(path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", path], check=True)
