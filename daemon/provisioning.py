"""Certificates, broker configuration and access lists for a house's tables, written into one folder.

Run where the house keeps its keys, not on a board: `ca/ca.key` signs who may connect and leaves this folder never.
Knows nothing of a running daemon. Needs the package `cryptography`.
"""

from __future__ import annotations

import ipaddress
import json
import os
import tomllib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from daemon.asyncapi import KINDS
from daemon.broker_url import parse_broker_url
from daemon.errors import UsageError
from daemon.rabbitmq_access import CONFIGURATION, definitions
from daemon.requests import VERBS
from daemon.whole_file import write_beside

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

CA_DAYS = 3650

BROKER = """\
# A broker for tables and surveillance. Written by `pitwatch provision`; install this folder as /etc/mosquitto/pitwatch
# and this file into /etc/mosquitto/conf.d.
per_listener_settings false
allow_anonymous false
acl_file {folder}/pitwatch.acl
# Without it a QoS 1 hand-shake waits for the 40 ms of a delayed acknowledgement now and then.
set_tcp_nodelay true

listener {port}
cafile {folder}/ca.crt
certfile {folder}/broker.crt
keyfile {folder}/broker.key
tls_version tlsv1.2
# Who connects is who its certificate says, under that name and no other: nobody can put another out by taking his name.
require_certificate true
use_identity_as_username true
use_username_as_clientid true
# Nobody can leave more than this with the broker; a subscriber reads records of up to 65,536 bytes.
max_packet_size 131072

# Evidence is small and must not be dropped while a subscriber is away. Where it is kept stands in Debian's
# mosquitto.conf, and mosquitto does not start if that is said twice.
max_queued_messages 100000
persistence true
"""

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

    def provision(
        self, tables: Iterable[str], surveillance: Iterable[str], live: Iterable[str], broker_folder: str
    ) -> None:
        """What is not there yet is made, what is there is kept; lists are written for all that are there.

        `tables` are SITE/TABLE, `surveillance` names of clients that read every table, `live` of those that
        read cards of open rounds too.
        """
        try:
            self._at_one(surveillance, live)
            self._authority()
            self._credential(self.folder / "broker", "broker.crt", "broker.key", self._hosts[0], self._hosts)
            for table in dict.fromkeys((*tables, *self._folders("tables", 2))):
                self._table(table)
            for kind, names in (("surveillance", surveillance), ("live", live)):
                for name in dict.fromkeys((*names, *self._folders(kind))):
                    self._client(self.folder / kind / name, name)
            self._put(
                self.folder / "broker" / "pitwatch.conf", BROKER.format(folder=broker_folder, port=self._port).encode()
            )
            self._put(self.folder / "broker" / "pitwatch.acl", self._access().encode())
            self._rabbitmq(broker_folder)
        except OSError as error:
            raise UsageError(f"{error.filename or self.folder}: cannot be written: {error.strerror}") from None

    def _folders(self, kind: str, levels: int = 1) -> list[str]:
        """Whose folder is there, but not the certificate: it was moved away to have another."""
        base = self.folder / kind
        found = (path for path in base.glob("/".join("*" * levels)) if path.is_dir())
        return sorted(str(path.relative_to(base)) for path in found if not (path / "client.crt").exists())

    def tables(self) -> list[str]:
        """SITE/TABLE of every table that has a certificate."""
        return sorted("/".join(path.parts[-3:-1]) for path in (self.folder / "tables").glob("*/*/client.crt"))

    def watchers(self, kind: str) -> list[str]:
        """Names of the clients that are `surveillance` or `live`."""
        return sorted(path.parent.name for path in (self.folder / kind).glob("*/client.crt"))

    def _at_one(self, surveillance: Iterable[str], live: Iterable[str]) -> None:
        """What is said now fits what was made before, or lists would be written that shut tables out. Raises
        UsageError."""
        both = {*surveillance, *self.watchers("surveillance")} & {*live, *self.watchers("live")}
        if both:
            raise UsageError(
                f'"{min(both)}" is a client of --surveillance and of --live; a name is one client, of one of them'
            )
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
            if _host(host) not in named:
                known = ", ".join(str(name.value) for name in named)
                raise UsageError(
                    f"{path}: is of {known}, not of {host}, which tables would not believe; say --broker as before, or "
                    "move broker.crt and broker.key away to have them made anew for all names"
                )

    def _table(self, table: str) -> None:
        folder = self.folder / "tables" / table
        self._client(folder, table)
        turn = crc32(table.encode()) % len(self._hosts)  # tables are spread over the nodes of a cluster
        urls = [f"mqtts://{_in_url(host)}:{self._port}" for host in (*self._hosts[turn:], *self._hosts[:turn])]
        url = json.dumps(urls if len(urls) > 1 else urls[0])
        snippet = MQTT.format(beside=folder.name, urls=url, port=self._port, prefix=self._prefix)
        self._put(folder / "mqtt.toml", snippet.encode())

    def _client(self, folder: Path, name: str) -> None:
        self._credential(folder, "client.crt", "client.key", name)

    def _rabbitmq(self, broker_folder: str) -> None:
        watchers = (self.watchers("surveillance"), self.watchers("live"))
        users = definitions(self._prefix, self.tables(), *watchers, published_topics())
        settings = CONFIGURATION.format(folder=broker_folder, port=self._port)
        self._put(self.folder / "broker" / "rabbitmq.conf", settings.encode())
        self._put(self.folder / "broker" / "rabbitmq-definitions.json", users.encode())

    def _access(self) -> str:
        """Each table by name: it writes what tables write, and reads requests to itself."""
        lines = ["# Who may do what; whoever is not named may do nothing. Written by `pitwatch provision`."]
        for table in self.tables():
            base = f"{self._prefix}/{table}"
            lines += ["", f"user {table}"]
            lines += [f"topic write {base}/{topic}" for topic in published_topics()]
            lines += [f"topic read {base}/request/+", f"topic read {base}/request/+/+"]
        for kind in ("surveillance", "live"):
            for name in self.watchers(kind):
                lines += [
                    "",
                    f"user {name}",
                    f"topic read {self._prefix}/#",
                ]
                for table in self.tables():
                    for verb in VERBS:
                        request = f"{self._prefix}/{table}/request/{verb}"
                        lines += [f"topic write {request}/{name}", f"topic write {request}"]
                if kind == "surveillance":
                    lines.append(f"topic deny {self._prefix}/+/+/live/+")
        return "\n".join(lines) + "\n"

    def _authority(self) -> None:
        from cryptography import x509

        certificate, key = self.folder / "ca" / "ca.crt", self.folder / "ca" / "ca.key"
        if certificate.exists() != key.exists():
            lacking = key if certificate.exists() else certificate
            raise UsageError(f"{lacking}: missing, though its other half is there; put it back")
        if not key.exists():
            made = _new_key()
            name = _name("Pitwatch house authority")
            builder = _builder(name, name, made.public_key(), CA_DAYS)
            builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            builder = builder.add_extension(_usage(signs=True), critical=True)
            self._save(certificate, key, builder, made, made)
        self._ca, self._ca_key = _load(certificate, key)

    def _credential(self, folder: Path, certificate: str, key: str, name: str, server: Sequence[str] = ()) -> None:
        """`server`: the hosts that show it, none for a client."""

        from cryptography import x509
        from cryptography.hazmat.primitives.serialization import Encoding
        from cryptography.x509.oid import ExtendedKeyUsageOID

        if not (folder / certificate).exists():
            made = _new_key()
            builder = _builder(_name(name), self._ca.subject, made.public_key(), self._days)
            builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            builder = builder.add_extension(_usage(signs=False), critical=True)
            use = ExtendedKeyUsageOID.SERVER_AUTH if server else ExtendedKeyUsageOID.CLIENT_AUTH
            builder = builder.add_extension(x509.ExtendedKeyUsage([use]), critical=False)
            if server:
                builder = builder.add_extension(
                    x509.SubjectAlternativeName([_host(host) for host in server]), critical=False
                )
            self._save(folder / certificate, folder / key, builder, made, self._ca_key)
        self._put(folder / "ca.crt", self._ca.public_bytes(Encoding.PEM))

    def _save(
        self,
        certificate: Path,
        key: Path,
        builder: x509.CertificateBuilder,
        made: EllipticCurvePrivateKey,
        by: EllipticCurvePrivateKey,
    ) -> None:
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

        if key.exists():
            raise UsageError(f"{key}: exists without its certificate; a key is not written over, move it away")
        key.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        pem = made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        signed = builder.sign(by, hashes.SHA256()).public_bytes(Encoding.PEM)
        # What is there is kept from then on, so neither may be there by half, nor the one for long without the other.
        whole = (write_beside(key, pem, 0o600), write_beside(certificate, signed, 0o644))
        for part, path in zip(whole, (key, certificate), strict=True):
            part.rename(path)
            self.written.append(path)

    def _put(self, path: Path, content: bytes) -> None:
        """What is compared, and mended, each time."""
        if path.exists() and path.read_bytes() == content:
            return
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_TRUNC
        with os.fdopen(os.open(path, flags, 0o644), "wb") as file:
            file.write(content)
        self.written.append(path)


