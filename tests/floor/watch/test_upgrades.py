"""A version that a table's board rolled back needs attention; an upgrade that is good does not."""

from __future__ import annotations

from pitwatch.floor.watch.looks import headline
from pitwatch.floor.watch.model import Floor
from pitwatch.floor.watch.pages import concern_page
from tests.floor.watch.made import NOW, message

FAULT = "table RL-07 device wheel was on line before, and is offline: no such device"


def test_a_version_rolled_back_is_critical_and_shown_with_its_reason():
    floor, changes = Floor(), []
    floor.on_change = changes.append
    detail = {"from": "1", "to": "2", "severity": "critical", "faults": [FAULT]}
    rolled_back = message("system", {"event": "upgrade_rolled_back", "detail": detail}, 7)
    for _ in range(2):  # the archive may give it as well
        floor.take(rolled_back, NOW)
    (concern,) = floor.concerns.values()
    assert (concern.severity, concern.sequence) == ("critical", 7)
    assert headline(concern, None, NOW) == f"UPGRADE ROLLED BACK: {FAULT}"
    page = "\n".join("".join(text for text, _ in line) for line in concern_page(concern, None, NOW))
    assert "version      1" in page
    assert "rolled back  2" in page
    (change,) = [each for each in changes if each.kind == "system"]
    assert change.data["severity"] == "critical"


def test_a_good_upgrade_needs_no_attention():
    floor = Floor()
    floor.take(message("system", {"event": "upgraded", "detail": {"from": "1", "to": "2"}}, 7), NOW)
    assert not floor.concerns
