"""A signing key in a PKCS#11 token, as `[journal] key` names it: a URI of RFC 7512. Opens nothing.

pkcs11:token=board;object=pitwatch?module-path=/usr/lib/softhsm/libsofthsm2.so&pin-source=file:/etc/pitwatch/RL-07/pin
"""

from __future__ import annotations

from urllib.parse import unquote, unquote_to_bytes

import msgspec

SCHEME = "pkcs11:"
PATH_KEYS = ("token", "serial", "object", "id", "type")
QUERY_KEYS = ("module-path", "pin-source")
EXAMPLE = "pkcs11:token=NAME;object=NAME?module-path=/LIBRARY.so&pin-source=file:/PIN.FILE"


class TokenKey(msgspec.Struct, frozen=True, kw_only=True):
    """Which token, by label or serial number; which key in it, by label or id (hex); "" is any. `module` is the
    token's PKCS#11 library, `pin_file` holds the user's PIN, "" for a token that needs none."""

    token: str = ""
    serial: str = ""
    object: str = ""
    id: str = ""
    module: str
    pin_file: str = ""

    def __str__(self) -> str:
        """Without module and PIN."""
        named = {"token": self.token, "serial": self.serial, "object": self.object, "id": self.id}
        return " ".join(f"{key} {value}" for key, value in named.items() if value)


def parse(uri: str) -> TokenKey:
    """Raises ValueError: one line, what is wrong and what is right."""
    if not uri.startswith(SCHEME):
        raise ValueError(f"is no PKCS#11 URI; {EXAMPLE} is right, or tpm2:HANDLE. Without them, leave the key out")
    path, _, query = uri.removeprefix(SCHEME).partition("?")
    found = _attributes(path, ";", PATH_KEYS)
    asked = _attributes(query, "&", QUERY_KEYS)
    if found.get("type", "private") != "private":
        raise ValueError(f"type={found['type']} is not the key that signs; type=private is right")
    if not (found.get("token") or found.get("serial")):
        raise ValueError(f"names no token; {EXAMPLE} is right")
    if not (found.get("object") or found.get("id")):
        raise ValueError(f"names no key in the token; {EXAMPLE} is right")
    module, pin = asked.get("module-path", ""), asked.get("pin-source", "").removeprefix("file:")
    if pin.startswith("//"):
        pin = pin.removeprefix("//")
    for key, value in (("module-path", module), ("pin-source", pin)):
        if key in asked and not value.startswith("/"):
            raise ValueError(f"{key} is no absolute path; {EXAMPLE} is right")
    if not module:
        raise ValueError(f"names no module, the token's PKCS#11 library; {EXAMPLE} is right")
    return TokenKey(
        token=found.get("token", ""),
        serial=found.get("serial", ""),
        object=found.get("object", ""),
        id=found.get("id", ""),
        module=module,
        pin_file=pin,
    )


def _attributes(text: str, between: str, known: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in text.split(between) if text else ():
        key, equals, value = part.partition("=")
        if key == "pin-value":
            raise ValueError("has the PIN itself, which others may read here; pin-source=file:/PIN.FILE is right")
        if key not in known:
            raise ValueError(f"attribute {key[:40]!a} is not known here; known: {', '.join(known)}")
        if not equals or not value:
            raise ValueError(f"attribute {key} has no value; {EXAMPLE} is right")
        if key in found:
            raise ValueError(f"has {key} twice; once is right")
        try:
            found[key] = unquote_to_bytes(value).hex() if key == "id" else unquote(value, errors="strict")
        except UnicodeDecodeError:
            raise ValueError(f"{key} is not UTF-8 text") from None
        if "\0" in found[key]:
            raise ValueError(f"{key} holds a zero character; leave it out")
    return found
