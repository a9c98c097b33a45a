"""`[web]` of a FLOOR.toml: where the pages are served, and who vouches for those who read them. Opens nothing."""

from __future__ import annotations

import ipaddress
import re
from typing import Any
from urllib.parse import urlsplit

import msgspec

from pitwatch.daemon.config.sections import Sections, shown

LISTEN = "127.0.0.1:8470"
HOST = re.compile(r"[A-Za-z0-9.:\[\]-]{1,253}\Z")


class ProviderSection(msgspec.Struct, frozen=True, kw_only=True):
    """`[web.provider]`: an OpenID Connect provider. `issuer` as it calls itself; `claim` whose value is an account's
    name; `name` for people; `secret_file` holds the client's secret; `ca` signed its certificate."""

    issuer: str = ""
    client_id: str = ""
    secret_file: str = ""
    claim: str = "preferred_username"
    name: str = "the house's provider"
    ca: str = ""


class WebSection(msgspec.Struct, frozen=True, kw_only=True):
    """`listen`: HOST:PORT. `accounts`: the SQLite file of accounts, sessions and changes. `cert` and `key`: TLS;
    `client_ca`: the authority whose client certificates sign in. `hosts`: names under which browsers reach this server
    besides that of `listen`. `live_cards`: subscribe to cards of open rounds, for accounts with that right."""

    listen: str = LISTEN
    accounts: str = "pitwatch-web.db"
    cert: str = ""
    key: str = ""
    client_ca: str = ""
    hosts: list[str] = []
    live_cards: bool = False
    provider: ProviderSection = ProviderSection()

    @property
    def host(self) -> str:
        return self.listen.rpartition(":")[0].strip("[]")

    @property
    def port(self) -> int:
        return int(self.listen.rpartition(":")[2])

    @property
    def tls(self) -> bool:
        return bool(self.cert)

    @property
    def loopback(self) -> bool:
        """Whether nobody but this machine can connect."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def wrong_address(web: WebSection) -> str:
    """Why this cannot be listened on, in one line; empty if it can."""
    host, _, port = web.listen.rpartition(":")
    if not host or not (port.isascii() and port.isdigit()) or int(port) > 65_535:
        return f'{shown(web.listen)} is no address; "{LISTEN}" is right'
    if not web.loopback and not web.tls:
        return (
            f"{shown(web.listen)} is open to the network, which could read passwords; add cert and key to [web], or "
            "listen on 127.0.0.1 behind a proxy"
        )
    return ""


def read_web(sections: Sections, data: Any) -> WebSection:
    """`[web]`, its paths counted from the folder of the file; the default of `accounts` is a name in the
    working folder, as that of the archive's database. Raises ConfigError."""
    own = dict(data) if isinstance(data, dict) else data
    provider = read_provider(sections, own.pop("provider")) if isinstance(own, dict) and "provider" in own else None
    web: WebSection = sections.section(own, WebSection, "web")
    if bool(web.cert) != bool(web.key):
        raise sections.error("web", "cert and key belong together; TLS needs both")
    if web.client_ca and not web.cert:
        raise sections.error("web.client_ca", "needs cert and key: client certificates exist only with TLS")
    if why := wrong_address(web):
        raise sections.error("web.listen", why)
    for place, name in enumerate(web.hosts):
        if not HOST.match(name):
            raise sections.error(f"web.hosts[{place}]", f'{shown(name)} is no host name; "eye.example" is right')
    paths = {name: getattr(web, name) for name in ("accounts", "cert", "key", "client_ca") if name in own}
    beside = {name: str(sections.beside(path, f"web.{name}")) for name, path in paths.items() if path}
    return msgspec.structs.replace(web, **beside, provider=provider or ProviderSection())


def read_provider(sections: Sections, data: Any) -> ProviderSection:
    """Raises ConfigError."""
    found: ProviderSection = sections.section(data, ProviderSection, "web.provider")
    for name in ("issuer", "client_id", "secret_file"):
        if not getattr(found, name):
            raise sections.error(
                f"web.provider.{name}", "missing; [web.provider] needs issuer, client_id and secret_file"
            )
    if not is_by_tls(found.issuer):
        raise sections.error("web.provider.issuer", f'{shown(found.issuer)} is no address; "https://HOST/…" is right')
    beside = {
        name: str(sections.beside(path, f"web.provider.{name}"))
        for name, path in (("secret_file", found.secret_file), ("ca", found.ca))
        if path
    }
    return msgspec.structs.replace(found, **beside)


def is_by_tls(url: str) -> bool:
    """Whether an address is reached by TLS, or on this machine."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    host = parts.hostname or ""
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host)))
