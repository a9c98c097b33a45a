"""Signing in by a provider of the house: OpenID Connect with the authorization code flow, PKCE, state and nonce.

The provider proves who somebody is. What they may do is decided here, by the account of that name.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import json
import secrets
import ssl
import time
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, HTTPSHandler, ProxyHandler, Request, build_opener

import joserfc.errors
from joserfc import jwt
from joserfc.jwk import KeySet

from pitwatch.floor.web.config import ProviderSection, is_by_tls

ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA"]
"""Never `none`, and never one that is signed with the client's own secret."""
PATIENCE_S = 10.0
MOST_ANSWER = 1 << 20
"""Bytes."""
UNDER_WAY_S, MOST_UNDER_WAY = 600.0, 1_000
"""For how long somebody may be at the provider, and how many at a time."""
APART_S = 120
"""Seconds by which the provider's clock may be wrong."""


class ProviderError(Exception):
    """One line for the person who wants to sign in, which tells no secret."""


class Begun(NamedTuple):
    """Of one person on the way to the provider. `browser`: the hash of the cookie that has to come back."""

    browser: str
    nonce: str
    verifier: str
    back: str
    at: float


class Provider:
    def __init__(self, section: ProviderSection):
        self._section = section
        self._begun: dict[str, Begun] = {}
        self._told: dict[str, Any] | None = None

    async def begin(self, own: str, back: str) -> tuple[str, str]:
        """Where to send the browser, and the cookie it has to keep. `own`: the address to which it comes back.
        Raises ProviderError."""
        told = await self._discovered()
        now = time.time()
        for state in [each for each, begun in self._begun.items() if now - begun.at > UNDER_WAY_S]:
            del self._begun[state]
        while len(self._begun) >= MOST_UNDER_WAY:
            del self._begun[next(iter(self._begun))]
        state, cookie, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(4))
        self._begun[state] = Begun(_hash(cookie), nonce, verifier, back, now)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        asked = {
            "response_type": "code", "client_id": self._section.client_id, "redirect_uri": own,
            "scope": "openid profile email",
            "state": state, "nonce": nonce, "code_challenge": challenge, "code_challenge_method": "S256",
        }  # fmt: skip
        joint = "&" if "?" in told["authorization_endpoint"] else "?"
        return f"{told['authorization_endpoint']}{joint}{urlencode(asked)}", cookie

    async def end(self, own: str, state: str, code: str, cookie: str) -> tuple[str, str]:
        """The name that the provider vouches for, and the page that was asked for. Raises ProviderError."""
        begun = self._begun.pop(state, None)
        if begun is None or time.time() - begun.at > UNDER_WAY_S:
            raise ProviderError("This was not begun here, or too long ago. Begin again.")
        if not secrets.compare_digest(begun.browser, _hash(cookie)):
            raise ProviderError("This was begun in another browser. Begin again.")
        told = await self._discovered()
        form = {
            "grant_type": "authorization_code", "code": code, "redirect_uri": own, "code_verifier": begun.verifier,
            "client_id": self._section.client_id, "client_secret": await asyncio.to_thread(self._secret),
        }  # fmt: skip
        answer = await self._ask(told["token_endpoint"], urlencode(form).encode())
        keys = await self._ask(told["jwks_uri"])
        return self._name(str(answer.get("id_token") or ""), keys, begun.nonce), begun.back

    def _name(self, token: str, keys: dict[str, Any], nonce: str) -> str:
        """Raises ProviderError for a token that is not the provider's, not for us, not of now or not of this visit."""
        section = self._section
        wanted = jwt.JWTClaimsRegistry(
            leeway=APART_S,
            iss={"essential": True, "value": section.issuer},
            aud={"essential": True, "value": section.client_id},
            exp={"essential": True},
            iat={"essential": True},
            nonce={"essential": True, "value": nonce},
        )
        try:
            claims = jwt.decode(token, KeySet.import_key_set(keys), algorithms=ALGORITHMS).claims  # type: ignore[arg-type]
            wanted.validate(claims)
        except (joserfc.errors.JoseError, ValueError, KeyError, TypeError) as error:
            raise ProviderError(f"The provider's answer is not valid: {type(error).__name__}.") from None
        parties = claims.get("azp")
        if parties not in (None, section.client_id) or (
            isinstance(claims["aud"], list) and len(claims["aud"]) > 1 and not parties
        ):
            raise ProviderError("The provider's answer is for another client.")
        name = claims.get(section.claim)
        if not isinstance(name, str) or not name:
            raise ProviderError(f"The provider's answer has no {section.claim}.")
        if section.claim == "email" and claims.get("email_verified") is not True:
            raise ProviderError("The provider has not verified this address.")
        return name

    async def _discovered(self) -> dict[str, Any]:
        if self._told is None:
            told = await self._ask(self._section.issuer.rstrip("/") + "/.well-known/openid-configuration")
            if told.get("issuer") != self._section.issuer:
                raise ProviderError("The provider calls itself by another name than [web.provider] issuer.")
            for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
                if not is_by_tls(str(told.get(name) or "")):
                    raise ProviderError(f"The provider names no {name} that is reached by TLS.")
            self._told = told
        return self._told

    async def _ask(self, url: str, form: bytes | None = None) -> dict[str, Any]:
        try:
            found = json.loads(await asyncio.to_thread(self._fetch, url, form))
        except (URLError, OSError, ValueError) as error:
            raise ProviderError(f"The provider cannot be asked: {type(error).__name__}.") from None
        if not isinstance(found, dict):
            raise ProviderError("The provider's answer is no object.")
        return found

    def _fetch(self, url: str, form: bytes | None) -> bytes:
        context = ssl.create_default_context(cafile=self._section.ca or None)
        opener = build_opener(HTTPSHandler(context=context), ProxyHandler({}), _NoRedirects)
        with contextlib.closing(
            opener.open(Request(url, form, {"accept": "application/json"}), timeout=PATIENCE_S)
        ) as answer:
            content: bytes = answer.read(MOST_ANSWER + 1)
        if len(content) > MOST_ANSWER:
            raise ValueError("too long")
        return content

    def _secret(self) -> str:
        try:
            return Path(self._section.secret_file).read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            raise ProviderError("The secret file of [web.provider] cannot be read.") from None


class _NoRedirects(HTTPRedirectHandler):
    """An answer of the provider leads this server nowhere else."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _hash(cookie: str) -> str:
    return hashlib.sha256(cookie.encode("utf-8", "replace")).hexdigest()
