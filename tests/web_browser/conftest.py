"""A floor for the module, and a browser for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

import pytest

from tests.web_browser import chromium
from tests.web_browser.floor import Floor, until

if TYPE_CHECKING:
    from playwright.async_api import Browser


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    if (why := chromium.missing()) is not None:
        pytest.skip(why)
    made = Floor(tmp_path_factory.mktemp("floor"))
    for name in ("broker", "archive", "web"):
        made.start(name)
    made.play()
    until(lambda: made.stored() >= 5, "the archive does not store what the bench plays")
    yield made
    made.close()


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    async with chromium.browser() as started:
        yield started
