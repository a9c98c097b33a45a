"""ONVIF events in JSON over MQTT (`onvif-ej`): topics and payloads. MicroPython subset. Opens nothing.

PREFIX/onvif-ej/TOPIC/&SOURCE/…: the topic of the standard without its own namespace, `alias:Name` for any other, and
`&` before the first of the source's values. A property event is retained; an empty payload withdraws it. Facts: ONVIF
Core Specification, "MQTT" (Event JSON), and Device IO Specification.
"""

import json

MARK = "onvif-ej"
DIGITAL_INPUT = "Device/Trigger/DigitalInput"
LONGEST = 16_384  # bytes of a payload that is read


def inputs_filter(prefix: str) -> str:
    """The filter of every digital input of a device."""
    return "%s/%s/%s/+" % (prefix, MARK, DIGITAL_INPUT)


def token_of(topic: str) -> str:
    """The token of a digital input, from the last level of its topic; "" if there is none."""
    last = topic.rpartition("/")[2]
    return last[1:] if last.startswith("&") else ""


def logical_state(payload: bytes) -> int:
    """1 if the input is active, else 0. Raises ValueError for what is no such event."""
    if len(payload) > LONGEST:
        raise ValueError("%d bytes are no event of an input" % len(payload))
    try:
        event = json.loads(str(payload, "utf-8"))
        state = event["Data"]["LogicalState"]
    except (ValueError, KeyError, TypeError, RuntimeError):
        raise ValueError("no event of an input: LogicalState is missing") from None
    if state in (True, "true", "1"):
        return 1
    if state in (False, "false", "0"):
        return 0
    raise ValueError("LogicalState is neither true nor false")


def level(text: str) -> str:
    """A text as a level of a topic, where "/", "+", "#" and controls have a meaning of their own."""
    return "".join([char if char not in "/+#" and " " < char != "\x7f" else "_" for char in text]) or "_"


def topic(prefix: str, local: str, *source: str) -> str:
    """The topic of an event; `local` such as "pitwatch:Table/Irregularity"."""
    values = [level(value) for value in source]
    where = "/".join(["&" + values[0]] + values[1:]) if values else ""
    return "/".join([part for part in (prefix, MARK, local, where) if part])


def payload(utc: str, source: "dict[str, object]", data: "dict[str, object]") -> bytes:
    """The payload of an event; `utc` as 2026-11-28T01:30:00.437Z."""
    return json.dumps({"UtcTime": utc, "Source": source, "Data": data}).encode()
