"""Detects the protocol of a stream of bytes. MicroPython subset. Must not know any protocol, device or port.

Each protocol's own framer decides: a stream has a protocol's shape if the framer finds complete messages in it and
leaves few bytes over. Noise and a wrong speed have no shape.

A module of this package declares that it detects a protocol: `SHAPE = {"PROTOCOL": "function"}`, on one line. The
function takes bytes and returns the number of complete messages in them, and of the bytes that belong to these.
"""

import pitwatch.devices.protocols
from pitwatch.devices.declared import declared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MESSAGES = 3  # whole ones, before a stream is believed to be anything
SHARE = 0.7  # of the bytes that must belong to messages

_fits: "dict[str, Callable[[bytes], tuple[int, int]]]" = {}


def shapes() -> "dict[str, Callable[[bytes], tuple[int, int]]]":
    """The function of each protocol that has a shape, by the protocol's name. Raises ValueError if two modules declare
    one protocol."""
    if not _fits:
        found: dict[str, Callable[[bytes], tuple[int, int]]] = {}
        modules = declared(pitwatch.devices.protocols, "SHAPE")
        for module in sorted(modules):
            for protocol, function in modules[module].items():
                if protocol in found:
                    raise ValueError("%s: SHAPE: another module has %s too" % (module, protocol))
                found[protocol] = getattr(__import__(module, None, None, (function,)), function)
        _fits.update(found)
    return _fits


def looks_like(data: bytes, expected: str = "") -> str:
    """The protocol whose shape `data` has, or "" for none; "node" is a sensor node's wire. Of two that it fits alike it
    is the expected one."""
    best, name = SHARE * len(data), ""
    fits = shapes()
    for protocol in sorted(fits):
        messages, fitting = fits[protocol](data)
        if messages >= MESSAGES and (fitting > best or (fitting == best and name != expected)):
            best, name = fitting, protocol
    return name
