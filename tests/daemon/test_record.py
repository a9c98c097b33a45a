"""What `pitwatch record` writes is in order of what happened, though a sensor node's edges come late."""

from __future__ import annotations

import io
import json

from pitwatch.daemon.captures.capture import Writer
from pitwatch.daemon.commands.record import LATEST, InOrder, Recorder

SECOND = 1_000_000_000


def test_a_late_edge_stands_where_it_happened():
    file, in_order = io.BytesIO(), InOrder()
    writer = Writer(file)
    beam, panel = (Recorder(name, writer, 5 * SECOND, in_order) for name in ("beam", "panel"))
    beam.opened(6 * SECOND, {"node": {"id": "e6"}})
    beam.initial({"rail": 0}, 6 * SECOND)
    panel.edge("misdeal", 1, 8 * SECOND)
    beam.edge("rail", 1, 7 * SECOND)
    in_order.release(4 * SECOND - LATEST)
    panel.received(b"x", 9 * SECOND)
    beam.lost(2, 8 * SECOND)
    in_order.release()
    lines = [json.loads(line) for line in file.getvalue().splitlines()]
    assert [(line["t"], line["device"]) for line in lines] == [
        (1.0, "beam"), (1.0, "beam"), (2.0, "beam"), (3.0, "panel"), (3.0, "beam"), (4.0, "panel"),
    ]  # fmt: skip
    assert lines[0]["data"] == {"node": {"id": "e6"}}
    assert lines[2]["level"] == 1


def test_an_edge_never_stands_before_the_levels_it_changes():
    file, in_order = io.BytesIO(), InOrder()
    beam = Recorder("beam", Writer(file), 0, in_order)
    beam.initial({"rail": 0}, 2 * SECOND)
    beam.edge("rail", 1, 2 * SECOND - 1000)
    in_order.release()
    assert [json.loads(line).get("levels") for line in file.getvalue().splitlines()] == [{"rail": 0}, None]
