"""The subscriber of the fault harness: keeps every message with the time it came. For tests only."""

from __future__ import annotations

import json
import time
from typing import Any, NamedTuple

import paho.mqtt.client as mqtt

TOPIC = "pitwatch/1/toledo/RL-07"


class Heard(NamedTuple):
    """`at` in wall seconds, as the broker handed it over."""

    at: float
    topic: str
    event: dict[str, Any]
    retained: bool


class Ear:
    """Subscribed to everything with a lasting session, so that the broker keeps for it what comes while it is away.

    `altered`: what came again under its id and was not the same."""

    def __init__(self, port: int, name: str = "ear", lasting: bool = True):
        self.heard: list[Heard] = []
        self.altered: list[str] = []
        self._known: dict[str, dict[str, Any]] = {}
        self._subscribed = False
        self._client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id=name, clean_session=not lasting)
        self._client.max_queued_messages_set(0)
        self._client.reconnect_delay_set(1, 1)
        self._client.on_connect = lambda client, *_: client.subscribe("#", qos=1)
        self._client.on_subscribe = self._ready
        self._client.on_message = self._take
        self._client.connect("127.0.0.1", port, keepalive=60)
        self._client.loop_start()
        deadline = time.monotonic() + 10
        while not self._subscribed:
            assert time.monotonic() < deadline, "the subscriber does not connect"
            time.sleep(0.005)

    def records(self) -> list[Heard]:
        """Messages that carry a sequence, but for what somebody has asked for again."""
        return [e for e in list(self.heard) if "sequence" in e.event and "/response/" not in e.topic]

    def states(self, subtopic: str) -> list[Any]:
        """The payload data published on a retained topic, "" where it was removed."""
        return [e.event.get("data", "") for e in list(self.heard) if e.topic == f"{TOPIC}/{subtopic}"]

    def systems(self, event: str) -> list[dict[str, Any]]:
        """The details of the daemon's own records of one event, each once."""
        found = {
            e.event["id"]: e.event["data"]["detail"]
            for e in self.records()
            if e.event["type"] == "pitwatch.system.v1" and e.event["data"]["event"] == event
        }
        return list(found.values())

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()

    def _ready(self, *_: Any) -> None:
        self._subscribed = True

    def _take(self, _client: Any, _data: Any, message: mqtt.MQTTMessage) -> None:
        if "/request/" in message.topic:
            return  # not the table's; whatever may be in it
        event = json.loads(message.payload) if message.payload else {}
        if "sequence" in event:  # each is kept once, however often it comes: hundreds of kills bring much again
            known = self._known.setdefault(event["id"], event)
            if event != known:
                self.altered.append(event["id"])
            event = known
        self.heard.append(Heard(time.time(), message.topic, event, message.retain))
