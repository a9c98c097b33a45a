"""The command line's door: who works at this machine, as something other than himself proves it.

With a client certificate in FLOOR.toml it is the name in it, if the house's authority signed it and its key is here.
Else it is the account of the operating system, by its number and not by what the environment says.
"""

from __future__ import annotations

import os
import platform
import pwd
import subprocess

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.journal.signing import SigningError, openssl
from pitwatch.daemon.publishing.broker_client import Credentials
from pitwatch.floor.cases.identity import Identity
from pitwatch.floor.own_name import own_name

PATIENCE = 20.0
"""Seconds that openssl may take."""


def identity(mqtt: Credentials) -> Identity:
    """Of whoever runs this program. `mqtt`: the section of FLOOR.toml. Raises UsageError."""
    try:
        return Identity(_certified(mqtt), "certificate") if mqtt.cert else system_account()
    except ValueError as error:
        raise UsageError(f"nobody can be named as the author: {error}") from None


def system_account() -> Identity:
    """USER@HOST of this process. Raises ValueError for a name that none can have."""
    number = os.getuid()
    try:
        user = pwd.getpwuid(number).pw_name
    except KeyError:
        user = f"user {number}"
    return Identity(f"{user}@{platform.node() or 'localhost'}", "system")


def _certified(mqtt: Credentials) -> str:
    """The name in the certificate. Raises UsageError unless it is genuine and its key is here."""
    cert, key, ca = mqtt.cert or "", mqtt.key or "", mqtt.ca or ""
    if not ca:
        raise UsageError(f"{cert}: needs ca in [mqtt]: the house's authority proves whose certificate this is")
    try:
        done = subprocess.run(
            ["openssl", "verify", "-CAfile", ca, "-purpose", "sslclient", cert],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        if done.returncode:
            why = [line for line in done.stderr.splitlines() if line.startswith("error ")]
            told = why[0].partition(": ")[2] if why else "openssl verify refuses it"
            raise UsageError(f"{cert}: is no certificate of {ca}: {told}")
        of_cert = openssl(["x509", "-in", cert, "-noout", "-pubkey"])
        of_key = openssl(["pkey", "-in", key, "-passin", "pass:", "-pubout"])
    except SigningError as error:
        raise UsageError(f"{key}: the key of {cert} cannot be used: {error}") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"openssl cannot be run: {error}") from None
    if of_cert != of_key:
        raise UsageError(f"{key}: is the key of another certificate than {cert}")
    name = own_name(mqtt)
    if not name:
        raise UsageError(f"{cert}: has no name that the broker could know")
    return name
