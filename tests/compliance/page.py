"""docs/compliance.md from clauses.toml: clause, what is proven, by which command and test, and what is not."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

CLAUSES = Path(__file__).with_name("clauses.toml")
READ = {"text": "", "excerpt": " †", "unread": " ‡"}
"""How much of a clause was read, and its mark on the page."""

HEAD = """# Compliance

This page is for those who examine a house, and for laboratories. It lists clauses, what Pitwatch proves for each, the
command that shows it, the test that tries it, and what Pitwatch **does not** do. `make compliance` generates it from
`tests/compliance/clauses.toml`; a test refuses a row whose command or test does not exist.

A house complies, not a program, and this page is no legal advice: read the clause in force. Requirements are in our
words. Without a mark, the text of the clause was read. † marks a clause of which only an excerpt, a summary or a draft
was read. ‡ marks a clause that was not read.
"""


def sources() -> list[dict[str, Any]]:
    """The sources with their clauses, as in the file."""
    found: list[dict[str, Any]] = tomllib.loads(CLAUSES.read_text(encoding="utf-8"))["source"]
    return found


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for source in sources():
        parts.append(f"\n## {source['name']}\n\nRead: {source['from']}.\n\n")
        parts.append("| clause | requires | Pitwatch proves | command | does not | test |\n|---|---|---|---|---|---|\n")
        for each in source["clause"]:
            shown = [
                each["clause"] + READ[each["read"]],
                each["requires"],
                each["proves"],
                "<br>".join(f"`{command}`" for command in each["run"]) or "-",
                each["not"],
                "<br>".join(f"`{test}`" for test in each["tests"]),
            ]
            parts.append("| " + " | ".join(shown) + " |\n")
    return "".join(parts)
