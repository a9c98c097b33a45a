"""Keeps every message to people in one line, whatever the file or message contains that it is about."""

from __future__ import annotations

MOST = 800
"""Characters of a line for people; of a longer one the middle is left out, as what would be right stands at its end."""


def one_line(text: str, most: int = MOST) -> str:
    """The text with what would break or bend a line written as escapes, and no longer than people read."""
    if not text.isprintable():
        text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return text if len(text) <= most else f"{text[: most // 2]} … {text[-most // 2 :]}"
