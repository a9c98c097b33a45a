"""E-mail: plain text by SMTP, with TLS and the server's name verified unless the configuration says `plain`."""

from __future__ import annotations

import contextlib
import logging
import smtplib
import socket
from collections.abc import Iterator
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate
from urllib.parse import urlsplit

from pitwatch.daemon.common.tls import client_context
from pitwatch.floor.notify.config import Receiver, secret_of
from pitwatch.floor.notify.notice import Notice, lines, subject
from pitwatch.floor.outward import OutwardError, in_words

UNFOLDED = SMTP.clone(max_line_length=998)
URGENT = ("alert", "critical")

log = logging.getLogger("pitwatch.notify")


class Mail:
    """To all addresses of a receiver in one message. A server that refuses some of them has taken it for the others."""

    def __init__(self, to: Receiver, timeout_s: float):
        self._to = to
        self._timeout_s = timeout_s
        self._parts = urlsplit(to.url)
        self._server: smtplib.SMTP | None = None

    def send(self, notice: Notice) -> None:
        """Raises OutwardError."""
        host = self._parts.hostname or ""
        try:
            with self._connected() as server:
                refused = server.send_message(self.message(notice), self._to.sender, self._to.to)
        except smtplib.SMTPRecipientsRefused as error:
            told = "; ".join(_answer(code, said) for code, said in list(error.recipients.values())[:3])
            lasting = all(code < 500 for code, _ in error.recipients.values())
            raise OutwardError(f"{host}: takes none of the addresses: {told}", lasting) from None
        except smtplib.SMTPResponseException as error:
            lasting = error.smtp_code < 500 or isinstance(error, smtplib.SMTPAuthenticationError)
            raise OutwardError(f"{host}: answers {_answer(error.smtp_code, error.smtp_error)}", lasting) from None
        except smtplib.SMTPNotSupportedError:
            raise OutwardError(f"{host}: offers no TLS or no login; see plain in [notify]", lasting=True) from None
        except (smtplib.SMTPException, OSError, ValueError) as error:
            told = "ends the connection" if isinstance(error, smtplib.SMTPServerDisconnected) else in_words(error)
            raise OutwardError(f"{host}: {told}", lasting=True) from None
        if refused:  # sent again, the others would have it twice
            log.warning("%s: does not take %s; the others have it", self._to.name, ", ".join(sorted(refused)))

    def message(self, notice: Notice) -> EmailMessage:
        """Headers have no line ends: what the notice says is one printable line each."""
        about = subject(notice)
        # Folded, it would begin with a blank where it is shown; what is not ASCII must be folded.
        made = EmailMessage(UNFOLDED if about.isascii() else SMTP)
        made["Subject"] = about
        made["From"] = self._to.sender
        made["To"] = ", ".join(self._to.to)
        made["Date"] = formatdate(localtime=False)
        made["Message-ID"] = f"<{notice.id}@{self._to.sender.partition('@')[2]}>"
        made["Auto-Submitted"] = "auto-generated"
        if notice.severity in URGENT:
            made["Importance"] = "high"
        made.set_content("\n".join(lines(notice)) + "\n")
        return made

    def abort(self) -> None:
        server = self._server
        connected = server.sock if server is not None else None
        if connected is not None:
            with contextlib.suppress(OSError):
                connected.shutdown(socket.SHUT_RDWR)

    @contextlib.contextmanager
    def _connected(self) -> Iterator[smtplib.SMTP]:
        host, port = self._parts.hostname or "", self._parts.port
        server: smtplib.SMTP
        if self._parts.scheme == "smtps":
            context = client_context(self._to.ca)
            server = smtplib.SMTP_SSL(host, port or 465, timeout=self._timeout_s, context=context)
        else:
            server = smtplib.SMTP(host, port or 587, timeout=self._timeout_s)
        self._server = server
        try:
            if self._parts.scheme == "smtp" and not self._to.plain:
                server.starttls(context=client_context(self._to.ca))
            if self._to.username:
                server.login(self._to.username, secret_of(self._to.secret_file))
            yield server
            with contextlib.suppress(smtplib.SMTPException, OSError):
                server.quit()  # it has the message already
        finally:
            server.close()


def _answer(code: int, said: bytes | str) -> str:
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    return f"{code} {''.join(each if each.isprintable() else ' ' for each in text)[:200]}"
