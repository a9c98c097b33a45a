"""Which class decodes a device: (type, protocol) to class, imported only when a table asks for it. MicroPython subset.

The protocol of a device read from lines alone is "lines". "ndjson" fits every type: a reader that already speaks the
vocabulary sends it as JSON lines.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pitwatch.devices.base import Device

TYPES = (
    "shuffler", "shoe", "card_position", "discard_rack", "peek", "key_reader", "dice", "wheel", "panel", "seats",
    "progressive", "enclosure",
)  # fmt: skip

CLASSES = {
    ("wheel", "slingshot2"): ("pitwatch.devices.slingshot_wheel", "SlingshotWheel"),
    ("wheel", "lines"): ("pitwatch.devices.raw_wheel", "RawWheel"),
    ("shoe", "angel_eye"): ("pitwatch.devices.angel_eye_shoe", "AngelEyeShoe"),
    ("shoe", "card_lines"): ("pitwatch.devices.card_line_readers", "CardLineShoe"),
    ("card_position", "card_lines"): ("pitwatch.devices.card_line_readers", "CardLinePositions"),
    ("key_reader", "wiegand"): ("pitwatch.devices.wiegand_reader", "WiegandReader"),
    ("key_reader", "osdp"): ("pitwatch.devices.osdp_reader", "OsdpReader"),
    ("dice", "lines"): ("pitwatch.devices.dice_table", "DiceTable"),
    ("shuffler", "lines"): ("pitwatch.devices.shuffler_contacts", "ShufflerContacts"),
    ("discard_rack", "lines"): ("pitwatch.devices.discard_rack", "DiscardRack"),
    ("peek", "lines"): ("pitwatch.devices.peek", "PeekDevice"),
    ("panel", "lines"): ("pitwatch.devices.panel", "DealerPanel"),
    ("seats", "lines"): ("pitwatch.devices.seats", "SeatSensors"),
    ("progressive", "lines"): ("pitwatch.devices.progressive", "ProgressiveContacts"),
    ("enclosure", "lines"): ("pitwatch.devices.enclosure", "Enclosure"),
}


_added: "dict[tuple[str, str], type[Device]]" = {}


def add(device_type: str, protocol: str, cls: "type[Device]") -> None:
    """Let `find` know a class from outside. Raises ValueError for a protocol that is built in."""
    if protocol in protocols(device_type):
        raise ValueError("%s of a %s is built in" % (protocol, device_type))
    _added[(device_type, protocol)] = cls


def protocols(device_type: str) -> "list[str]":
    """Built-in protocol names that fit a device type, the ones of its own first."""
    return [p for t, p in CLASSES if t == device_type] + ["ndjson"]


def find(device_type: str, protocol: str) -> "type[Device]":
    """The class for a type and protocol. Raises KeyError if there is none."""
    if protocol == "ndjson" and device_type in TYPES:
        from pitwatch.devices.reporting import reporting_class

        return reporting_class(device_type)
    if (device_type, protocol) in _added:
        return _added[(device_type, protocol)]
    module, name = CLASSES[(device_type, protocol)]
    found: type[Device] = getattr(__import__(module, None, None, (name,)), name)
    return found
