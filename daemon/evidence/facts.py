"""What a package says of itself: `package.json`, the one source of its page for people and of the draft certificate."""

from __future__ import annotations

from typing import Any

import msgspec

from pitwatch.daemon.evidence.custody import Entry

FORM = "pitwatch-evidence-v1"

FACTS, PAGE, CERTIFICATE, README = "package.json", "index.html", "certificate.txt", "README.txt"
WIRES, ANSWER, PUBLISHED, CUSTODY = "wires.jsonl", "replay.jsonl", "published.jsonl", "custody.jsonl"


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """A signed head that records are proven against. `existed_before` if it has a time stamp, in the files
    `time/SIZE.*`."""

    size: int
    origin: str
    key: str
    cosigned_by: list[str]
    existed_before: str | None = None
    authority: str | None = None


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """`says`: the sentence of the rule in the book here, null if there is no such book here. `book`: the SHA-256 that
    the table judged by, `book_here` that of the book which `says` comes from."""

    id: str
    says: str | None
    citation: dict[str, Any]
    instruction: str
    disposition: str
    book: str | None
    book_here: str | None


class Clock(msgspec.Struct, frozen=True, kw_only=True):
    """`time` is UTC; corrected where the clock of the board was set only later in that run. `synced`: a time source had
    set the clock. `records`: sequences of what the clock did."""

    time: str
    synced: bool
    corrected: bool
    monotonic_ns: int
    records: list[int]


class Video(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds of video that belong to the irregularity, and the clip that was handed over beside this package."""

    camera: str | None
    begin: str | None
    end: str | None
    clip: str | None = None
    clip_bytes: int | None = None
    clip_sha256: str | None = None


class Wires(msgspec.Struct, frozen=True, kw_only=True):
    """`lines` in `wires.jsonl`; `parts`: wire records that they come from, with the number of all lines of each and the
    SHA-256 that was published of them. `whole`: the journal kept the wires from the round's beginning on."""

    lines: int
    whole: bool
    parts: list[dict[str, Any]]


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """See `replayed.Replayed`. `fingerprints` of what judged again here; `same_parts`: they are those of the table."""

    same_alone: bool | None
    same_in_full: bool | None
    fault: str | None
    fingerprints: dict[str, str]
    same_parts: bool


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """`records`: what each is, by its sequence as text. `gone`: records of the evidence that the journal no longer had.
    `unproven`: sequence to reason. `seen_by_archive`: sequences in `published.jsonl`."""

    form: str
    table: str
    sequence: int
    irregularity: dict[str, Any]
    round: dict[str, Any] | None
    records: dict[str, str]
    gone: list[int]
    unproven: dict[str, str]
    heads: list[Head]
    rule: Rule
    fingerprints: dict[str, str]
    started: dict[str, Any] | None
    clock: Clock
    wires: Wires
    replay: Replay | None
    video: Video
    acknowledgements: list[dict[str, Any]]
    seen_by_archive: list[int]
    custody: list[Entry]
    maker: str
    """SHA-256 of the program that made the package."""

    def limits(self) -> list[str]:
        """What this package does not prove, each in one sentence."""
        found = []
        if not self.records:
            found.append(
                "The package was made from the archive alone. It holds messages as they were received, and no record "
                "of the board's journal: it shows what was published, not that the journal has it."
            )
        if self.unproven:
            some = ", ".join(sorted(self.unproven, key=int))
            found.append(
                f"These records are not proven by a signature of the board: {some}. A board signs every ten minutes: a "
                "package that is made later may prove them."
            )
        if self.heads and not all(head.cosigned_by for head in self.heads):
            found.append(
                "Not every head is cosigned by a witness. A signature of the board alone does not exclude that whoever "
                "held the board's key made another history."
            )
        if not any(head.existed_before for head in self.heads):
            found.append("No time stamp covers the records: only the board's own clock says when they were made.")
        if not self.clock.synced and not self.clock.corrected:
            found.append(
                "The board's clock was never set in that run: its times are in order, and the date is unknown."
            )
        if self.gone:
            found.append(f"The journal no longer had these records of the evidence: {', '.join(map(str, self.gone))}.")
        if self.irregularity.get("round") is not None and self.round is None:
            found.append(
                "The record of its round is not here: the round was not over, or its record is no longer there. Of the "
                "wires only the moments of the evidence are here."
            )
        if not self.wires.lines:
            found.append("There is no wire data of this round: the journal kept none.")
        else:
            if not self.wires.whole:
                found.append("The wire data begin after the round began.")
            if any(part["here"] < part["lines"] for part in self.wires.parts):
                found.append(
                    "Wire records that also hold other rounds were cut to this round. The proofs show that the journal "
                    "holds such records; that the lines here are theirs is shown by the journal itself."
                )
        if self.replay is None:
            found.append("The wire data were not judged again when the package was made.")
        elif self.replay.same_alone is False:
            found.append(
                "The wire data of this round alone do not lead to the same verdict: it rests on what came before the "
                "round" + (", and all that the journal kept leads to it." if self.replay.same_in_full else ".")
            )
        if self.rule.says is None:
            found.append("The sentence of the rule is not here: that rule book was not installed where this was made.")
        elif self.rule.book != self.rule.book_here:
            found.append("The sentence of the rule is from another edition of the book than the table judged by.")
        if self.video.clip is None:
            found.append("No video clip is named by its hash.")
        found.append(
            "Pitwatch accepts what the devices send: nothing here excludes false data on the wires themselves."
        )
        return found
