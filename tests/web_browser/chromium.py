"""Debian's chromium under Playwright, and axe-core of npm. For tests only."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from tests.examples import npm

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

AXE = "axe-core@4.10.3"
SEVERE = ("serious", "critical")
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


def missing() -> str | None:
    """What is not there; None if a browser can be operated."""
    try:
        import playwright  # noqa: F401
    except ModuleNotFoundError:
        return "playwright is not installed"
    return None if program() else "chromium is not installed"


def program() -> str | None:
    return next((path for name in PROGRAMS if (path := shutil.which(name))), None)


@contextlib.asynccontextmanager
async def browser() -> AsyncIterator[Browser]:
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(
            executable_path=program(), args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        )
        try:
            yield started
        finally:
            await started.close()


def complaints(page: Page) -> list[str]:
    """What the browser complains of on this page from now on: errors of scripts, what the policy refuses."""
    found: list[str] = []
    page.on("console", lambda message: found.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: found.append(str(error)))
    return found


def axe() -> str:
    """The script."""
    return (npm.installed(AXE) / "node_modules" / "axe-core" / "axe.min.js").read_text()


async def severe(page: Page, script: str) -> list[str]:
    """Serious and critical findings of axe. The page's policy refuses inline scripts, so it runs as the debugger's."""
    await page.evaluate(script)
    told: dict[str, Any] = await page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{each['id']}: {each['help']}: {[node['target'] for node in each['nodes']][:3]}"
        for each in told["violations"]
        if each["impact"] in SEVERE
    ]


async def too_wide(page: Page) -> bool:
    return bool(await page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))
