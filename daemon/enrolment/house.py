"""The house's side: listens while a code is open, and gives each board that proves its table's code a certificate.

It runs where the house keeps its keys, so it ends by itself when the last code is used or has expired. Codes are only
in its memory. Each is for one key: who shows it again with the same key gets the same certificate again, for an answer
may be lost; with another key, it is refused and reported.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from pitwatch.daemon.common.errors import UsageError
from pitwatch.daemon.enrolment.code import keys, new_code
from pitwatch.daemon.enrolment.exchange import (
    DONE,
    MOST_BYTES,
    Channel,
    ExchangeError,
    Grant,
    Request,
    Sealed,
    read,
    refusal,
)
from pitwatch.daemon.enrolment.table_files import table_file, with_broker
from pitwatch.daemon.provisioning.boards import Board
from pitwatch.daemon.provisioning.provisioning import House
from pitwatch.daemon.tlog.note import Key, NoteError

PATIENCE_S = 20.0
"""What a board may take for the connection, for its request and for writing the answer to its disk."""
REFUSAL_S = 1.0
"""What a refusal takes. With the limits below: some guesses a second, of 80 bits."""
MOST_CONNECTIONS = 64
MOST_OF_ONE = 4
"""Connections at once of all boards, and of one address."""
REFUSALS_SHOWN = 10
"""In a row of one address; the others are counted and not logged."""
MOST_ADDRESSES = 1000
"""Whose refusals are counted."""

log = logging.getLogger("pitwatch.enrolment")


class Refused(Exception):  # noqa: N818
    """What the board is told; nothing proves it."""


class Issued:
    """A code for one table. `body` is the request that has used it, `answer` what that was given."""

    def __init__(self, table: str, file: str):
        self.table, self.file = table, file
        self.code = new_code()
        self.keys = keys(self.code)
        self.body = self.answer = b""
        self.stored = False


class Enrolment:
    """`house` has been provisioned with these tables expected. `told` is called when a table has its certificate: with
    the table, and with those that are still expected. Raises UsageError for a table's file that cannot be given."""

    def __init__(self, house: House, tables: Iterable[str], hours: float, told: Callable[[str, list[str]], None]):
        self._house, self._told = house, told
        self.issued = [Issued(table, table_file(house.folder, table)) for table in tables]
        self._by_name = {each.keys.name: each for each in self.issued}
        self._until = time.monotonic() + hours * 3600
        self._from: Counter[str] = Counter()
        self._refusals: Counter[str] = Counter()
        self._all_stored = asyncio.Event()
        self._channel = Channel(b"")

    async def serve(self, host: str | None, port: int, listening: Callable[[int], None]) -> bool:
        """Answer until every board has stored what it was given, or the codes expire; whether all have. `listening` is
        called with the port. Raises OSError where it cannot listen."""
        server = await asyncio.start_server(
            self._connection, host, port, ssl=self._tls(), ssl_handshake_timeout=PATIENCE_S, limit=MOST_BYTES
        )
        listening(server.sockets[0].getsockname()[1])
        try:
            async with asyncio.timeout(self._until - time.monotonic()):
                await self._all_stored.wait()
        except TimeoutError:
            for each in self.issued:
                if not each.body:
                    log.warning("the code of %s has expired unused", each.table)
        finally:
            server.close()
        return all(each.stored for each in self.issued)

    def _tls(self) -> ssl.SSLContext:
        """With a certificate that is this process's alone; proofs are bound to it."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        with tempfile.TemporaryDirectory(prefix="pitwatch-enrolment.") as folder:
            certificate, key = self._house.server_certificate(Path(folder), "pitwatch-enrolment")
            context.load_cert_chain(certificate, key)
            self._channel = Channel(ssl.PEM_cert_to_DER_cert(certificate.read_text()))
        return context

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        address = str(writer.get_extra_info("peername")[0])
        self._from[address] += 1
        try:
            if self._from.total() <= MOST_CONNECTIONS and self._from[address] <= MOST_OF_ONE:
                await self._conversation(address, reader, writer)
        except (OSError, TimeoutError, ValueError, asyncio.IncompleteReadError):
            pass  # it went away, or sends what never ends
        finally:
            self._from[address] -= 1
            self._from += Counter()  # forgets who has none
            writer.close()
            with contextlib.suppress(OSError, TimeoutError):
                await writer.wait_closed()

    async def _conversation(self, address: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(PATIENCE_S):
            line = await reader.readline()
        if not line:
            return
        try:
            issued, answer = self._answer(read(line), address)
        except (Refused, ExchangeError, UsageError) as error:
            if len(self._refusals) > MOST_ADDRESSES:
                self._refusals.clear()
            self._refusals[address] += 1
            if self._refusals[address] <= REFUSALS_SHOWN:
                log.warning("%s: refused: %s", address, error)
            await asyncio.sleep(REFUSAL_S)
            writer.write(refusal(str(error)))
            await writer.drain()
            return
        self._refusals[address] = 0
        writer.write(answer)
        await writer.drain()
        async with asyncio.timeout(PATIENCE_S):
            if await reader.readline() != DONE:
                return
        if not issued.stored:
            issued.stored = True
            log.info("%s: the board of %s has stored its certificate", address, issued.table)
        if all(each.stored for each in self.issued):
            self._all_stored.set()

    def _answer(self, sealed: Sealed, address: str) -> tuple[Issued, bytes]:
        """Which code it was, and the line for the board. Raises Refused, ExchangeError, UsageError."""
        issued = self._by_name.get(sealed.code)
        if issued is None:
            raise Refused("no such code is open; it may have a mistake, have expired, or be of another house")
        body = self._channel.asked(issued.keys, sealed)
        if issued.body and body != issued.body:
            log.error(
                "%s: another board shows the code of %s, which was used; if you do not know both boards, revoke %s",
                address, issued.table, issued.table,
            )  # fmt: skip
            raise Refused("this code was used by another board; ask for a new one")
        if not issued.body:
            issued.answer = self._enrol(issued, body)
            issued.body = body
            log.info("%s: the board of %s has its certificate", address, issued.table)
            self._told(issued.table, [each.table for each in self.issued if not each.body])
        return issued, self._channel.answer(issued.keys, body, issued.answer)

    def _enrol(self, issued: Issued, body: bytes) -> bytes:
        try:
            request = msgspec.json.decode(body, type=Request)
            Key.of_der("board", request.journal)
            self._house.enrol(issued.table, request.csr)
        except (msgspec.DecodeError, NoteError, ValueError) as error:
            raise Refused(f"the request is not usable: {error}") from None
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        try:
            self._house.announce([Board(issued.table, request.journal, now)])
        except UsageError as error:
            log.warning("the journal's key of %s is not announced: %s", issued.table, error)
        folder = self._house.folder / "tables" / issued.table
        mqtt = (folder / "mqtt.toml").read_text()
        authority, certificate = (folder / "ca.crt").read_text(), (folder / "client.crt").read_text()
        grant = Grant(issued.table, authority, certificate, mqtt, with_broker(issued.file, mqtt))
        return msgspec.json.encode(grant)
