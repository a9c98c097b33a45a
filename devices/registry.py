"""Maps (type, protocol) to the device class, which is imported only when a table needs it. MicroPython subset.

A module of this package declares its classes itself: `DEVICES = {"TYPE.PROTOCOL": "Class"}`, on one line. The protocol
of a device read from lines alone is "lines". "ndjson" fits every type: a reader that already speaks the vocabulary
sends it as JSON lines.
"""

import pitwatch.devices
from pitwatch.devices.declared import declared
from pitwatch.devices.vocabulary import EVENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pitwatch.devices.base import Device

TYPES = tuple(EVENTS)

_built_in: "dict[tuple[str, str], tuple[str, str]]" = {}
_added: "dict[tuple[str, str], type[Device]]" = {}


def classes() -> "dict[tuple[str, str], tuple[str, str]]":
    """(type, protocol) to (module, class name) of every built-in class, protocols read from lines last. Raises
    ValueError for a type that is none, and for two classes of one type and protocol."""
    if not _built_in:
        found: dict[tuple[str, str], tuple[str, str]] = {}
        modules = declared(pitwatch.devices, "DEVICES")
        for module in modules:
            for name, cls in modules[module].items():
                device_type, _, protocol = name.partition(".")
                if device_type not in TYPES or not protocol:
                    raise ValueError("%s: DEVICES: %s is no TYPE.PROTOCOL" % (module, name))
                if (device_type, protocol) in found:
                    raise ValueError(
                        "%s: DEVICES: %s is that of %s" % (module, name, found[(device_type, protocol)][0])
                    )
                found[(device_type, protocol)] = (module, cls)
        for key in sorted(found, key=_lines_last):
            _built_in[key] = found[key]
    return _built_in


def _lines_last(key: "tuple[str, str]") -> "tuple[bool, str, str]":
    return (key[1] == "lines", key[0], key[1])


def add(device_type: str, protocol: str, cls: "type[Device]") -> None:
    """Let `find` know a class from outside. Raises ValueError for a protocol that is built in."""
    if protocol in protocols(device_type):
        raise ValueError("%s of a %s is built in" % (protocol, device_type))
    _added[(device_type, protocol)] = cls


def protocols(device_type: str) -> "list[str]":
    """Built-in protocol names that fit a device type, the ones of its own first."""
    return [p for t, p in classes() if t == device_type] + ["ndjson"]


def find(device_type: str, protocol: str) -> "type[Device]":
    """The class for a type and protocol. Raises KeyError if there is none."""
    if protocol == "ndjson" and device_type in TYPES:
        from pitwatch.devices.reporting import reporting_class

        return reporting_class(device_type)
    if (device_type, protocol) in _added:
        return _added[(device_type, protocol)]
    module, name = classes()[(device_type, protocol)]
    found: type[Device] = getattr(__import__(module, None, None, (name,)), name)
    return found
