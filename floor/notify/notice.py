"""One notification: what every receiver gets, and the same in words. Pure."""

from __future__ import annotations

import msgspec

from pitwatch.rules.text.one_line import one_line

MOST_SUBJECT = 150


class Notice(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`id` is the same each time it is sent, so that a receiver can drop what comes twice. `reason`: `opened`,
    `raised`, `ended`, `taken`, `closed`, `reopened`, `not taken`, `left out`, `test`. `at` is when that was, `happened`
    when the event was, both UTC. `left_out`: how many further notices of the kind were not sent, of cases `first` to
    `last`."""

    id: str
    reason: str
    case: int
    kind: str
    severity: str
    table: str
    title: str
    at: str
    happened: str = ""
    told: str = ""
    by: str = ""
    left_out: int = 0
    first: int = 0
    last: int = 0
    link: str = ""


def subject(notice: Notice) -> str:
    """In one line that no header or terminal mistakes for more."""
    reason = "" if notice.reason == "opened" else f"{notice.reason}: "
    number = f" (case {notice.case})" if notice.case else ""
    return one_line(f"[{notice.severity}] {notice.table}: {reason}{notice.title}{number}", MOST_SUBJECT)


def lines(notice: Notice) -> list[str]:
    """The text, one printable line each."""
    told = [
        notice.title,
        f"{notice.kind}, {notice.severity}, table {notice.table}, case {notice.case}",
        f"{notice.reason} {notice.at}" + (f" by {notice.by}" if notice.by else ""),
    ]
    if notice.happened:
        told.append(f"happened {notice.happened}")
    if notice.told:
        told.append(notice.told)
    if notice.left_out:
        told.append(f"{notice.left_out} more of this kind were not sent, of cases {notice.first} to {notice.last}")
    if notice.link:
        told.append(notice.link)
    return [one_line(line) for line in told]
