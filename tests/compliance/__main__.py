"""Writes docs/compliance.md."""

from __future__ import annotations

from pathlib import Path

from tests.compliance.page import page

Path(__file__).parents[2].joinpath("docs", "compliance.md").write_text(page(), encoding="utf-8")
