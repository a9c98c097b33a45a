"""`pitwatch onvif`: publishes what a floor's tables report as ONVIF events over MQTT, for a video management system."""

from __future__ import annotations

import argparse
import asyncio
import contextlib

from pitwatch.daemon.common.ending import cancel_when_told
from pitwatch.daemon.service.logs import log_on_stderr
from pitwatch.floor.config import FloorConfig
from pitwatch.floor.options import add_broker_options, floor_config

COMMAND = {"name": "onvif", "turn": 125, "help": "pass irregularities and alerts on as ONVIF events over MQTT"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Publishes irregularities, alerts and the status of every table as ONVIF events (onvif-ej) over MQTT, until it "
        "is stopped; [onvif] of FLOOR.toml says where. docs/video.md lists topics and fields."
    )
    add_broker_options(parser)
    parser.add_argument("--json", action="store_true", help="log as JSON lines")


def run(args: argparse.Namespace) -> int:
    config = floor_config(args)
    with log_on_stderr(args.json):
        return asyncio.run(_bridge(config))


async def _bridge(config: FloorConfig) -> int:
    from pitwatch.floor.onvif.bridge import Bridge

    task = asyncio.current_task()
    assert task is not None
    cancel_when_told(task)
    with contextlib.suppress(asyncio.CancelledError):
        await Bridge(config.mqtt, config.onvif).run()
    return 0
