"""Time stamps (RFC 3161): the query for an authority, what its reply says, and whether the reply is genuine.

The `openssl` program does the work, so a third party gets the same answer by the same commands. Sends nothing.
Blocking calls.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from pitwatch.daemon.common.errors import UsageError

PATIENCE = 20.0
"""Seconds that openssl may take."""

MOST_REPLY = 65_536
"""Bytes of a reply. With the authority's certificates it has some 2,000 to 8,000."""

GRANTED = re.compile(r"^Status: (.+?)\.?$", re.MULTILINE)
TIME = re.compile(r"^Time stamp: (\w{3} +\d{1,2} \d\d:\d\d:\d\d)(?:\.\d+)? (\d{4}) GMT$", re.MULTILINE)
ERROR = re.compile(r":error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):[^:\n]*:\d+:(.*)")
WHY = re.compile(r"^(?:Status description|Failure info): (?!unspecified)(.+)$", re.MULTILINE)


class StampError(Exception):
    """The reply is no genuine time stamp of these data; one line says why."""


class Stamp(msgspec.Struct, frozen=True):
    """`at`: the time that the authority states, UTC. What was stamped existed before."""

    at: datetime


def query(data: bytes) -> bytes:
    """A query for a time stamp over the data's SHA-256, with a nonce and for the authority's certificate. Raises
    UsageError."""
    with tempfile.TemporaryDirectory(prefix="pitwatch-") as folder:
        place = Path(folder, "data")
        place.write_bytes(data)
        done = _openssl(["ts", "-query", "-data", str(place), "-sha256", "-cert"])
    if done.returncode:
        raise UsageError(f"openssl ts: {_said(done)}")
    return done.stdout


def checked(reply: bytes, data: bytes, ca: bytes, asked: bytes | None = None) -> Stamp:
    """The time stamp in a reply, if an authority that the certificates `ca` (PEM) vouch for made it over these data.
    `asked`: the query, whose nonce the reply must repeat. The authority's certificate must have been valid at the time
    that is stated. Raises StampError, or UsageError where openssl cannot be run."""
    if not reply or len(reply) > MOST_REPLY:
        raise StampError(f"the reply is {'too long' if reply else 'empty'}; 1 to {MOST_REPLY} bytes are right")
    if not _is_one_sequence(reply):
        raise StampError("the reply is cut short, or something follows it")
    with tempfile.TemporaryDirectory(prefix="pitwatch-") as folder:
        names = {"data": data, "reply": reply, "ca": ca, "query": asked or b""}
        place = {name: str(Path(folder, name)) for name in names}
        for name, content in names.items():
            Path(place[name]).write_bytes(content)
        shown = _openssl(["ts", "-reply", "-in", place["reply"], "-text"])
        text = shown.stdout.decode(errors="replace")
        status = GRANTED.search(text)
        if shown.returncode or status is None:
            raise StampError("the reply is not readable as a time stamp reply")
        if not status[1].lower().startswith("granted"):
            why = "; ".join(WHY.findall(text)) or "no reason"
            raise StampError(f"the authority refused: {status[1]} ({why})")
        signed = text.rpartition("\nTST info:\n")[2]  # what stands before is not signed, and may say anything
        stated = TIME.search(signed)
        if stated is None:
            raise StampError("the reply states no time")
        at = datetime.strptime(f"{stated[1]} {stated[2]}", "%b %d %H:%M:%S %Y").replace(tzinfo=UTC)
        against = ["-data", place["data"]]
        verifying = [
            "ts",
            "-verify",
            "-in",
            place["reply"],
            "-CAfile",
            place["ca"],
            "-attime",
            str(int(at.timestamp())),
        ]
        for way in (against, ["-queryfile", place["query"]] if asked else against):
            done = _openssl([*verifying, *way])
            if done.returncode:
                raise StampError(f"the time stamp is not genuine: {_said(done)}")
    return Stamp(at)


def _is_one_sequence(der: bytes) -> bool:
    """Whether it is one DER sequence and nothing after it, which openssl would pass over."""
    if len(der) < 2 or der[0] != 0x30:
        return False
    count = der[1] & 0x7F if der[1] & 0x80 else 0
    length = int.from_bytes(der[2 : 2 + count], "big") if count else der[1]
    return len(der) == 2 + count + length


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    """What openssl says is wrong, without the places in its own program."""
    found = ERROR.findall(done.stderr.decode(errors="replace"))
    told = [": ".join(part.strip() for part in each if part.strip()) for each in found]
    return "; ".join(told) or f"exit code {done.returncode}"


def _openssl(arguments: list[str]) -> subprocess.CompletedProcess[bytes]:
    """Raises UsageError if openssl cannot be run."""
    try:
        done = subprocess.run(["openssl", *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
    except FileNotFoundError:
        raise UsageError("openssl is not installed, so no time stamp can be verified; apt install openssl") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"openssl cannot be run: {error}") from None
    if done.returncode < 0:
        raise UsageError(f"openssl was ended by signal {-done.returncode}; run the command again")
    return done
