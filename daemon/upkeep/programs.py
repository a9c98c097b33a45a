"""Other programs of the board: systemctl, apt-get, dpkg-query, and `pitwatch` itself as the daemon's user.

No shell: each word is one argument. Nothing waits for ever, and no output is kept beyond its end.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pitwatch.rules.text.one_line import one_line

MOST_SHOWN = 400
"""Characters of a program's last words."""


class Done(NamedTuple):
    code: int
    out: bytes
    said: str
    """The end of what it wrote, in one line."""


def program(words: Sequence[str], limit_s: float, owner: Path | None = None) -> Done:
    """Run a program to its end, in a folder that every user may enter. `owner`: as the user whose folder this is, if we
    are root. A program that is missing or takes longer than `limit_s` seconds has code 127 or 124."""
    user: dict[str, object] = {}
    if owner is not None and os.geteuid() == 0 and (there := owner.stat()).st_uid != 0:
        user = {"user": there.st_uid, "group": there.st_gid, "extra_groups": []}
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(  # type: ignore[call-overload]
            list(words),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=limit_s,
            env=environment,
            cwd="/",
            **user,
        )
    except subprocess.TimeoutExpired:
        return Done(124, b"", f"{words[0]} did not end within {limit_s:.0f} s")
    except OSError as error:
        return Done(127, b"", f"{words[0]}: {error.strerror}")
    told = done.stderr.strip() or done.stdout.strip()
    return Done(done.returncode, done.stdout, one_line(told.decode(errors="replace")[-MOST_SHOWN:]))
