"""The manual page and the shells' completion, from the command line's own arguments."""

from __future__ import annotations

import gzip
import os
import re
from pathlib import Path

import shtab
from argparse_manpage.manpage import Manpage

from pitwatch.daemon.cli import commands, parser_of

COMPLETIONS = {
    "bash": "usr/share/bash-completion/completions/pitwatch",
    "zsh": "usr/share/zsh/vendor-completions/_pitwatch",
}


def write_pages(root: Path, version: str) -> None:
    """Below `root`, as Debian lays them out."""
    os.environ["COLUMNS"] = "100"  # argparse breaks lines as wide as the terminal is
    parser, _ = parser_of(commands())
    about = {
        "project_name": "pitwatch",
        "version": version,
        "manual_title": "Pitwatch",
        "description": "watches a casino table and checks the game against the house's rules",
    }
    page = str(Manpage(parser, about, format="pretty"))
    page = re.sub(r"^\.SH *$", ".SH COMMANDS", page, flags=re.MULTILINE)  # the list of commands has no title in --help
    compress(root / "usr/share/man/man1/pitwatch.1.gz", page)
    for shell, name in COMPLETIONS.items():
        parser, _ = parser_of(commands())
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(shtab.complete(parser, shell=shell) + "\n")


def compress(path: Path, text: str) -> None:
    """Without a name and a time of its own: the same text gives the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
