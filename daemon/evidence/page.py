"""The page for people: one HTML file without anything from elsewhere, that prints on paper. Made of the facts alone."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape
from typing import Any

from pitwatch.daemon.evidence.facts import Facts

STYLE = """
body { font: 10.5pt/1.35 sans-serif; margin: 14mm auto; max-width: 180mm; color: #111; }
h1 { font-size: 15pt; margin: 0 0 2mm; }
h2 { font-size: 11.5pt; margin: 5mm 0 1.5mm; border-bottom: 1px solid #888; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.6mm 3mm 0.6mm 0; overflow-wrap: anywhere; }
th { width: 32mm; font-weight: 600; overflow-wrap: normal; }
ul { margin: 0; padding-left: 5mm; overflow-wrap: anywhere; }
@page { size: A4; margin: 14mm; }
@media print { body { margin: 0; } h2, tr, li { break-inside: avoid; } h2 { break-after: avoid; } }
""".strip()


def page(facts: Facts) -> bytes:
    said, rule, clock = facts.irregularity, facts.rule, facts.clock
    cited = ", ".join(
        f"{name} {rule.citation[key]}"
        for key, name in (("document", "document"), ("section", "section"), ("lines", "lines"))
        if rule.citation.get(key)
    )
    when = f"{clock.time} UTC by the board's clock"
    if not clock.synced:
        when += ", corrected: the clock was set later" if clock.corrected else ", which no time source had set"
    parts = [
        f"<h1>Evidence: {_text(said['rule'])}</h1>",
        _table(
            [
                ("Table", facts.table),
                ("Record", f"{facts.sequence}, round {said['round'] if said['round'] is not None else 'none'}"),
                ("Time", when),
                ("Severity", f"{said['severity']} ({said['category']})"),
                ("Observed", _pairs(said["observed"])),
                ("Required", _pairs(said["required"])),
                ("Remedy", f"{rule.disposition}. {rule.instruction}"),
            ]
        ),
        "<h2>The rule</h2>",
        _table(
            [
                ("Says", rule.says or "not available where this package was made"),
                ("Stands in", " ".join(each for each in (rule.citation.get("title", ""), f"({cited})") if each)),
                ("Rule book", f"SHA-256 {rule.book or 'unknown'}"),
            ]
        ),
        "<h2>The round</h2>",
        _table(
            [
                ("Result", _pairs(facts.round["result"])),
                ("Void", facts.round["void"] or "no"),
                ("Seen in full", "no" if facts.round["partial"] else "yes"),
            ]
            if facts.round
            else [("", "The irregularity is of no round, or the round's record is not in the journal.")]
        ),
        "<h2>What is proven</h2>",
        _list(proven(facts)),
        "<h2>What is not proven</h2>",
        _list(facts.limits()),
        "<h2>Acknowledged</h2>",
        _list(
            f"{each['time']}: by {each['by'] or 'nobody named'}{': ' + each['note'] if each['note'] else ''}"
            for each in facts.acknowledgements
        )
        if facts.acknowledgements
        else "<p>No acknowledgement is in the journal or the archive.</p>",
        "<h2>Video</h2>",
        _table(
            [
                ("Camera", facts.video.camera or "not configured"),
                ("From, to", f"{facts.video.begin or '?'} to {facts.video.end or '?'}"),
                (
                    "Clip",
                    f"{facts.video.clip}, SHA-256 {facts.video.clip_sha256}" if facts.video.clip else "none given",
                ),
            ]
        ),
        "<h2>Chain of custody</h2>",
        _list(
            f"{each.at}: made by {each.by} (account {each.user} on {each.host}): {each.command}"
            for each in facts.custody
        ),
        "<p>Verify this package: <code>pitwatch evidence verify FILE.zip --key KEY</code>, or with openssl and "
        "sha256sum alone as docs/evidence.md says. This page is for reading; the records are the evidence.</p>",
    ]
    title = f"Evidence {facts.table} {facts.sequence}"
    html = f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{_text(title)}</title>\n'
    html += f"<style>\n{STYLE}\n"
    return (html + "</style></head><body>\n" + "\n".join(parts) + "\n</body></html>\n").encode()


def proven(facts: Facts) -> list[str]:
    """What the package proves, each in one sentence, to whoever has the keys from the house."""
    found = []
    count = len(facts.records) - len(facts.unproven)
    for head in facts.heads:
        found.append(
            f"The board's key signed a tree of {head.size} records of {head.origin}: any other record in it would be "
            "another tree."
        )
        if head.cosigned_by:
            found.append(f"That tree continues all that these witnesses saw before: {', '.join(head.cosigned_by)}.")
        if head.existed_before:
            found.append(f"That signed tree existed before {head.existed_before}, says {head.authority}.")
    if facts.heads:
        found.append(f"{count} records of this package are in such a tree, unaltered and at their place.")
    if facts.seen_by_archive:
        found.append(f"The archive received {len(facts.seen_by_archive)} of the messages in published.jsonl.")
    if facts.replay is not None and facts.replay.same_alone:
        found.append("The wire data of the round, judged again, lead to the same irregularity.")
    found.append("Nothing was changed in this package since it was signed by the key in MANIFEST.pub.")
    return found


def _pairs(value: dict[str, Any]) -> str:
    return ", ".join(f"{key} {json.dumps(each, ensure_ascii=False)}" for key, each in value.items()) or "-"


def _table(rows: Iterable[tuple[str, str]]) -> str:
    return (
        "<table>"
        + "".join(f"<tr><th>{_text(name)}</th><td>{_text(text)}</td></tr>" for name, text in rows)
        + "</table>"
    )


def _list(items: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{_text(item)}</li>" for item in items) + "</ul>"


def _text(text: object) -> str:
    return escape(str(text))
