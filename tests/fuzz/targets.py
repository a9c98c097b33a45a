"""What is fuzzed: one list, for the guided fuzzer and for the suite alike."""

from __future__ import annotations

from collections.abc import Callable

from pitwatch.devices.protocols import (
    angel_eye,
    card_lines,
    em4100,
    line_framer,
    magstripe,
    mercury360,
    node_link,
    osdp,
    slingshot2,
)
from pitwatch.hal import rfc2217
from pitwatch.hal.address import parse
from tests.fuzz.device_targets import (
    byte_device,
    line_device,
    modbus_answers,
    port_shape,
    serial_box,
    stripe_screen,
    typing_reader,
    wiegand_bits,
)
from tests.fuzz.file_targets import (
    capture_file,
    floor_file,
    floor_values,
    rule_book,
    rule_values,
    table_file,
    table_values,
)
from tests.fuzz.message_targets import floor_message, requests
from tests.fuzz.node_targets import node_firmware, node_frames, node_host
from tests.fuzz.osdp_target import osdp_panel
from tests.fuzz.seeds import (
    angel_eye_seeds,
    badge_seeds,
    button_seeds,
    mercury_seeds,
    osdp_seeds,
    slingshot_seeds,
    stripe_seeds,
)
from tests.fuzz.target import Target

FEEDS: dict[str, Callable[[], Callable[[bytes], object]]] = {
    "line framer": lambda: line_framer.LineFramer().feed,
    "slingshot2": lambda: slingshot2.Framer().feed,
    "mercury360": lambda: mercury360.Framer().feed,
    "angel eye": lambda: angel_eye.Framer().feed,
    "osdp": lambda: osdp.Framer().feed,
    "em4100": lambda: em4100.Framer().feed,
    "magstripe screen": lambda: magstripe.Screen().feed,
    "node frames": lambda: node_link.Framer().feed,
    "rfc2217": lambda: rfc2217.Session(parse("rfc2217:box:2000?baud=9600")).feed,
}
"""What takes bytes first, each fresh."""

REPORT = b'{"event":"card_drawn","data":{"card":"TD","to":"player"}}\n{"event":"odd","data":{}}\n'

TARGETS: dict[str, Callable[[], Target]] = {
    "slingshot2": lambda: byte_device("wheel", "slingshot2", slingshot_seeds()),
    "mercury360": lambda: byte_device("wheel", "mercury360", mercury_seeds(), mode="extended"),
    "angel-eye": lambda: byte_device("shoe", "angel_eye", angel_eye_seeds()),
    "card-line-shoe": lambda: byte_device("shoe", "card_lines", [card_lines.line("1H12"), b"AS\r\n"]),
    "card-positions": lambda: byte_device(
        "card_position", "card_lines", [b"1:AS\r\n", b"1-AS\r\n"], channels={"1": "seat-1", "2": "dealer"}
    ),
    "reporting-device": lambda: byte_device("shoe", "ndjson", [REPORT]),
    "em4100": lambda: byte_device("key_reader", "em4100", badge_seeds()),
    "ibutton": lambda: byte_device("key_reader", "ibutton", button_seeds()),
    "magstripe": lambda: byte_device("key_reader", "magstripe", stripe_seeds()),
    "magstripe-screen": stripe_screen,
    "modbus-answers": modbus_answers,
    "osdp-reader": lambda: byte_device("key_reader", "osdp", osdp_seeds()),
    "osdp-panel": lambda: osdp_panel(b""),
    "osdp-secure-panel": lambda: osdp_panel(bytes(range(16))),
    "node-host": node_host,
    "node-frames": node_frames,
    "node-firmware": node_firmware,
    "rfc2217": serial_box,
    "typing-reader": typing_reader,
    "wiegand": wiegand_bits,
    "port-shape": port_shape,
    "wiegand-lines": lambda: line_device("key_reader", "wiegand"),
    "raw-wheel": lambda: line_device("wheel"),
    "dice": lambda: line_device("dice"),
    "shuffler": lambda: line_device("shuffler"),
    "discard-rack": lambda: line_device("discard_rack"),
    "peek": lambda: line_device("peek"),
    "panel": lambda: line_device("panel"),
    "seats": lambda: line_device("seats"),
    "progressive": lambda: line_device("progressive"),
    "enclosure": lambda: line_device("enclosure"),
    "configuration": table_file,
    "configuration-values": table_values,
    "floor-configuration": floor_file,
    "floor-values": floor_values,
    "rule-book": rule_book,
    "rule-book-values": rule_values,
    "capture": capture_file,
    "requests": requests,
    "floor-message": floor_message,
}
"""Name to what makes the target: each driver makes only those that it runs."""
