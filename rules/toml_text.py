"""Reads TOML that somebody wrote. Knows no key of any file.

The library's reader has two other ways of giving up than its own error: tables or lists nested deeper than the
interpreter goes, and whole numbers of more digits than it reads.
"""

from __future__ import annotations

import tomllib
from typing import Any


def parse(text: str) -> dict[str, Any]:
    """The table in the text. Raises tomllib.TOMLDecodeError, whatever is wrong."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise tomllib.TOMLDecodeError("nested too deep") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:
        raise tomllib.TOMLDecodeError("a whole number of too many digits") from None
