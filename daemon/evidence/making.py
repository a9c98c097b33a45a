"""Puts a package together: from what was gathered of a journal, from what an archive received, or from both. Writes no
file."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from pitwatch.daemon.config import Config
from pitwatch.daemon.contract.messages import encode
from pitwatch.daemon.evidence import facts as names
from pitwatch.daemon.evidence.certificate import certificate
from pitwatch.daemon.evidence.custody import Entry
from pitwatch.daemon.evidence.facts import Clock, Facts, Head, Replay, Rule, Video, Wires
from pitwatch.daemon.evidence.gathering import Gathered
from pitwatch.daemon.evidence.head import path_text
from pitwatch.daemon.evidence.package import Files
from pitwatch.daemon.evidence.page import page
from pitwatch.daemon.evidence.proofs import Proven, SignedHead, Stamped
from pitwatch.daemon.evidence.readme import readme
from pitwatch.daemon.evidence.replayed import replay
from pitwatch.daemon.evidence.subject import Subject
from pitwatch.daemon.journal.chain import canonical
from pitwatch.daemon.service.integrity import program_fingerprint
from pitwatch.daemon.service.status import book_fingerprint, fingerprints
from pitwatch.daemon.tlog.checkpoint import Checkpoint
from pitwatch.rules.book import book_folder, load_game
from pitwatch.rules.book.book_file import BookError
from pitwatch.rules.house import RULES


class Clip(msgspec.Struct, frozen=True):
    """A file of video that is handed over beside the package: its name, its bytes, its SHA-256."""

    name: str
    size: int
    sha256: str


class Camera(msgspec.Struct, frozen=True):
    """Which camera sees the table, and the seconds that belong to an irregularity."""

    name: str | None
    preroll_s: int
    postroll_s: int


class Seen(msgspec.Struct, frozen=True):
    """A message as an archive received it, byte for byte."""

    sequence: int
    payload: bytes


class Material(msgspec.Struct, frozen=True, kw_only=True):
    """All that a package is made of. `journal` and `proven` are None for an archive alone, `config` where nothing can
    be judged again. `custody`: the entries of this irregularity, the newest of this package."""

    subject: Subject
    custody: list[Entry]
    journal: Gathered | None = None
    proven: Proven = Proven({}, [], {})
    seen: Sequence[Seen] = ()
    config: Config | None = None
    camera: Camera | None = None
    clip: Clip | None = None


def make(of: Material) -> Files:
    """The files, without their manifest. The same material makes the same bytes."""
    files: Files = {}
    wires = Wires(lines=0, whole=False, parts=[])
    judged: Replay | None = None
    if of.journal is not None:
        cut = of.journal.wires
        for record, _ in of.journal.records().values():
            files[f"records/{record.seq}.json"] = canonical(record)
        captured = b"".join(line + b"\n" for line in cut.lines)
        if captured:
            files[names.WIRES] = captured
        wires = Wires(lines=len(cut.lines), whole=_whole(of), parts=cut.parts)
        if of.config is not None and (captured or of.journal.stretch):
            again = replay(of.config, of.subject.said, captured, of.journal.stretch)
            if captured:
                files[names.ANSWER] = again.answer
            here = msgspec.structs.asdict(fingerprints(of.config))
            judged = Replay(
                same_alone=again.same_alone,
                same_in_full=again.same_in_full,
                fault=again.fault,
                fingerprints=here,
                same_parts=here == of.subject.fingerprints,
            )
    for seq, proof in of.proven.proofs.items():
        files[f"proofs/{seq}.tlog-proof"] = proof.format().encode()
    for head in of.proven.heads:
        if head.stamp is not None:
            files |= _stamp(head.size, head.stamp)
    if of.seen:
        files[names.PUBLISHED] = b"".join(each.payload.strip() + b"\n" for each in of.seen)
    files[names.CUSTODY] = b"".join(encode(each) + b"\n" for each in of.custody)
    facts = _facts(of, wires, judged)
    files[names.FACTS] = msgspec.json.format(encode(facts)) + b"\n"
    files[names.PAGE] = page(facts)
    files[names.CERTIFICATE] = certificate(facts)
    files[names.README] = readme(facts)
    return files


def _stamp(size: int, stamp: Stamped) -> Files:
    """What `time/` holds of one head."""
    return {
        f"time/{size}.head": stamp.head.head.text.encode(),
        f"time/{size}.path": path_text(stamp.head.position, stamp.head.path).encode(),
        f"time/{size}.stamped": stamp.stamped.encode(),
        f"time/{size}.tsr": stamp.reply,
    }


def _facts(of: Material, wires: Wires, judged: Replay | None) -> Facts:
    subject = of.subject
    roles = {str(seq): role for seq, (_, role) in of.journal.records().items()} if of.journal is not None else {}
    return Facts(
        form=names.FORM,
        table=subject.table,
        sequence=subject.sequence,
        irregularity=msgspec.to_builtins(subject.said),
        round=subject.round,
        records=roles,
        gone=subject.gone,
        unproven={str(seq): why for seq, why in of.proven.unproven.items()},
        heads=[_head(each) for each in of.proven.heads],
        rule=_rule(subject),
        fingerprints=subject.fingerprints,
        started=subject.started,
        clock=Clock(
            time=subject.time,
            synced=subject.synced,
            corrected=subject.corrected,
            monotonic_ns=subject.monotonic_ns,
            records=subject.clock,
        ),
        wires=wires,
        replay=judged,
        video=_video(of),
        acknowledgements=subject.acknowledgements,
        seen_by_archive=[each.sequence for each in of.seen],
        custody=of.custody,
        maker=program_fingerprint(),
    )


def _head(head: SignedHead) -> Head:
    said = Checkpoint.parse(head.note.text)
    return Head(
        size=said.size,
        origin=said.origin,
        key=head.key,
        cosigned_by=[each.name for each in head.note.signatures if each.name != said.origin],
        existed_before=head.stamp.at if head.stamp is not None else None,
        authority=head.stamp.authority if head.stamp is not None else None,
    )


def _rule(subject: Subject) -> Rule:
    """The sentence from the book of that name, if one is installed here."""
    said = subject.said
    path, _, name = said.rule.rpartition("/")
    says, here = None, None
    try:
        rule = load_game(path).rules.get(name) or RULES.get(name)
        says = rule.says if rule is not None else None
        here = book_fingerprint(book_folder(path.rpartition("/")[0]))
    except (BookError, OSError):
        pass
    return Rule(
        id=said.rule,
        says=says,
        citation=msgspec.to_builtins(said.citation),
        instruction=said.instruction,
        disposition=said.disposition,
        book=subject.fingerprints.get("book"),
        book_here=here,
    )


def _video(of: Material) -> Video:
    camera = of.camera
    begin = end = None
    if camera is not None:
        at = datetime.fromisoformat(of.subject.time)
        begin = (at - timedelta(seconds=camera.preroll_s)).strftime("%Y-%m-%dT%H:%M:%SZ")
        end = (at + timedelta(seconds=camera.postroll_s)).strftime("%Y-%m-%dT%H:%M:%SZ")
    clip = of.clip
    return Video(
        camera=camera.name if camera is not None else None,
        begin=begin,
        end=end,
        clip=clip.name if clip is not None else None,
        clip_bytes=clip.size if clip is not None else None,
        clip_sha256=clip.sha256 if clip is not None else None,
    )


def _whole(of: Material) -> bool:
    """Whether the journal kept the wires from the round's beginning on."""
    begins = of.journal.wires.begins if of.journal is not None else None
    opened = (of.subject.round or {}).get("opened")
    return begins is not None and opened is not None and begins <= opened
