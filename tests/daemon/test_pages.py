"""Pages for a terminal."""

from __future__ import annotations

from pitwatch.daemon.common.pages import Page


def test_a_name_too_long_for_its_column_stands_above_its_text() -> None:
    page = Page(width=40, bold=False)
    page.field("short", "text beside it", column=8)
    page.field("rather-long", "text below it", column=8)
    page.field("empty", "")
    assert str(page).splitlines() == ["  short   text beside it", "  rather-long", "          text below it"]
