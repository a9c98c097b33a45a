"""The section `[timestamp]` of a FLOOR.toml: which authority stamps the heads of the tables (RFC 3161)."""

from __future__ import annotations

from typing import Any

import msgspec

from pitwatch.daemon.config.sections import Sections, shown


class TimestampSection(msgspec.Struct, frozen=True, kw_only=True):
    """`url` of the authority, empty: none; `ca`: a PEM file with the certificates that vouch for it."""

    url: str = ""
    ca: str = ""


def read_timestamp(sections: Sections, data: Any) -> TimestampSection:
    """The section as it stands in the file, `ca` as a path from here. Raises ConfigError."""
    section: TimestampSection = sections.section(data, TimestampSection, "timestamp")
    if not section.url.startswith(("http://", "https://")):
        raise sections.error(
            "timestamp.url", f"{shown(section.url)} is no authority; http://HOST/PATH or https://HOST/PATH is right"
        )
    if not section.ca:
        raise sections.error(
            "timestamp.ca", "missing; name the PEM file of the certificates that vouch for the authority"
        )
    return TimestampSection(url=section.url, ca=str(sections.beside(section.ca, "timestamp.ca")))
