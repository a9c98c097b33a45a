"""A small provider of OpenID Connect over HTTP: discovery, keys, tokens for codes with PKCE. For tests only."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

from joserfc import jwt
from joserfc.jwk import ECKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

CLIENT, SECRET = "pitwatch", "a secret of the client"


class OpenId:
    """`issue` is what happens at the provider's own pages: somebody signs in there. `twist` changes the claims, `sign`
    makes the token."""

    def __init__(self) -> None:
        self.issuer = ""
        self.key: Any = ECKey.generate_key("P-256", {"kid": "1", "use": "sig"})
        self.sign: Callable[[dict[str, Any]], str] = lambda claims: jwt.encode(
            {"alg": "ES256", "kid": "1"}, claims, self.key
        )
        self.twist: dict[str, Any] = {}
        self._codes: dict[str, tuple[dict[str, str], dict[str, Any]]] = {}
        self.app = Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self._discover),
                Route("/keys", self._keys),
                Route("/token", self._token, methods=["POST"]),
            ]
        )

    def issue(self, asked: dict[str, str], code: str = "code-1", **claims: Any) -> str:
        """A code for what the browser was sent with."""
        self._codes[code] = (asked, claims)
        return code

    async def _discover(self, request: Request) -> Response:
        ends = {"authorization_endpoint": "/authorize", "token_endpoint": "/token", "jwks_uri": "/keys"}
        return JSONResponse({"issuer": self.issuer} | {name: self.issuer + path for name, path in ends.items()})

    async def _keys(self, request: Request) -> Response:
        return JSONResponse({"keys": [self.key.as_dict(private=False)]})

    async def _token(self, request: Request) -> Response:
        form = {name: values[0] for name, values in parse_qs((await request.body()).decode()).items()}
        asked, claims = self._codes.pop(form.get("code", ""), ({}, {}))
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest()).rstrip(
            b"="
        )
        right = (
            asked
            and challenge.decode() == asked["code_challenge"]
            and form.get("redirect_uri") == asked["redirect_uri"]
            and (form.get("client_id"), form.get("client_secret")) == (CLIENT, SECRET)
        )
        if not right:
            return JSONResponse({"error": "invalid_grant"}, 400)
        now = int(time.time())
        told = {"iss": self.issuer, "aud": CLIENT, "exp": now + 60, "iat": now, "nonce": asked["nonce"], "sub": "1"}
        token = self.sign(told | claims | self.twist)
        return JSONResponse({"id_token": token, "access_token": "x", "token_type": "Bearer"})


def by_hand(claims: dict[str, Any], algorithm: str, secret: bytes) -> str:
    """A token as no library makes it: signed with nothing, or with the public key as if it were a secret."""
    parts = [json.dumps({"alg": algorithm, "kid": "1"}).encode(), json.dumps(claims).encode()]
    text = b".".join(base64.urlsafe_b64encode(part).rstrip(b"=") for part in parts)
    mac = hmac.digest(secret, text, "sha256") if algorithm == "HS256" else b""
    return (text + b"." + base64.urlsafe_b64encode(mac).rstrip(b"=")).decode()
