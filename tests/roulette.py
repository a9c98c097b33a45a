"""The file of a roulette table, RL-07 at Toledo with a Slingshot wheel, which most tests start from. For tests only."""

from __future__ import annotations

import json


def roulette(link: str, broker: str | list[str] = "", journal: str = "") -> str:
    """`link`: the wheel's. Without a broker or a journal their sections are left out. Tests let every ball come to rest
    on one number, which would be suspected."""
    parts = ['[table]\nsite = "toledo"\nid = "RL-07"\ngame = "toledo-2020/roulette"\n[statistics]\nwatch = false\n']
    if broker:
        parts.append(f"[mqtt]\nurl = {json.dumps(broker)}\n")
    if journal:
        parts.append(f'[journal]\npath = "{journal}"\n')
    return "".join(parts) + wheel("wheel", link)


def wheel(name: str, link: str) -> str:
    return f'[[device]]\nid = "{name}"\ntype = "wheel"\nlink = "{link}"\nprotocol = "slingshot2"\n'


def lid(link: str) -> str:
    """The switch of the enclosure."""
    lines = '{ lid = { chip = "c", line = 1 } }'
    return f'[[device]]\nid = "lid"\ntype = "enclosure"\nlink = "{link}"\nprotocol = "lines"\nlines = {lines}\n'