def published_topics() -> list[str]:
    """What a table publishes on, below its own topic, as patterns for an access list."""
    return [topic.partition("{")[0] + "+" if "{" in topic else topic for _, topic, _, _ in KINDS.values()]


def _new_key() -> EllipticCurvePrivateKey:
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.generate_private_key(ec.SECP256R1())


def _load(certificate: Path, key: Path) -> tuple[x509.Certificate, EllipticCurvePrivateKey]:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        loaded = load_pem_private_key(key.read_bytes(), None)
        found = x509.load_pem_x509_certificate(certificate.read_bytes())
    except (ValueError, TypeError):
        raise UsageError(f"{key.parent}: ca.key or ca.crt is not readable as PEM; put the right ones back") from None
    if not isinstance(loaded, EllipticCurvePrivateKey) or found.public_key() != loaded.public_key():
        raise UsageError(f"{key.parent}: ca.key does not belong to ca.crt; put the right one back")
    return found, loaded


def _name(common: str) -> x509.Name:
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _host(name: str) -> x509.GeneralName:
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _builder(subject: x509.Name, issuer: x509.Name, key: object, days: int) -> x509.CertificateBuilder:
    from cryptography import x509

    # A board whose clock is behind must not find its certificate not yet valid.
    begin = datetime.now(UTC) - timedelta(days=1)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)  # type: ignore[arg-type]
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(begin + timedelta(days=days + 1))
    )


def _usage(signs: bool) -> x509.KeyUsage:
    from cryptography import x509

    return x509.KeyUsage(
        digital_signature=not signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )
