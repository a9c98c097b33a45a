#!/usr/bin/env python3
"""A whole subscriber in one file, with paho-mqtt 2 (pip install 'paho-mqtt>=2'): every irregularity once, none missed.

    python listen.py broker.example --state seen.json
    python listen.py broker.example --port 8883 --ca ca.crt --cert client.crt --key client.key --acknowledge eye

Prints each irregularity as one line of JSON, and on standard error what it noticed. With --state it knows after a
restart what has come and asks the tables for what it missed meanwhile. After a power cut the last second may come
twice. An id that comes with other content is printed too, and told as CRITICAL.
"""

import argparse
import contextlib
import json
import signal
import subprocess
import sys
import time
import uuid
from bisect import bisect_right
from collections import OrderedDict, deque
from hashlib import sha256
from heapq import nlargest
from itertools import pairwise
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
REMEMBERED = 20_000  # messages; what comes again comes soon
LARGEST = 4_096  # bytes of one that is remembered whole; of a larger one its SHA-256
HIGHEST = 2**53  # no table comes so far
STRETCHES = 1_000  # of one table; a flood of forged numbers makes no more
AT_ONCE = 500  # records that one replay may be
ANSWERED_WITHIN = 10  # seconds; a table answers ten requests a minute and lets the others wait for ever


class Table:
    """What has come of one table, and what it is still to be asked.

    `come`: stretches [first, last] of sequences that have come, in order, apart from one another. Nothing else counts:
    a number far ahead, which may be forged, leaves a gap in which the real records are still awaited.
    `gone`: what the table did not have when it was asked, for this run of the program only.
    """

    def __init__(self, come: list[list[int]]):
        self.come = come
        self.gone: list[tuple[int, int]] = []
        self.acknowledge: deque[dict] = deque()
        self.asked: tuple[str, dict] | None = None
        self.asked_at = 0.0
        self.again_at = 0.0

    @property
    def last(self) -> int:
        return self.come[-1][1]

    def take(self, sequence: int, live: bool) -> None:
        at = bisect_right(self.come, [sequence, HIGHEST])
        if at and sequence <= self.come[at - 1][1]:
            return
        self.come.insert(at, [sequence, sequence])
        if at + 1 < len(self.come) and self.come[at + 1][0] == sequence + 1:
            self.come[at][1] = self.come.pop(at + 1)[1]
        if at and self.come[at - 1][1] == sequence - 1:
            self.come[at - 1][1] = self.come.pop(at)[1]
        if len(self.come) > STRETCHES:  # forged ones are short
            self.come = sorted(nlargest(STRETCHES, self.come, key=lambda each: each[1] - each[0]))
        if live:  # what is below it is real, and may be asked for again
            cut = [(sequence + 1 if a <= sequence <= b else a, b) for a, b in self.gone]
            self.gone = [(a, b) for a, b in cut if a <= b]

    def gap(self) -> tuple[int, int] | None:
        """What to ask for next: the newest records of the oldest gap, since what is gone went from its beginning."""
        for (_, end), (begin, _) in pairwise(self.come):
            first, last = end + 1, begin - 1
            for a, b in self.gone:
                if a <= last <= b:
                    last = a - 1
            if first <= last:
                return max(first, last - AT_ONCE + 1), last
        return None

    def give_up(self, last: int) -> None:
        """Everything up to there that has not come: to the end of the stretch that came before."""
        first = max((end + 1 for _, end in self.come if end < last), default=last)
        self.gone = [*self.gone[-STRETCHES:], (first, last)]


class Listener:
    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.seen: OrderedDict[str, bytes] = OrderedDict()
        self.state = Path(options.state) if options.state else None
        stored = json.loads(self.state.read_text()) if self.state and self.state.exists() else {}
        self.tables = {name: Table([[1, come]] if isinstance(come, int) else come) for name, come in stored.items()}
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
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            note(f"{message.topic}: no table would send this: {error!r}")

    def take(self, message: mqtt.MQTTMessage, event: dict) -> None:
        kind = event["type"]
        name = "/".join(message.topic.removeprefix(self.options.prefix + "/").split("/")[:2])  # SITE/TABLE
        sequence = event.get("sequence")
        if type(sequence) is str and len(sequence) <= 16 and sequence.isdecimal():
            sequence = int(sequence)  # above 2147483647
        if sequence is not None and (type(sequence) is not int or not 0 < sequence <= HIGHEST):
            raise ValueError(f"sequence {sequence!r}"[:80])
        if kind == "pitwatch.response.v1":
            self.answered(name, event["data"])
        # 1. Duplicates: the same id of the same table, with the same content, whatever MQTT says of the message.
        key = f"{name} {event['id']}"
        kept = message.payload if len(message.payload) <= LARGEST else sha256(message.payload).digest()
        if key in self.seen:
            if sequence is None or not differs(self.seen[key], kept):
                return
            if event["data"].get("event") == "record_lost":
                return  # stands in the place of one that was lost with the journal's file; this program has it
            key += f" {sha256(message.payload).hexdigest()}"
            if key in self.seen:
                return
            note(f"CRITICAL: {name}: {event['id']} came again with other content: forged, or a fault. Keep both")
        self.seen[key] = kept
        if len(self.seen) > REMEMBERED:
            self.seen.popitem(last=False)
        # 2. Gaps: a table's sequence has none. States such as `status` and `health` have no sequence.
        if sequence is not None and not message.retain:
            again = "/response/" in message.topic
            self.in_order(name, sequence, again, again or kind in STANDING)
        if kind == "pitwatch.irregularity.v1":
            print(json.dumps(event), flush=True)
            if self.options.acknowledge and name in self.tables:
                self.tables[name].acknowledge.append({"by": self.options.acknowledge, "sequence": sequence})

    def in_order(self, name: str, sequence: int, again: bool, old: bool) -> None:
        """`old`: it may be of any age, so it says nothing of where this program's time begins."""
        table = self.tables.get(name)
        if table is None:
            if not old:
                self.tables[name] = Table([[sequence, sequence]])  # what was before the first is not missed
            return
        if old and sequence < table.come[0][0]:
            return
        if sequence > table.last + 1:
            note(f"{name}: {table.last + 1} to {sequence - 1} are missing")
        elif not again and sequence < table.come[0][0]:
            note(f"{name}: {sequence} came though all was heard from {table.come[0][0]} on: begun anew, or forged")
        table.take(sequence, not old)

    def ask(self, name: str) -> None:
        """One question at a time: a table does one replay after another."""
        table, now = self.tables[name], time.monotonic()
        if now < table.again_at or not self.client.is_connected():
            return
        if table.asked is None:
            gap = table.gap()
            if table.acknowledge:
                table.asked = "acknowledge", table.acknowledge.popleft()
            elif gap:
                table.asked = "replay", {"first": gap[0], "last": gap[1]}
            else:
                return
        elif now - table.asked_at <= ANSWERED_WITHIN:
            return
        else:
            note(f"{name}: {table.asked[0]} was not answered; asking again")
        verb, question = table.asked
        question["id"] = uuid.uuid4().hex
        asker = f"/{self.name}" if self.name else ""  # a broker without certificates knows no name
        self.client.publish(f"{self.options.prefix}/{name}/request/{verb}{asker}", json.dumps(question), qos=1)
        table.asked_at = now

    def answered(self, name: str, answer: dict) -> None:
        table = self.tables.get(name)
        if answer.get("client", "") != self.name:
            return  # another client's, who may use the same id
        if not table or not table.asked or answer["request"] != table.asked[1].get("id"):
            return
        verb, question = table.asked
        table.asked = None
        if "under way" in answer["reason"]:  # somebody else's replay; ask again in a while
            table.again_at = time.monotonic() + ANSWERED_WITHIN
            return
        if not answer["ok"]:
            note(f"{name}: {verb} {question}: {answer['reason']}")
        if verb == "replay" and not answer["ok"]:
            table.give_up(question["last"])
        elif verb == "replay" and table.gap() == (question["first"], question["last"]):
            table.give_up(question["last"])  # it has told them, it says

    def store(self) -> None:
        """Only what has come: what is missing is asked for again by the next run."""
        self.stored = time.monotonic()
        if self.state:
            new = self.state.with_suffix(".new")
            new.write_text(json.dumps({name: table.come for name, table in self.tables.items()}))
            new.replace(self.state)


def differs(one: bytes, other: bytes) -> bool:
    """Whether two messages of one id are different records. What a table says of its camera may change, and cards of a
    round that is open are withheld: null, or for lines of a wire their count."""
    if one == other:
        return False
    try:
        a, b = json.loads(one), json.loads(other)
    except ValueError:
        return True  # of one that is too large the digest is known
    for event in (a, b):
        for name in ("camera", "preroll", "postroll"):
            event.pop(name, None)
        event["monotonic"] = str(event.pop("monotonicns", event.get("monotonic")))  # as older programs name it
    left, right = a.pop("data", None), b.pop("data", None)
    if a == b and a["type"] == "pitwatch.wire.v1":
        return not (left.pop("withheld", False) or right.pop("withheld", False)) and left != right
    return a != b or not alike(left, right)


def alike(one, other) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        names = {*one, *other} - {"withheld"}
        return all(name in one and name in other and alike(one[name], other[name]) for name in names)
    return one == other or one is None or other is None


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
