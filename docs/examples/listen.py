#!/usr/bin/env python3
"""A whole subscriber in one file, with paho-mqtt 2 (pip install 'paho-mqtt>=2'): every irregularity once, none missed.

    python listen.py broker.example --state seen.json
    python listen.py broker.example --port 8883 --ca ca.crt --cert client.crt --key client.key --acknowledge eye

Prints each irregularity as one line of JSON, and on standard error what it noticed. With --state it knows after a
restart where it was and asks the tables for what it missed meanwhile. After a power cut the last second may come twice.
"""

import argparse
import contextlib
import json
import signal
import subprocess
import sys
import time
import uuid
from collections import OrderedDict, deque
from pathlib import Path

try:
    import paho.mqtt.client as mqtt
    from paho.mqtt.enums import CallbackAPIVersion
except ImportError:
    sys.exit(
        "listen.py needs paho-mqtt 2 for this Python: pip install 'paho-mqtt>=2', "
        "or in a clone of Pitwatch .venv/bin/python docs/examples/listen.py"
    )

STANDING = ("pitwatch.alert.v1", "pitwatch.device.v1", "pitwatch.integrity.v1")  # told again, so they may be old
REMEMBERED = 100_000  # ids; what comes again comes soon
AT_ONCE = 500  # records that one replay may be
ANSWERED_WITHIN = 10  # seconds; a table answers ten requests a minute and lets the others wait for ever


class Table:
    """What has come of one table, and what it is still to be asked."""

    def __init__(self, last: int):
        self.last = last  # everything up to here has come, or was asked for
        self.questions: deque[tuple[str, dict]] = deque()
        self.asked: float | None = None  # when the first of them was sent


class Listener:
    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.seen: OrderedDict[str, None] = OrderedDict()
        self.state = Path(options.state) if options.state else None
        stored = json.loads(self.state.read_text()) if self.state and self.state.exists() else {}
        self.tables = {table: Table(last) for table, last in stored.items()}
        self.stored = time.monotonic()
        self.client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id=options.client_id)
        if options.ca:
            self.client.tls_set(options.ca, options.cert, options.key)
        self.name = common_name(options.cert) if options.cert else ""
        self.client.on_connect = self.connected
        self.client.on_message = self.received

    def run(self) -> None:
        self.client.connect_async(self.options.host, self.options.port)
        try:
            while True:
                if self.client.loop(0.2) != mqtt.MQTT_ERR_SUCCESS:
                    self.connect()
                for name in self.tables:
                    self.ask(name)
                if time.monotonic() - self.stored > 1:
                    self.store()
        finally:
            self.store()

    def connect(self) -> None:
        try:
            self.client.reconnect()
        except OSError as error:
            note(f"no connection: {error}; trying again")
            time.sleep(1)

    def connected(self, client, userdata, flags, reason, properties) -> None:
        if reason.is_failure:
            note(f"refused: {reason}")
        else:
            client.subscribe(f"{self.options.prefix}/#", qos=1)
            note("listening")

    def received(self, client, userdata, message) -> None:
        if not message.payload or "/request/" in message.topic:
            return  # an empty payload removes a retained message
        try:
            self.take(message, json.loads(message.payload))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            note(f"{message.topic}: no table would send this: {error!r}")

    def take(self, message: mqtt.MQTTMessage, event: dict) -> None:
        kind = event["type"]
        name = "/".join(message.topic.removeprefix(self.options.prefix + "/").split("/")[:2])  # SITE/TABLE
        if kind == "pitwatch.response.v1":
            self.answered(name, event["data"])
        # 1. Duplicates: the same id of the same table is the same event, whatever MQTT says of the message.
        key = f"{name} {event['id']}"
        if key in self.seen:
            return
        self.seen[key] = None
        if len(self.seen) > REMEMBERED:
            self.seen.popitem(last=False)
        # 2. Gaps: a table's sequence has none. States such as `status` and `health` have no sequence.
        if "sequence" in event and not message.retain and (name in self.tables or kind not in STANDING):
            self.in_order(name, int(event["sequence"]))  # a string above 2147483647
        if kind == "pitwatch.irregularity.v1":
            print(json.dumps(event), flush=True)
            if self.options.acknowledge:
                question = {"by": self.options.acknowledge, "sequence": int(event["sequence"])}
                self.tables[name].questions.append(("acknowledge", question))

    def in_order(self, name: str, sequence: int) -> None:
        table = self.tables.setdefault(name, Table(sequence))  # what was before the first is not missed
        for first in range(table.last + 1, sequence, AT_ONCE):
            last = min(first + AT_ONCE, sequence) - 1
            note(f"{name}: {first} to {last} are missing")
            table.questions.append(("replay", {"first": first, "last": last}))
        table.last = max(table.last, sequence)

    def ask(self, name: str) -> None:
        """One question at a time: a table does one replay after another."""
        table, now = self.tables[name], time.monotonic()
        if not table.questions or not self.client.is_connected():
            return
        if table.asked is None or now - table.asked > ANSWERED_WITHIN:
            verb, question = table.questions[0]
            if table.asked is not None:
                note(f"{name}: {verb} was not answered; asking again")
            question["id"] = uuid.uuid4().hex
            asker = f"/{self.name}" if self.name else ""  # a broker without certificates knows no name
            topic = f"{self.options.prefix}/{name}/request/{verb}{asker}"
            self.client.publish(topic, json.dumps(question), qos=1)
            table.asked = now

    def answered(self, name: str, answer: dict) -> None:
        table = self.tables.get(name)
        if answer.get("client", "") != self.name:
            return  # another client's, who may use the same id
        if table and table.questions and answer["request"] == table.questions[0][1].get("id"):
            verb, question = table.questions.popleft()
            table.asked = None
            if "under way" in answer["reason"]:  # somebody else's replay; ask again in a while
                table.questions.appendleft((verb, question))
                table.asked = time.monotonic()
            elif not answer["ok"]:
                note(f"{name}: {verb} {question}: {answer['reason']}")

    def store(self) -> None:
        """Only what cannot be asked for again any more: before the first question that is open."""
        self.stored = time.monotonic()
        if self.state:
            safe = {}
            for name, table in self.tables.items():
                open_ones = [question["first"] - 1 for verb, question in table.questions if verb == "replay"]
                safe[name] = min([table.last, *open_ones])
            new = self.state.with_suffix(".new")
            new.write_text(json.dumps(safe))
            new.replace(self.state)


def common_name(certificate: str) -> str:
    """The name in a certificate: by it the broker knows who asks."""
    command = ["openssl", "x509", "-noout", "-subject", "-nameopt", "multiline,utf8", "-in", certificate]
    try:
        subject = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return next(line.partition("=")[2].strip() for line in subject.splitlines() if "commonName" in line)
    except (OSError, subprocess.CalledProcessError, StopIteration):
        sys.exit(f"listen.py: openssl reads no name in {certificate}")


def note(text: str) -> None:
    """One line, whatever a message made it of: a line break or a terminal's escape sequence is shown, not obeyed."""
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    print(shown, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("host")
    parser.add_argument("--port", type=int, default=1883)
    parser.add_argument("--prefix", default="pitwatch/1")
    parser.add_argument("--client-id", default="")
    parser.add_argument("--ca")
    parser.add_argument("--cert")
    parser.add_argument("--key")
    parser.add_argument("--state", metavar="FILE", help="where to remember what has come")
    parser.add_argument("--acknowledge", metavar="NAME", help="tell the tables that NAME has seen each irregularity")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):
        Listener(parser.parse_args()).run()


if __name__ == "__main__":
    main()
