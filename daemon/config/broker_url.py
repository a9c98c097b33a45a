"""Addresses of the broker: mqtt:// and mqtts://. Opens nothing."""

from __future__ import annotations

from urllib.parse import urlsplit

import msgspec

PORTS = {"mqtt": 1883, "mqtts": 8883}


class BrokerAddress(msgspec.Struct, frozen=True):
    host: str
    port: int
    tls: bool


def parse_broker_url(url: str) -> BrokerAddress:
    """The address a URL names. Raises ValueError in one line."""
    right = "mqtt://HOST[:1883] or mqtts://HOST[:8883] is right"
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise ValueError(f'"{url}" is no broker address ({error}); {right}') from None
    if not url.isprintable() or " " in url:  # which urlsplit would pass over
        raise ValueError(f"{url!r} has a character that no address has; {right}")
    if parts.scheme not in PORTS:
        raise ValueError(f'"{url}" is no broker address; {right}')
    if parts.username is not None or parts.password is not None:
        raise ValueError("credentials do not belong in the address; use username and password_file")
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise ValueError(f'"{url}" has more than a host and a port; {right}')
    try:
        port = parts.port
    except ValueError:
        raise ValueError(f'"{url}" has no usable port; 1 to 65535 is right') from None
    if not parts.hostname or port == 0:
        raise ValueError(f'"{url}" lacks {"a usable port" if parts.hostname else "a host"}; {right}')
    return BrokerAddress(parts.hostname, port or PORTS[parts.scheme], parts.scheme == "mqtts")
