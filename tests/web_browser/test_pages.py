"""Each page with each role: at three widths, light and dark, without a finding of axe; and with the keyboard alone.

With PICTURE=1 the pictures in docs/img are made anew.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.web_browser import chromium
from tests.web_browser.floor import PASSWORD, ROLES, Floor

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

WIDTHS = (390, 1024, 1920)
SCHEMES = ("light", "dark")
LIMIT_MS = 60_000
PICTURES = Path(__file__).parents[2] / "docs" / "img"
CASES = ("viewer", "surveillance", "manager")
PAGES: dict[str, tuple[str, ...]] = {
    "/": ROLES,
    "/table/bench/RL-01": ROLES,
    "/table/bench/TC-01": ROLES,
    "/table/bench/CR-01": ROLES,
    "IRREGULARITY": CASES,
    "/cases": CASES,
    "/cases/1": CASES,
    "/history?from=2026-01-01T00:00&to=2026-01-02T00:00": CASES,
    "/reports?from=2026-01-01T00:00&to=2026-01-02T00:00": ("surveillance", "manager"),
    "/fairness": ROLES,
    "/fairness/bench/RL-01/pocket": ROLES,
    "/devices": ROLES,
    "/rules": ROLES,
    "/rules?q=ball": ROLES,
    "/rules/toledo-2020/roulette": ROLES,
    "/people": ("administrator",),
    "/audit": ("manager", "administrator"),
    "/account": ROLES,
    "/nowhere": ROLES,
}
REACHABLE = """
[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary, [tabindex="0"]')]
    .filter(each => each.checkVisibility()).length
"""
FOCUSED = """
(() => {
    const here = document.activeElement;
    if (here === document.body) return null;
    const style = getComputedStyle(here);
    window.pitwatchSeen ??= new Map();
    if (!pitwatchSeen.has(here)) pitwatchSeen.set(here, pitwatchSeen.size);
    const own = here.type === 'datetime-local';  // the button within it has the browser's own ring
    const shown = own || (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2);
    return [String(pitwatchSeen.get(here)), shown, here.outerHTML.slice(0, 80)];
})()
"""
SHOTS = {("/", 1024, "light"): "web-floor", ("IRREGULARITY", 1024, "dark"): "web-irregularity"}


async def signed_in(browser: Browser, floor: Floor, role: str) -> Page:
    context = await browser.new_context(viewport={"width": 1024, "height": 900})
    page = await context.new_page()
    page.set_default_timeout(LIMIT_MS)
    await page.goto(f"{floor.base}/sign-in")
    await page.fill("[name=name]", role)
    await page.fill("[name=password]", PASSWORD)
    await page.click("main button")
    await page.wait_for_url(f"{floor.base}/")
    return page


@pytest.mark.parametrize("role", ROLES)
async def test_every_page_fits_and_has_no_serious_finding(floor: Floor, browser: Browser, role: str) -> None:
    script = chromium.axe()
    page = await signed_in(browser, floor, role)
    complaints = chromium.complaints(page)
    wrong: list[str] = []
    for named, who in PAGES.items():
        if role not in who:
            continue
        path = floor.case() if named == "IRREGULARITY" else named
        for width in WIDTHS:
            for scheme in SCHEMES:
                await page.set_viewport_size({"width": width, "height": 900})
                await page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
                await page.goto(floor.base + path)
                if await chromium.too_wide(page):
                    wrong.append(f"{path} at {width}: wider than the window")
                if width != 1024 or scheme == "dark":
                    wrong += [f"{path} at {width}, {scheme}: {each}" for each in await chromium.severe(page, script)]
                await _keep(page, role, named, width, scheme)
    assert wrong == []
    assert [each for each in complaints if "404" not in each] == []


async def _keep(page: Page, role: str, named: str, width: int, scheme: str) -> None:
    name = SHOTS.get((named, width, scheme))
    if name and role == "surveillance" and os.environ.get("PICTURE"):
        from PIL import Image

        with Image.open(io.BytesIO(await page.screenshot())) as image:
            image.convert("RGB").quantize(64).save(PICTURES / f"{name}.png", optimize=True)


async def test_pages_before_signing_in_have_no_serious_finding(floor: Floor, browser: Browser) -> None:
    script, page = chromium.axe(), await browser.new_page()
    for scheme in SCHEMES:
        await page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        await page.goto(f"{floor.base}/sign-in")
        assert await chromium.severe(page, script) == []


async def test_the_keyboard_reaches_everything_and_shows_where_it_is(floor: Floor, browser: Browser) -> None:
    page = await signed_in(browser, floor, "surveillance")
    for path in ("/", floor.case(), "/table/bench/RL-01", "/history?from=2026-01-01T00:00&to=2026-01-02T00:00"):
        await page.goto(floor.base + path)
        wanted = int(await page.evaluate(REACHABLE))
        reached: set[str] = set()
        for _ in range(wanted + 30):  # a field for a time has several stops
            await page.keyboard.press("Tab")
            told = await page.evaluate(FOCUSED)
            if told is not None:
                assert told[1], f"{path}: no outline at {told[2]}"
                reached.add(told[0])
        assert len(reached) >= wanted, path


async def test_a_mouse_is_not_needed_to_find_an_irregularity_and_to_verify_it(floor: Floor, browser: Browser) -> None:
    page = await signed_in(browser, floor, "surveillance")
    await page.keyboard.press("Tab")
    assert await page.evaluate("document.activeElement.className") == "skip"
    await page.keyboard.press("Enter")
    await page.keyboard.press("Tab")
    assert await page.evaluate("document.activeElement.closest('#attention') !== null")
    await page.goto(floor.base + floor.case())
    await page.get_by_role("button", name="Verify the proof").focus()
    await page.keyboard.press("Enter")
    await page.get_by_text("genuine").wait_for()
    await page.get_by_role("button", name="Download the evidence package").focus()
    async with page.expect_download() as download:
        await page.keyboard.press("Enter")
    assert (await download.value).suggested_filename.startswith("bench-RL-01-")
