"""The command-line options for brokers, the same for every command of a floor."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from shlex import quote

import msgspec

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.config.sections import NO_PREFIX, is_prefix
from pitwatch.daemon.doctor.secrets import loose
from pitwatch.floor import config
from pitwatch.floor.config import FloorConfig

OVERRIDES = ("ca", "cert", "key", "username", "password_file", "prefix")


def add_broker_options(parser: argparse.ArgumentParser) -> None:
    """Add FLOOR.toml and the options that replace it."""
    parser.add_argument(
        "floor", metavar="FLOOR.toml", nargs="?", help="a floor's configuration, with [mqtt] as in a table's"
    )
    parser.add_argument(
        "--broker",
        metavar="URL",
        action="append",
        help="mqtt://HOST[:PORT] or mqtts://…; repeat for further addresses (default: mqtt://127.0.0.1:1883)",
    )
    for name, told in (
        ("ca", "certificate of the authority that signed the broker's certificate"),
        ("cert", "this client's certificate"),
        ("key", "key of that certificate, a file of mode 600"),
        ("username", "user name"),
        ("password-file", "file with the password, mode 600"),
        ("prefix", "topic levels before the site (default: pitwatch/1)"),
    ):
        parser.add_argument(f"--{name}", metavar="FILE" if name not in ("username", "prefix") else "TEXT", help=told)


def floor_config(args: argparse.Namespace) -> FloorConfig:
    """The file, with the values of the options. A secret that others may read is reported on stderr. Raises
    UsageError."""
    floor = config.load(args.floor) if args.floor else config.default()
    settings = {name: getattr(args, name) for name in OVERRIDES if getattr(args, name) is not None}
    if args.broker:
        settings["url"] = args.broker
    mqtt = msgspec.structs.replace(floor.mqtt, **settings)
    try:
        mqtt.addresses  # noqa: B018  looked at once, here, where a mistake can be reported
    except ValueError as error:
        raise UsageError(f"--broker: {error}") from None
    if not is_prefix(mqtt.prefix):
        raise UsageError(f'--prefix "{mqtt.prefix}" {NO_PREFIX}')
    if bool(mqtt.cert) != bool(mqtt.key):
        raise UsageError("--cert and --key belong together; a client certificate needs both")
    for name in ("key", "password_file"):
        if (path := getattr(mqtt, name)) and loose(Path(path)):
            print(f"warning: {path}: others may read it; chmod 600 {quote(path)}", file=sys.stderr)
    return msgspec.structs.replace(floor, mqtt=mqtt)
