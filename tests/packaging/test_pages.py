"""The manual page and the completion know every command; the package itself is built by `make deb-test`."""

from __future__ import annotations

import gzip
import importlib.util
import re
from pathlib import Path

from pitwatch.daemon.cli import commands

PAGES = Path(__file__).parents[2] / "systemd" / "deb" / "pages.py"


def test_every_command_is_in_the_page_and_the_completion(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")  # which the page must not be as narrow as
    spec = importlib.util.spec_from_file_location("pages", PAGES)
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    pages.write_pages(tmp_path, "0.2.0+git.912.1a2b3c4")
    page = gzip.decompress((tmp_path / "usr/share/man/man1/pitwatch.1.gz").read_bytes()).decode()
    assert re.findall(r"^\.SH *$", page, re.MULTILINE) == []
    shells = [(tmp_path / name).read_text() for name in pages.COMPLETIONS.values()]
    assert "0.2.0+git.912.1a2b3c4" in page.splitlines()[0]
    for name in commands():
        assert re.search(rf"^\.SH COMMAND .*'pitwatch {name}'", page, re.MULTILINE)
        assert all(name in text for text in shells)
