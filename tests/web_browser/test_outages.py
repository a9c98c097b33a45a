"""Broker, archive and web server are killed in turn under an open page: it says so, and recovers by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.web_browser import chromium
from tests.web_browser.floor import Floor
from tests.web_browser.test_pages import signed_in

if TYPE_CHECKING:
    from playwright.async_api import Browser

LIMIT_MS = 120_000


async def test_an_open_page_tells_each_outage_and_recovers_without_a_reload(floor: Floor, browser: Browser) -> None:
    page = await signed_in(browser, floor, "surveillance")
    page.set_default_timeout(LIMIT_MS)
    await page.evaluate("window.never = 'reloaded'")
    lines = await page.locator("#attention li").count()
    assert lines > 0

    floor.kill("web")
    lost = page.locator("#lost")
    await lost.get_by_text("web server is not heard since").wait_for()
    assert "stale" in str(await page.locator("body").get_attribute("class"))
    ages = await page.locator("#attention time").first.get_attribute("data-ago")
    await page.wait_for_timeout(3_000)
    assert (
        await page.locator("#attention time").first.get_attribute("data-ago") == ages
    )  # nothing ages that is not heard
    floor.start("web")
    await lost.wait_for(state="hidden")
    assert await page.locator("body").get_attribute("class") == ""
    await page.locator("#attention li").first.wait_for()  # from the archive, which the new server asks

    floor.kill("broker")
    state = page.locator("#state")
    await state.get_by_text("No broker since").wait_for()
    await page.locator("#attention.stale").wait_for()
    floor.start("broker")
    await state.get_by_text("No broker").wait_for(state="detached")
    await page.locator("#attention:not(.stale)").wait_for()

    floor.kill("archive")
    floor.play("--seed", "2")
    await state.get_by_text("The archive lacks record").wait_for()
    floor.start("archive")
    floor.play("--seed", "3")
    await state.get_by_text("The archive lacks").wait_for(state="detached")
    assert await page.evaluate("window.never") == "reloaded"


async def test_a_page_that_is_signed_out_elsewhere_says_so(floor: Floor, browser: Browser) -> None:
    page = await signed_in(browser, floor, "viewer")
    page.set_default_timeout(LIMIT_MS)
    other = await page.context.new_page()
    await other.goto(f"{floor.base}/")
    await other.click("text=Sign out")
    await page.locator("#lost").get_by_text("You are signed out").wait_for()
    assert chromium.missing() is None
