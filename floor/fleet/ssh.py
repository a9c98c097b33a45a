"""An order to a board over the system's `ssh`, and its answer.

The board may be in strange hands: its host key is the pinned one or nothing is sent, it is given no agent, no terminal
and no forwarded port, the words of an order come from closed alphabets, no file is fetched from it, and of its answer
so many bytes are read within so many seconds, and no more.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from pitwatch.daemon.upkeep.answer import MOST_ANSWER, Answer
from pitwatch.floor.fleet.clean_text import clean
from pitwatch.floor.fleet.config import Board, Fleet

CONNECT_S = 15
NEVER = "/dev/null"
MOST_COMPLAINT = 4_096
"""Bytes of what ssh itself may write."""

_decode = msgspec.json.Decoder(Answer).decode


class UnreachableError(Exception):
    """There is no answer that could be read; the message is one line."""


def command(fleet: Fleet, board: Board, known_hosts: Path, words: Sequence[str]) -> list[str]:
    """The call of ssh. `-F none` and the options leave nothing to the configuration of whoever calls."""
    options = {
        "BatchMode": "yes",
        "StrictHostKeyChecking": "yes",
        "UserKnownHostsFile": str(known_hosts),
        "GlobalKnownHostsFile": NEVER,
        "HostKeyAlias": board.name,
        "HostKeyAlgorithms": _algorithms(board.host_key),
        "UpdateHostKeys": "no",
        "VerifyHostKeyDNS": "no",
        "CheckHostIP": "no",
        "IdentitiesOnly": "yes",
        "IdentityAgent": "none",
        "IdentityFile": str(fleet.key),
        "CertificateFile": "none",
        "PreferredAuthentications": "publickey",
        "ForwardAgent": "no",
        "ForwardX11": "no",
        "ClearAllForwardings": "yes",
        "Tunnel": "no",
        "PermitLocalCommand": "no",
        "ControlMaster": "no",
        "ControlPath": "none",
        "EscapeChar": "none",
        "RequestTTY": "no",
        "ConnectTimeout": str(CONNECT_S),
        "ServerAliveInterval": "5",
        "ServerAliveCountMax": "6",
        "LogLevel": "ERROR",
    }
    named = [each for name, value in options.items() for each in ("-o", f"{name}={value}")]
    where = ["-p", str(board.port), "-l", fleet.user, "--", board.host]
    return ["ssh", "-F", "none", "-T", "-x", "-a", *named, *where, " ".join(words)]


async def order(fleet: Fleet, board: Board, words: Sequence[str], limit_s: float, sent: bytes = b"") -> Answer:
    """Give an order of `pitwatch board` and wait so many seconds for the answer. Raises UnreachableError."""
    with tempfile.TemporaryDirectory(prefix="pitwatch-fleet-") as folder:
        known_hosts = Path(folder) / "known_hosts"
        known_hosts.write_text(f"{board.name} {board.host_key}\n")
        line = command(fleet, board, known_hosts, ("pitwatch", "board", *words))
        environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        try:
            process = await asyncio.create_subprocess_exec(
                *line,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env={**environment, "LC_ALL": "C.UTF-8"},
            )
        except OSError as error:
            raise UnreachableError(f"ssh cannot be run: {error.strerror}; install openssh-client") from None
        try:
            async with asyncio.timeout(limit_s):
                out, complaint = await _talk(process, sent)
                await process.wait()
        except TimeoutError:
            raise UnreachableError(f"no answer within {limit_s:.0f} s") from None
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            # Else `wait` may wait for ever: for the end of a pipe that is not read on, or that a grandchild holds open.
            process._transport.close()  # type: ignore[attr-defined]
            await process.wait()
    return _answer(out, complaint)


async def _talk(process: asyncio.subprocess.Process, sent: bytes) -> tuple[bytes, bytes]:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    writing = asyncio.create_task(_write(process.stdin, sent))
    complaining = asyncio.create_task(_read(process.stderr, MOST_COMPLAINT, drain=True))
    try:
        out = await _read(process.stdout, MOST_ANSWER + 1)
        if len(out) > MOST_ANSWER:
            raise UnreachableError(f"the board answers with more than {MOST_ANSWER} bytes")
        return out, await complaining
    finally:
        for task in (writing, complaining):
            task.cancel()
        await asyncio.gather(writing, complaining, return_exceptions=True)


async def _write(pipe: asyncio.StreamWriter, sent: bytes) -> None:
    with contextlib.suppress(ConnectionError):
        pipe.write(sent)
        await pipe.drain()
        pipe.close()


async def _read(pipe: asyncio.StreamReader, most: int, drain: bool = False) -> bytes:
    """Up to `most` bytes. `drain`: read and forget what follows, so that the writer ends."""
    found = b""
    while piece := await pipe.read(16_384):
        found = (found + piece)[:most]
        if len(found) == most and not drain:
            break
    return found


def _answer(out: bytes, complaint: bytes) -> Answer:
    lines = out.strip().splitlines()
    if not lines:
        told = complaint.strip().splitlines()
        raise UnreachableError(clean(told[-1].decode(errors="replace")) if told else "the board answers nothing")
    try:
        answer = _decode(lines[-1])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise UnreachableError(
            f"the board answers what is no answer: {clean(lines[-1].decode(errors='replace'))}"
        ) from None
    return msgspec.structs.replace(answer, reason=clean(answer.reason))


def _algorithms(host_key: str) -> str:
    kind = host_key.split()[0]
    return "rsa-sha2-512,rsa-sha2-256" if kind == "ssh-rsa" else kind
