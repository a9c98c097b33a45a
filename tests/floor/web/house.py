"""A web server of a floor in this process, and browsers that ask it without a network. For tests only."""

from __future__ import annotations

import re
from pathlib import Path
from types import MappingProxyType
from typing import Any

import argon2
import httpx
import msgspec

from pitwatch.floor.config import ArchiveSection, FloorConfig, default
from pitwatch.floor.evidence.config import EvidenceSection
from pitwatch.floor.pits import Pits
from pitwatch.floor.web import passwords
from pitwatch.floor.web.app import application
from pitwatch.floor.web.config import WebSection
from pitwatch.floor.web.door import cookie_name
from pitwatch.floor.web.parts import Parts

passwords._hasher = argon2.PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)  # what is strong is slow
PASSWORD = "seven green felt tables"
HASH = passwords.hashed(PASSWORD)
BASE = "http://127.0.0.1:8470"


class House:
    """Nobody is heard: no broker is there unless `url` names one."""

    def __init__(
        self,
        folder: Path,
        url: str = "mqtt://127.0.0.1:1",
        database: str = "",
        pits: Pits = MappingProxyType({}),
        **web: Any,
    ):
        config = default(url)
        self.config: FloorConfig = msgspec.structs.replace(
            config,
            archive=ArchiveSection(database=database) if database else config.archive,
            names_archive=bool(database),
            evidence=EvidenceSection(key=str(folder / "evidence.key")),
            pits=pits,
            web=WebSection(accounts=str(folder / "web.db"), **web),
        )
        self.parts = Parts(self.config, None)
        self.app = application(self.parts)

    def account(self, name: str, *roles: str) -> None:
        self.parts.accounts.put(name, roles, HASH)

    def browser(self, name: str = "", address: str = "127.0.0.1") -> Browser:
        """Signed in as an account, or as nobody."""
        secret = self.parts.sessions.begin(name, "password", address) if name else ""
        return Browser(self, secret, address)


class Browser:
    """Keeps cookies, follows no redirect, and sends what is in a form with it."""

    def __init__(self, house: House, secret: str, address: str):
        scheme = "https" if house.parts.web.tls else "http"
        self.client = httpx.AsyncClient(
            transport=httpx.ASGITransport(house.app, raise_app_exceptions=False, client=(address, 40_000)),
            base_url=BASE.replace("http", scheme, 1),
        )
        self.cookie = cookie_name(house.parts)
        if secret:
            self.hold(secret)

    @property
    def held(self) -> str:
        """The session in the cookie; empty without one."""
        return self.client.cookies.get(self.cookie) or ""

    def hold(self, secret: str) -> None:
        self.client.cookies.delete(self.cookie) if self.held else None
        self.client.cookies.set(self.cookie, secret, domain="127.0.0.1")

    async def get(self, path: str, **more: Any) -> httpx.Response:
        return await self.client.get(path, **more)

    async def csrf(self, path: str = "/account") -> str:
        found = re.search(r'name="csrf" value="([^"]*)"', (await self.get(path)).text)
        return found[1] if found else ""

    async def post(
        self, path: str, on: str = "/account", headers: dict[str, str] | None = None, **fields: Any
    ) -> httpx.Response:
        """As the form on the page `on` would be sent; `csrf=None` leaves its secret out."""
        fields.setdefault("csrf", await self.csrf(on) if "csrf" not in fields else "")
        data = {key: value for key, value in fields.items() if value is not None}
        return await self.client.post(path, data=data, headers=headers)

    async def sign_in(self, name: str, password: str = PASSWORD, **more: Any) -> httpx.Response:
        return await self.post("/sign-in", on="/sign-in", name=name, password=password, **more)
