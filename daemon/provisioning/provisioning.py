"""The folder of a house: writes certificates, broker configuration and access lists for its tables.

Run it where the house keeps its keys, not on a board: `ca/ca.key` signs every certificate and never leaves this folder.
Independent of a running daemon. Needs the package `cryptography`.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from zlib import crc32

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.common.whole_file import write_beside
from pitwatch.daemon.config.broker_url import parse_broker_url
from pitwatch.daemon.config.house_names import check_apart, check_client, check_table, quoted
from pitwatch.daemon.provisioning.authority import Authority, general_name
from pitwatch.daemon.provisioning.boards import Board, Boards
from pitwatch.daemon.provisioning.mosquitto_access import BROKER, REVOKED, access_list, published_topics
from pitwatch.daemon.provisioning.rabbitmq_access import CONFIGURATION, RELEASES, definitions

WATCHERS = ("surveillance", "reader", "live")
"""Kinds of clients: options of `provision`, and folders."""

MQTT = """\
# For the table's configuration, if these files lie in the folder {beside}/ beside it (keys: mode 600, owner pitwatch).
[mqtt]
url = {urls}
prefix = "{prefix}"
ca = "{beside}/ca.crt"
cert = "{beside}/client.crt"
key = "{beside}/client.key"
"""


class House:
    """The folder with everything. Raises UsageError in one line if `cryptography` is missing, or a file in the way."""

    def __init__(self, folder: Path, hosts: Sequence[str], port: int, prefix: str, days: int):
        try:
            import cryptography  # noqa: F401
        except ImportError:
            raise UsageError(
                "provision needs the package cryptography; in Pitwatch's clone: .venv/bin/pip install -e '.[provision]'"
            ) from None
        self.folder = folder
        self._hosts, self._port, self._prefix, self._days = hosts, port, prefix, days
        self.written: list[Path] = []
        self._expected: Collection[str] = ()

    def provision(
        self,
        tables: Iterable[str],
        surveillance: Iterable[str],
        readers: Iterable[str],
        live: Iterable[str],
        broker_folder: str,
        revoke: Iterable[str] = (),
        unnamed: bool = False,
        boards: Iterable[Board] = (),
        expected: Collection[str] = (),
    ) -> None:
        """What is not there yet is made, what is there is kept; lists are written for all that are there.

        `tables` are SITE/TABLE, `surveillance` names of clients that read every table and ask it, `readers` of
        those that only read, `live` of those that read cards of open rounds too. Of those
        in `revoke` the certificate is revoked, and the folder put away: they are to be named again to have another.
        `unnamed`: clients may send requests without their name too. `boards` are announced: their keys sign journals.
        `expected` are tables whose boards make their own keys: the lists grant them what they grant others.
        """
        try:
            self._names()
            watching = {"surveillance": surveillance, "reader": readers, "live": live}
            self._expected = expected
            for table in expected:
                self._has_none(table)
            self._at_one((*tables, *expected), watching)
            lost = [self._owned(name, (*tables, *surveillance, *readers, *live)) for name in dict.fromkeys(revoke)]
            self._authority = Authority(self.folder / "ca", self._days)
            self.written = self._authority.written
            for folder in filter(None, lost):
                self._revoke(folder)
            self._credential(self.folder / "broker", "broker", self._hosts[0], self._hosts)
            for table in dict.fromkeys((*tables, *self._folders("tables", 2))):
                if table not in expected:
                    self._table(table)
            for kind, names in watching.items():
                for name in dict.fromkeys((*names, *self._folders(kind))):
                    self._client(self.folder / kind / name, name)
            self.announce(boards)
            revoked = self._authority.revoked
            if revoked.exists():
                self._put(self.folder / "broker" / "revoked.pem", revoked.read_bytes())
            listed = REVOKED.format(folder=broker_folder) if revoked.exists() else ""
            settings = BROKER.format(folder=broker_folder, port=self._port, revoked=listed)
            self._put(self.folder / "broker" / "pitwatch.conf", settings.encode())
            lists = access_list(self._prefix, self._granted(), *map(self.watchers, WATCHERS), unnamed=unnamed)
            self._put(self.folder / "broker" / "pitwatch.acl", lists.encode())
            self._rabbitmq(broker_folder, unnamed)
        except OSError as error:
            raise UsageError(f"{error.filename or self.folder}: cannot be written: {error.strerror}") from None

    def _folders(self, kind: str, levels: int = 1) -> list[str]:
        """Whose folder is there, but not the certificate: it was moved away to have another."""
        base = self.folder / kind
        found = (path for path in base.glob("/".join("*" * levels)) if path.is_dir())
        return sorted(str(path.relative_to(base)) for path in found if not (path / "client.crt").exists())

    def _owned(self, name: str, named: Iterable[str]) -> Path | None:
        """The folder whose certificate is to be revoked; None: it was revoked before. Raises UsageError."""
        if name in named:
            raise UsageError(f"{name} is to be revoked and made; revoke it first, then run provision with it again")
        for kind in ("tables",) if "/" in name else WATCHERS:
            if (self.folder / kind / name / "client.crt").exists():
                return self.folder / kind / name
        if not any((self.folder / "ca" / "revoked").glob(f"{name.replace('/', '.')}-serial-*")):
            raise UsageError(f"{self.folder}: no certificate of {name} is here to be revoked; put its client.crt back")
        return None

    def _revoke(self, folder: Path) -> None:
        serial = self._authority.revoke(folder / "client.crt")
        aside = self.folder / "ca" / "revoked"
        aside.mkdir(exist_ok=True, mode=0o700)
        name = ".".join(folder.parts[len(self.folder.parts) + 1 :])
        folder.rename(aside / f"{name}-serial-{serial}")

    def _names(self) -> None:
        """Raises UsageError for a folder whose name no certificate and no list may have: a stray or a forged one."""
        for kind, levels in (("tables", 2), *((kind, 1) for kind in WATCHERS)):
            base = self.folder / kind
            for path in sorted(path for path in base.glob("/".join("*" * levels)) if path.is_dir()):
                where = f"{quoted(str(path))} is in the way, move it away: "
                (check_table if levels == 2 else check_client)(str(path.relative_to(base)), where)

    def tables(self) -> list[str]:
        """SITE/TABLE of every table that has a certificate."""
        return sorted("/".join(path.parts[-3:-1]) for path in (self.folder / "tables").glob("*/*/client.crt"))

    def watchers(self, kind: str) -> list[str]:
        """Names of the clients of one of WATCHERS."""
        return sorted(path.parent.name for path in (self.folder / kind).glob("*/client.crt"))

    def _at_one(self, tables: Iterable[str], watching: Mapping[str, Iterable[str]]) -> None:
        """What is said now fits what was made before, or lists would be written that shut tables out. Raises
        UsageError."""
        kinds: dict[str, str] = {}
        for kind, named in watching.items():
            for name in sorted({*named, *self._folders(kind), *self.watchers(kind)}):
                if name in kinds:
                    raise UsageError(
                        f'"{name}" is a client of --{kinds[name]} and of --{kind}; a name is one client, of one of them'
                    )
                kinds[name] = kind
        check_apart(sorted({*tables, *self._folders("tables", 2), *self.tables()}), kinds)
        for path in sorted((self.folder / "tables").glob("*/*/mqtt.toml")):
            try:
                made = tomllib.loads(path.read_text(encoding="utf-8"))["mqtt"]
                urls = [made["url"]] if isinstance(made["url"], str) else made["url"]
                ports, prefix = {parse_broker_url(url).port for url in urls}, made["prefix"]
            except (ValueError, KeyError, TypeError):
                continue  # it is for people, who may have made something else of it
            for option, was, now in (("--prefix", {prefix}, self._prefix), ("--port", ports, self._port)):
                if was != {now}:
                    before = " and ".join(map(str, sorted(was)))
                    raise UsageError(
                        f"{path}: made with {option} {before}, and now it is {now}; say {option} {before}, or move the "
                        "mqtt.toml of every table away to have them made anew"
                    )
        self._known_hosts()

    def _known_hosts(self) -> None:
        """Raises UsageError if the broker has a certificate that lacks one of its names."""
        from cryptography import x509

        path = self.folder / "broker" / "broker.crt"
        if not path.exists():
            return
        try:
            certificate = x509.load_pem_x509_certificate(path.read_bytes())
            named = set(certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value)
        except (ValueError, x509.ExtensionNotFound):
            raise UsageError(
                f"{path}: is no certificate of a broker; put the right one back, or move it away"
            ) from None
        for host in self._hosts:
            if general_name(host) not in named:
                known = ", ".join(str(name.value) for name in named)
                raise UsageError(
                    f"{path}: is of {known}, not of {host}, which tables would not believe; say --broker as before, or "
                    "move broker.crt and broker.key away to have them made anew for all names"
                )

    def _granted(self) -> list[str]:
        return sorted({*self.tables(), *self._expected})

    def enrol(self, table: str, request: str) -> None:
        """Give an expected table a certificate for the key of its board (PKCS #10 in PEM). Call `provision` before.
        Raises UsageError, or ValueError if the request is not usable."""
        certificate = self._has_none(table)
        pem = self._authority.certify(request, table)
        try:
            certificate.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._put(certificate.parent / "ca.crt", self._authority.pem)
            self._snippet(table)
            write_beside(certificate, pem, 0o644).rename(certificate)
        except OSError as error:
            raise UsageError(f"{error.filename or certificate}: cannot be written: {error.strerror}") from None

    def _has_none(self, table: str) -> Path:
        """Where its certificate will be. Raises UsageError."""
        certificate = self.folder / "tables" / table / "client.crt"
        if certificate.exists():
            raise UsageError(
                f"{certificate}: {table} has a certificate already; --revoke {table} first, or move the file away"
            )
        return certificate

    def server_certificate(self, folder: Path, name: str) -> tuple[Path, Path]:
        """A certificate and key of a server, in files that are not kept. Call `provision` before."""
        made = folder / "server.crt", folder / "server.key"
        self._authority.credential(*made, name, [name])
        return made

    def announce(self, boards: Iterable[Board]) -> None:
        """Add boards to the house's list. Call `provision` before. Raises UsageError."""
        self.written += Boards(self.folder, self._authority).announce(boards, self.tables())

    def _table(self, table: str) -> None:
        self._client(self.folder / "tables" / table, table)
        self._snippet(table)

    def _snippet(self, table: str) -> None:
        folder = self.folder / "tables" / table
        turn = crc32(table.encode()) % len(self._hosts)  # tables are spread over the nodes of a cluster
        urls = [f"mqtts://{_in_url(host)}:{self._port}" for host in (*self._hosts[turn:], *self._hosts[:turn])]
        url = json.dumps(urls if len(urls) > 1 else urls[0])
        snippet = MQTT.format(beside=folder.name, urls=url, port=self._port, prefix=self._prefix)
        self._put(folder / "mqtt.toml", snippet.encode())

    def _client(self, folder: Path, name: str) -> None:
        self._credential(folder, "client", name)

    def _rabbitmq(self, broker_folder: str, unnamed: bool) -> None:
        watchers = map(self.watchers, WATCHERS)
        users = definitions(self._prefix, self._granted(), *watchers, published=published_topics(), unnamed=unnamed)
        for name, only in RELEASES.items():
            settings = CONFIGURATION.format(folder=broker_folder, port=self._port, **only)
            self._put(self.folder / "broker" / name, settings.encode())
        self._put(self.folder / "broker" / "rabbitmq-definitions.json", users.encode())

    def _credential(self, folder: Path, file: str, name: str, server: Sequence[str] = ()) -> None:
        self._authority.credential(folder / f"{file}.crt", folder / f"{file}.key", name, server)
        self._put(folder / "ca.crt", self._authority.pem)

    def _put(self, path: Path, content: bytes) -> None:
        """What is compared each time, and corrected."""
        if path.exists() and path.read_bytes() == content:
            return
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_TRUNC
        with os.fdopen(os.open(path, flags, 0o644), "wb") as file:
            file.write(content)
        self.written.append(path)


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
