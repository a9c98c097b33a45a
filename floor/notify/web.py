"""Over HTTP: a signed webhook, ntfy and Gotify."""

from __future__ import annotations

import base64
import hmac
import time
from hashlib import sha256
from urllib.parse import urlsplit

import msgspec

from pitwatch.floor.notify.config import Receiver, secret_of
from pitwatch.floor.notify.notice import Notice, lines, subject
from pitwatch.floor.outward import OutwardError, Poster

STANDARD = "whsec_"
"""What a secret of Standard Webhooks begins with: the rest is base64."""
NTFY = {"notice": 2, "warning": 3, "alert": 4, "critical": 5}
GOTIFY = {"notice": 2, "warning": 5, "alert": 7, "critical": 9}


class Web(Poster):
    """`ntfy` and `gotify` get subject and text as plain text, a webhook the notice as JSON."""

    def __init__(self, to: Receiver, timeout_s: float):
        super().__init__(to.url, to.ca, timeout_s)
        self._to = to

    def send(self, notice: Notice) -> None:
        """Raises OutwardError."""
        parts = urlsplit(self._to.url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        try:
            secret = secret_of(self._to.secret_file) if self._to.secret_file else ""
        except ValueError as error:
            raise OutwardError(str(error), lasting=True) from None
        match self._to.way:
            case "ntfy":
                said = {"topic": self._to.topic, "title": subject(notice), "message": "\n".join(lines(notice))}
                more = {"priority": NTFY.get(notice.severity, 5)} | ({"click": notice.link} if notice.link else {})
                headers = {"Authorization": f"Bearer {secret}"} if secret else {}
                self.post(target, msgspec.json.encode(said | more), headers)
            case "gotify":
                text = {"title": subject(notice), "message": "\n".join(lines(notice))}
                extras = {"extras": {"client::display": {"contentType": "text/plain"}}}
                body = text | {"priority": GOTIFY.get(notice.severity, 9)} | extras
                target = f"{parts.path.rstrip('/')}/message"
                self.post(target, msgspec.json.encode(body), {"X-Gotify-Key": secret})
            case _:
                raw = msgspec.json.encode(notice)
                self.post(target, raw, signed(notice.id, int(time.time()), raw, secret) if secret else {})


def signed(id: str, at: int, body: bytes, secret: str) -> dict[str, str]:
    """The headers of Standard Webhooks 1.0: HMAC-SHA256 over id, time (seconds since 1970) and body. Raises
    OutwardError for a secret that says it is base64 and is not."""
    try:
        key = base64.b64decode(secret.removeprefix(STANDARD), validate=True) if secret.startswith(STANDARD) else None
    except ValueError:
        raise OutwardError(f"the secret begins with {STANDARD}, and the rest is not base64", lasting=True) from None
    made = hmac.new(key if key is not None else secret.encode(), f"{id}.{at}.".encode() + body, sha256).digest()
    signature = base64.b64encode(made).decode()
    return {"Webhook-Id": id, "Webhook-Timestamp": str(at), "Webhook-Signature": f"v1,{signature}"}
