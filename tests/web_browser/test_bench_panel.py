"""The bench's page in a real browser: by keyboard, at every width, light and dark. Makes the picture of docs/bench.md.

Needs Chromium and playwright (`make web-test`); skipped where they are not."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.panel_client import PanelRun

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: make web-test")
expect = playwright.expect
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
if CHROMIUM is None:
    pytest.skip("no Chromium: apt install chromium", allow_module_level=True)

ROOT = Path(__file__).parents[2]
TABLES = ROOT / "sim_hw" / "tables"
PICTURE = ROOT / "docs" / "img" / "bench-panel.png"
WIDTHS = (390, 768, 1024, 1280, 1440, 1920)
WITHIN = 60_000


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    expect.set_options(timeout=WITHIN)
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def run() -> Iterator[PanelRun]:
    bench = PanelRun("RL-01", "--panel", "--speed", "12")
    try:
        yield bench
        assert bench.end() == 0, bench.output
    finally:
        bench.process.kill()


@pytest.fixture
def page(chromium: Any, run: PanelRun) -> Iterator[Any]:
    """The page, which complains of nothing: no error of the script, nothing that its policy forbids."""
    page = chromium.new_page(viewport={"width": 1600, "height": 900})
    complaints: list[str] = []

    def complain(message: Any) -> None:
        if message.type == "error" and "409" not in message.text:  # what the bench refuses is told on the page
            complaints.append(message.text)

    page.on("console", complain)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{run.address}/#{run.token}")
    page.set_default_timeout(WITHIN)
    page.wait_for_selector("#wire li")
    yield page
    page.close()
    assert complaints == []


def picture(screenshot: bytes) -> None:
    """The picture of the page, in few colours: it is in the repository."""
    from PIL import Image

    with Image.open(io.BytesIO(screenshot)) as image:
        image.convert("RGB").quantize(64).save(PICTURE, optimize=True)


def test_a_wrong_spin_by_hand_is_reported_on_the_page(page: Any, run: PanelRun) -> None:
    expect(page.locator("#rounds li").first).to_be_visible()
    expect(page.locator("#status")).to_have_text("ready")
    page.get_by_role("button", name="Let the dealer rest: deal by hand").press("Enter")
    launch = page.locator("form").filter(has=page.get_by_role("button", name="Launch the ball"))
    expect(page.locator("#doing")).to_contain_text("The dealer rests")
    page.locator("#speed").select_option("2")
    page.locator("#speed").blur()
    launch.get_by_label("ball runs").select_option("with the rotor")
    launch.get_by_role("button").press("Enter")
    found = page.locator("#irregularities .irregularity", has_text="The ball is spun in the direction of the wheel")
    for told in ("toledo-2020/roulette/same-direction-spin", "lines 1658", "▲ ALERT"):
        expect(found).to_contain_text(told)
    ball = run.browser.verdicts("irregularity")[0]["observed"]["ball"]
    way = {"cw": "clockwise", "ccw": "counter-clockwise"}[ball]
    expect(page.locator("figure.wheel p").first).to_contain_text(f"ball on the rim, {way};")
    if os.environ.get("PICTURE"):
        picture(page.screenshot())
        assert PICTURE.stat().st_size < 150_000
    page.get_by_role("button", name="no spin").press("Enter")
    page.get_by_role("button", name="Take the ball out, void the spin").press("Enter")
    expect(page.locator("figure.wheel p").first).to_contain_text("ball in hand")


def test_a_plug_is_pulled_and_put_in_again(page: Any) -> None:
    page.locator("#speed").select_option("12")
    wheel = page.locator("figure.wheel")
    expect(wheel).to_contain_text("plugged in")
    page.get_by_role("button", name="Pull the plug").first.press("Enter")
    expect(wheel).to_contain_text("unplugged")
    expect(page.locator("#irregularities li", has_text="device off line").first).to_be_visible()
    page.get_by_role("button", name="Plug it in").press("Enter")
    expect(wheel).to_contain_text("plugged in")


def test_what_cannot_be_done_is_said(page: Any) -> None:
    motor = page.locator("form").filter(has=page.get_by_role("button", name="Set the motor"))
    motor.evaluate("form => form.noValidate = true")
    motor.get_by_label("rpm").fill("99")
    motor.get_by_role("button").press("Enter")
    expect(page.locator("#notice")).to_have_text("rpm: '99' is not from 0 to 30")


def test_a_capture_is_saved(page: Any) -> None:
    with page.expect_download() as begun:
        page.get_by_role("button", name="Save capture").press("Enter")
    assert begun.value.suggested_filename == "RL-01.jsonl"
    first = Path(begun.value.path()).read_text().splitlines()[0]
    assert '"levels"' in first


OUTSIDE = """() => [...document.querySelectorAll('button, select, input, figure, #lists section')]
    .filter((each) => each.offsetParent && each.getBoundingClientRect().right > innerWidth + 1)
    .map((each) => each.outerHTML)"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_cut_off_at_any_width(page: Any, width: int, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    for tab in page.locator("#tabs button").all():
        tab.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(OUTSIDE) == []


CONTROLS = """() => [...document.querySelectorAll('button, select, input, summary, [tabindex="0"]')]
    .filter((each) => each.offsetParent && !each.disabled).length"""
REACHED = """() => {
    const each = document.activeElement;
    each.dataset.seen ??= String(Math.random());
    return each.matches(':focus-visible') ? each.dataset.seen : '';
}"""


def test_every_control_is_reached_by_keyboard(page: Any) -> None:
    """And shows that it is; the lists too, so that they can be scrolled."""
    wanted = page.evaluate(CONTROLS)
    reached = set()
    for _ in range(wanted + 20):
        page.keyboard.press("Tab")
        reached.add(page.evaluate(REACHED))
    assert len(reached - {""}) >= wanted - 2  # a control may become usable or not meanwhile


def test_a_wrong_token_shows_why_and_no_table(chromium: Any, run: PanelRun) -> None:
    page = chromium.new_page()
    for token, says in (("#wrong", "the token is missing or wrong"), ("", "The token is missing")):
        page.goto("about:blank")
        page.goto(f"{run.address}/{token}")
        expect(page.locator("#notice")).to_contain_text(says)
        assert page.locator("figure").count() == 0
    page.close()
