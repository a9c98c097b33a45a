"""The HTTP server of a witness, of Python's own: one thread a connection, which the service answers on the loop."""

from __future__ import annotations

import asyncio
import logging
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from pitwatch.daemon.journal.signing import SigningError
from pitwatch.floor.archive.store import StoreError
from pitwatch.floor.witness.protocol import MOST_BYTES, PATH
from pitwatch.floor.witness.service import Answer, Service

PATIENCE = 30.0
"""Seconds that a client may take for its request, and a request for its answer."""
MOST_CONNECTIONS = 64

log = logging.getLogger("pitwatch.witness")


class Server:
    """Between `start` and `stop` it listens. Raises OSError from `start` where it cannot."""

    def __init__(self, service: Service, host: str, port: int):
        self._service = service
        self._address = (host, port)
        self._http: _Http | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> int:
        """Listen; the port. To be called on the loop."""
        loop = asyncio.get_running_loop()

        def answer(body: bytes) -> Answer:
            return asyncio.run_coroutine_threadsafe(self._service.add_checkpoint(body), loop).result(PATIENCE)

        self._http = _Http(self._address, type("Handler", (_Handler,), {"answer": staticmethod(answer)}))
        self._thread = threading.Thread(target=self._http.serve_forever, name="witness", daemon=True)
        self._thread.start()
        return int(self._http.server_address[1])

    async def stop(self) -> None:
        if self._http is not None and self._thread is not None:
            await asyncio.to_thread(self._http.shutdown)
            self._http.server_close()
            self._thread.join(PATIENCE)


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = MOST_CONNECTIONS

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]):
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__(address, handler)

    def process_request(self, request, client_address) -> None:  # type: ignore[no-untyped-def]
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request, client_address) -> None:  # type: ignore[no-untyped-def]
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request, client_address) -> None:  # type: ignore[no-untyped-def]
        log.debug("a connection failed", exc_info=True)  # the client went away


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "pitwatch-witness"
    sys_version = ""
    timeout = PATIENCE
    answer = staticmethod(lambda body: Answer(500, ""))

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not self.path.endswith(PATH):
            self._send(Answer(404, f"there is only {PATH} here\n"), close=True)
        elif not (length.isascii() and length.isdigit()) or len(length) > 9:
            self._send(Answer(411, "the request has no length\n"), close=True)
        elif int(length) > MOST_BYTES:
            self._send(Answer(413, f"{MOST_BYTES} bytes are accepted\n"), close=True)
        else:
            try:
                self._send(self.answer(self.rfile.read(int(length))))
            except (StoreError, SigningError, TimeoutError) as error:
                log.warning("nothing is cosigned now: %s", error or "no answer in time")
                self._send(Answer(503, "nothing can be cosigned now; try again\n"))
            except OSError:
                raise
            except Exception:
                log.exception("fault in the program")
                self._send(Answer(500, "fault in the program\n"), close=True)

    def _send(self, answer: Answer, close: bool = False) -> None:
        body = answer.body.encode()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.type)
        self.send_header("Content-Length", str(len(body)))
        if close:
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        log.debug(format, *args)
