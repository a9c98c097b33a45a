"""The table's daemon, but once the file `hang` lies in its folder, it takes it away and its loop blocks for good."""

import asyncio
import os
import sys
import time

from pitwatch.daemon import cli
from pitwatch.daemon.service import app


class Hanging(app.Daemon):
    async def start(self):
        await super().start()
        look()


def look():
    trigger = os.environ["STATE_DIRECTORY"] + "/hang"
    if os.path.exists(trigger):
        os.unlink(trigger)
        hang()
    asyncio.get_running_loop().call_later(0.2, look)


def hang():
    time.sleep(3600)


app.Daemon = Hanging
sys.exit(cli.main())
