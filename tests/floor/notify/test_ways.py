"""Each way to a receiver against a real server: what arrives, what is refused, and that text stays text."""

from __future__ import annotations

import base64
import email
import email.policy
import hmac
import json
import socket
import sys
import time
from collections.abc import Iterator
from email.message import EmailMessage
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from pitwatch.floor.notify.config import Receiver
from pitwatch.floor.notify.notice import Notice
from pitwatch.floor.notify.syslog import MOST_BYTES, message
from pitwatch.floor.notify.ways import way_of
from pitwatch.floor.notify.web import signed
from pitwatch.floor.outward import OutwardError
from tests.floor.notify.servers import Lines, Web, server_context, until

NOTICE = Notice(
    id="pitwatch-7-1a2b3c4d", reason="opened", case=12, kind="irregularity", severity="critical", table="toledo/RL-07",
    title="The ball is spun too late (late-spin)", at="2027-01-15T08:00:02.000000Z",
    happened="2027-01-15T08:00:01.000000Z", told="seen: ball cw; required: ball ccw",
    link="https://watch.example/cases/12",
)  # fmt: skip
EVIL = 'x\r\nBcc: all@house.example\r\n\r\n<script>alert(1)</script> \x1b[2J\u202e ]"\\ {{7*7}} \ud800'
HOSTILE = Notice(
    id="pitwatch-8-1a2b3c4d", reason="opened", case=13, kind="alert", severity="alert", table=EVIL, title=EVIL, at=EVIL,
    told=EVIL * 90, by=EVIL,
)  # fmt: skip


@pytest.fixture
def web() -> Iterator[Web]:
    made = Web()
    yield made
    made.stop()


def secret(folder: Path, text: str) -> str:
    file = folder / "secret"
    file.write_text(text + "\n")
    file.chmod(0o600)
    return str(file)


def send(notice: Notice, timeout_s: float = 10.0, **to: Any) -> None:
    way_of(Receiver(name="pit", **to), timeout_s).send(notice)


# -- e-mail


class Post:
    """aiosmtpd, which keeps what it receives."""

    def __init__(self, **options: Any):
        pytest.importorskip("aiosmtpd")
        from aiosmtpd.controller import Controller

        outer = self
        self.envelopes: list[Any] = []
        self.refuses: dict[str, str] = {}
        self.logins: list[tuple[bytes, bytes]] = []

        class Handler:
            async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:  # noqa: N802
                if address in outer.refuses:
                    return outer.refuses[address]
                envelope.rcpt_tos.append(address)
                return "250 OK"

            async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
                if "" in outer.refuses:
                    return outer.refuses[""]
                outer.envelopes.append(envelope)
                return "250 OK"

        for attempt in range(5):
            # It asks itself whether it runs, at the port that it was given: so not at 0. Another may take it meanwhile.
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
            self._controller = Controller(Handler(), hostname="127.0.0.1", port=port, ready_timeout=60.0, **options)
            try:
                self._controller.start()
                break
            except OSError:
                assert attempt < 4
        self._runs = True
        self.port = self._controller.port

    def stop(self) -> None:
        if self._runs:
            self._controller.stop()
        self._runs = False

    @property
    def messages(self) -> list[EmailMessage]:
        return [email.message_from_bytes(each.content, policy=email.policy.default) for each in self.envelopes]  # type: ignore[misc]


@pytest.fixture
def post() -> Iterator[Post]:
    made = Post()
    yield made
    made.stop()


def mail(post: Post, scheme: str = "smtp", **more: Any) -> dict[str, Any]:
    told = {
        "way": "email",
        "url": f"{scheme}://127.0.0.1:{post.port}",
        "to": ["pit@house.example", "eye@house.example"],
    }
    return told | {"sender": "pitwatch@house.example", "plain": True} | more


def test_a_mail_arrives_as_plain_text_with_the_same_id_each_time(post: Post) -> None:
    for _ in range(2):
        send(NOTICE, **mail(post))
    one, two = post.messages
    assert one["Subject"] == "[critical] toledo/RL-07: The ball is spun too late (late-spin) (case 12)"
    assert (one["From"], one["To"]) == ("pitwatch@house.example", "pit@house.example, eye@house.example")
    assert one["Message-ID"] == two["Message-ID"] == "<pitwatch-7-1a2b3c4d@house.example>"
    assert (one["Auto-Submitted"], one["Importance"]) == ("auto-generated", "high")
    assert one.get_content_type() == "text/plain"
    assert one.get_content().splitlines() == [
        "The ball is spun too late (late-spin)",
        "irregularity, critical, table toledo/RL-07, case 12",
        "opened 2027-01-15T08:00:02.000000Z",
        "happened 2027-01-15T08:00:01.000000Z",
        "seen: ball cw; required: ball ccw",
        "https://watch.example/cases/12",
    ]


