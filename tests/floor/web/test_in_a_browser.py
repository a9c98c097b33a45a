"""A small dose of `make web-test`: one real browser at an open page of a real table."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.e2e.mosquitto import Mosquitto
from tests.floor.one_table import Table
from tests.floor.web.house import House
from tests.floor.web.test_live import served
from tests.web_browser import chromium

pytestmark = pytest.mark.skipif(chromium.missing() is not None, reason=str(chromium.missing()))

LIMIT_MS = 60_000


async def test_an_irregularity_comes_up_and_is_acknowledged_by_keyboard_alone(
    broker: Mosquitto, tmp_path: Path
) -> None:
    house = House(tmp_path, broker.url)
    house.account("ann", "surveillance")
    table = Table(tmp_path, broker, requests=["replay", "acknowledge"], wall=time.time())
    async with served(house) as base, chromium.browser() as browser:
        await table.daemon.start()
        try:
            page = await browser.new_page(viewport={"width": 390, "height": 800})
            page.set_default_timeout(LIMIT_MS)
            complaints = chromium.complaints(page)
            await page.goto(base)
            await page.keyboard.press("Tab")
            await page.locator("[name=name]").focus()
            await page.keyboard.type("ann")
            await page.keyboard.press("Tab")
            await page.keyboard.type("seven green felt tables")
            await page.keyboard.press("Enter")
            await page.locator("#tables a").wait_for()
            table.play(2)
            table.play(1, wrong=True)
            line = page.locator("#attention li a")
            await line.wait_for()  # without a reload
            await line.focus()
            table.play(1)
            await page.locator("#tables a", has_text="round 4").wait_for()
            assert await page.evaluate("document.activeElement.getAttribute('href')") == await line.get_attribute(
                "href"
            )
            assert not await chromium.too_wide(page)
            await page.keyboard.press("Enter")
            await page.locator("[name=note]").focus()
            await page.keyboard.type("<b>seen</b>")
            await page.keyboard.press("Enter")
            await page.locator("#done", has_text="journalled by the table").wait_for()
            assert await page.locator("#done b", has_text="seen").count() == 0
            assert not await chromium.too_wide(page)
            assert complaints == []
        finally:
            await table.daemon.stop()
