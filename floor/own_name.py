"""The name of a subscriber at the broker, which its access list contains and its requests use."""

from __future__ import annotations

import subprocess

from pitwatch.daemon.config.sections import NAME
from pitwatch.daemon.publishing.broker_client import Credentials


def own_name(credentials: Credentials) -> str:
    """The user name, or the name in the certificate; empty where the broker knows none, or none that a topic can have.
    May take a moment: openssl reads the certificate. Never raises."""
    name = credentials.username or (_common_name(credentials.cert) if credentials.cert else "")
    return name if NAME.match(name) else ""


def _common_name(certificate: str) -> str:
    try:
        done = subprocess.run(
            ["openssl", "x509", "-noout", "-subject", "-nameopt", "multiline,utf8", "-in", certificate],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=10,
        )
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return ""
    names = [line.partition("=")[2].strip() for line in done.stdout.splitlines() if "commonName" in line]
    return names[-1] if names else ""
