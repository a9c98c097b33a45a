"""The table's daemon, but its loop blocks for good once the file /etc/bench/hang is there."""

import asyncio
import os
import sys
import time

import daemon.app
from daemon import cli


class Hanging(daemon.app.Daemon):
    async def start(self):
        await super().start()
        look()


def look():
    if os.path.exists("/etc/bench/hang"):
        hang()
    asyncio.get_running_loop().call_later(0.2, look)


def hang():
    time.sleep(3600)


daemon.app.Daemon = Hanging
sys.exit(cli.main())
