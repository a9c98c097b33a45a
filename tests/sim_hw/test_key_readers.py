"""The people of a table by any kind of reader: what is judged is the same as with key cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.sim_hw.tablerun import BenchTable


def button(card: str) -> str:
    facility, _, number = card.partition(":")
    return f"01-{int(facility):06x}{int(number):06x}"


def stripe(card: str) -> str:
    facility, _, number = card.partition(":")
    return f"{int(facility):04d}{int(number):06d}"


READERS: dict[str, Callable[[str], str]] = {"em4100": str, "ibutton": button, "magstripe": stripe}
"""Protocol to the credential that each card of the table's file becomes."""


def with_reader(protocol: str) -> BenchTable:
    table = BenchTable("three-card-poker")
    table.devices = [
        replace(each, protocol=protocol, lines=(), settings={}) if each.type == "key_reader" else each
        for each in table.devices
    ]
    table.people = {READERS[protocol](card): role for card, role in table.people.items()}
    return table


@pytest.mark.parametrize("protocol", READERS)
def test_the_same_is_judged_as_with_key_cards(protocol: str) -> None:
    cards, table = BenchTable("three-card-poker"), with_reader(protocol)
    assert table.provokable() == cards.provokable()
    clean = table.run(60, 1)
    assert clean.rules == Counter()
    assert not [each for each in clean.observations if each.event in ("device_fault", "bytes_discarded")]
    plan = table.plan(120, 3)
    heard = table.run(120, 3, plan)
    assert heard.rules == Counter(rule for each in plan for rule in each.expects)
    shown = [each for each in heard.observations if each.event == "credential_presented"]
    assert {each.data["credential"] for each in shown} <= set(table.people)
    assert len(shown) == len(
        [each for each in cards.run(120, 3, plan).observations if each.event == "credential_presented"]
    )