def test_no_text_of_a_table_becomes_a_header_or_a_line(post: Post) -> None:
    send(HOSTILE, **mail(post))
    (arrived,) = post.messages
    assert sorted(arrived.keys()) == sorted(
        ["Subject", "From", "To", "Date", "Message-ID", "Auto-Submitted", "Importance", "Content-Type",
         "Content-Transfer-Encoding", "MIME-Version"],
    )  # fmt: skip
    assert post.envelopes[0].rcpt_tos == ["pit@house.example", "eye@house.example"]
    assert len(arrived.get_content().splitlines()) == 4
    assert all(line.isprintable() for line in arrived.get_content().splitlines())


def test_a_mail_goes_by_starttls_and_login_to_the_server_that_is_meant(tmp_path: Path) -> None:
    context, ca = server_context(tmp_path)
    logins: list[tuple[bytes, bytes]] = []

    def authenticate(server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> Any:
        from aiosmtpd.smtp import AuthResult

        logins.append((data.login, data.password))
        return AuthResult(success=data.password == b"correct", handled=False)

    post = Post(tls_context=context, require_starttls=True, authenticator=authenticate, auth_required=True)
    try:
        told = mail(post, plain=False, ca=str(ca), username="pitwatch", secret_file=secret(tmp_path, "correct"))
        send(NOTICE, **told)
        assert logins == [(b"pitwatch", b"correct")]
        assert len(post.messages) == 1
        with pytest.raises(OutwardError, match="certificate not trusted"):
            send(NOTICE, **(told | {"ca": ""}))
        with pytest.raises(OutwardError, match="answers 535") as caught:
            send(NOTICE, **(told | {"secret_file": secret(tmp_path, "wrong")}))
        assert caught.value.lasting
        assert "wrong" not in str(caught.value)
    finally:
        post.stop()


def test_a_server_without_tls_gets_nothing(post: Post, tmp_path: Path) -> None:
    with pytest.raises(OutwardError, match="offers no TLS"):
        send(NOTICE, **mail(post, plain=False))
    assert post.envelopes == []


def test_what_a_mail_server_refuses_is_told_from_what_it_cannot_do_now(post: Post) -> None:
    post.refuses["eye@house.example"] = "550 nobody"
    send(NOTICE, **mail(post))  # the other one has it
    assert [each.rcpt_tos for each in post.envelopes] == [["pit@house.example"]]
    post.refuses["pit@house.example"] = "550 nobody\x1b[2J"
    with pytest.raises(OutwardError, match="takes none of the addresses: 550 nobody") as caught:
        send(NOTICE, **mail(post))
    assert not caught.value.lasting
    assert str(caught.value).isprintable()
    post.refuses = {"": "451 try later"}
    with pytest.raises(OutwardError, match="answers 451") as caught:
        send(NOTICE, **mail(post))
    assert caught.value.lasting
    post.stop()
    with pytest.raises(OutwardError) as caught:
        send(NOTICE, **mail(post))
    assert caught.value.lasting


# -- HTTP


def test_a_webhook_is_signed_as_standard_webhooks_are(web: Web, tmp_path: Path) -> None:
    raw = b"0123456789abcdef0123456789abcdef"
    for text, key in (("whsec_" + base64.b64encode(raw).decode(), raw), ("plain secret", b"plain secret")):
        send(NOTICE, way="webhook", url=f"{web.url}/hook?to=pit", secret_file=secret(tmp_path, text))
        request = web.requests[-1]
        assert request.path == "/hook?to=pit"
        assert json.loads(request.body)["title"] == NOTICE.title
        id_, at = request.headers["Webhook-Id"], request.headers["Webhook-Timestamp"]
        assert (id_, abs(int(at) - time.time()) < 600) == (NOTICE.id, True)
        expected = hmac.new(key, f"{id_}.{at}.".encode() + request.body, sha256).digest()
        assert request.headers["Webhook-Signature"] == f"v1,{base64.b64encode(expected).decode()}"


def test_the_signature_is_that_of_the_published_example() -> None:
    """Of github.com/standard-webhooks/standard-webhooks, spec and libraries."""
    found = signed(
        "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}', "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    )
    assert found["Webhook-Signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_ntfy_and_gotify_get_plain_text(web: Web, tmp_path: Path) -> None:
    token = secret(tmp_path, "tk_secret")
    send(NOTICE, way="ntfy", url=web.url, topic="pit", secret_file=token)
    send(HOSTILE, way="gotify", url=f"{web.url}/gotify/", secret_file=token)
    ntfy, gotify = web.requests
    said = json.loads(ntfy.body)
    assert (ntfy.path, ntfy.headers["Authorization"]) == ("/", "Bearer tk_secret")
    assert (said["topic"], said["priority"], said["click"]) == ("pit", 5, NOTICE.link)
    assert said["title"].startswith("[critical] toledo/RL-07: ")
    assert (gotify.path, gotify.headers["X-Gotify-Key"]) == ("/gotify/message", "tk_secret")
    told = json.loads(gotify.body)
    assert told["extras"] == {"client::display": {"contentType": "text/plain"}}
    assert told["title"].isprintable()
    assert all(line.isprintable() for line in told["message"].split("\n"))


@pytest.mark.parametrize(("status", "lasting"), [(503, True), (429, True), (401, True), (400, False), (302, False)])
def test_an_answer_says_whether_it_is_worth_another_attempt(web: Web, status: int, lasting: bool) -> None:
    web.answers = [status]
    with pytest.raises(OutwardError, match=f"answers {status}") as caught:
        send(NOTICE, way="webhook", url=web.url)
    assert caught.value.lasting == lasting


def test_a_server_that_never_answers_is_left(web: Web) -> None:
    web.stuck = True
    with pytest.raises(OutwardError) as caught:
        send(NOTICE, timeout_s=1.0, way="webhook", url=web.url)
    assert caught.value.lasting


# -- syslog


@pytest.mark.parametrize("kind", ["udp", "tcp", "tls"])
def test_syslog_arrives_as_rfc_5424_has_it(kind: str, tmp_path: Path) -> None:
    context, ca = server_context(tmp_path) if kind == "tls" else (None, "")
    server = Lines(kind, context)
    try:
        send(NOTICE, way="syslog", url=server.url, ca=str(ca))
        until(lambda: server.received, "nothing arrives")
    finally:
        server.stop()
    (whole,) = server.received
    if kind != "udp":
        length, _, whole = whole.partition(b" ")
        assert int(length) == len(whole)
    head, data, text = whole.partition(b" [")[0], *whole.partition(b" [")[2].split(b"] \xef\xbb\xbf", 1)
    assert head.startswith(b"<105>1 2027-01-15T08:00:02.000000Z ")  # 13 * 8 + 1
    assert len(head.split(b" ")) == 6
    assert b' table="toledo/RL-07"' in data
    assert text.startswith(b"The ball is spun too late")


def test_no_text_of_a_table_leaves_its_field_in_syslog() -> None:
    said = message(msgspec_replace(HOSTILE, at=NOTICE.at))
    assert len(said) <= MOST_BYTES
    text = said.decode()
    assert all(each.isprintable() or each == "\ufeff" for each in text)
    assert ' table="x??Bcc: all@house.example' in text
    assert '\\]\\"\\\\' in text.partition("\ufeff")[0]


def test_a_syslog_that_is_not_there_is_lasting() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(OutwardError) as caught:
        send(NOTICE, way="syslog", url=f"tcp://127.0.0.1:{port}")
    assert caught.value.lasting


# -- a program


def test_a_program_gets_json_and_no_shell(tmp_path: Path) -> None:
    out = tmp_path / "out"
    code = f"import sys; open({str(out)!r}, 'w').write(sys.stdin.read() + repr(sys.argv[1:]))"
    send(NOTICE, way="program", command=[sys.executable, "-c", code, "$(touch x); `id`"])
    body, _, arguments = out.read_text().partition("\n")
    assert json.loads(body)["case"] == 12
    assert arguments == repr(["$(touch x); `id`"])
    with pytest.raises(OutwardError, match=r"exit 3: no pager") as caught:
        send(
            NOTICE,
            way="program",
            command=[sys.executable, "-c", "raise SystemExit(print('no pager', file=__import__('sys').stderr) or 3)"],
        )
    assert not caught.value.lasting
    with pytest.raises(OutwardError, match="not done in 1 s"):
        send(NOTICE, timeout_s=1.0, way="program", command=[sys.executable, "-c", "import time; time.sleep(60)"])


def msgspec_replace(notice: Notice, **fields: Any) -> Notice:
    import msgspec

    return msgspec.structs.replace(notice, **fields)
