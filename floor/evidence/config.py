"""`[timestamp]` and `[evidence]` of a FLOOR.toml: who stamps signed heads (RFC 3161), which key signs packages."""

from __future__ import annotations

from typing import Any

import msgspec

from pitwatch.daemon.config.sections import Sections, shown


class TimestampSection(msgspec.Struct, frozen=True, kw_only=True):
    """`url` of the authority, empty: none; `ca`: a PEM file with the certificates that vouch for it."""

    url: str = ""
    ca: str = ""


class EvidenceSection(msgspec.Struct, frozen=True, kw_only=True):
    """`key` signs the packages that are made at the archive; it is made once, in a file of mode 600."""

    key: str = "pitwatch-evidence.key"


def read_evidence(sections: Sections, data: Any) -> EvidenceSection:
    """The section as it stands in the file, `key` as a path from here. Raises ConfigError."""
    section: EvidenceSection = sections.section(data, EvidenceSection, "evidence")
    return EvidenceSection(key=str(sections.beside(section.key, "evidence.key")))


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
