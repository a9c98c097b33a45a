"""What `watch` and `archive` subscribe to covers every kind of message of the contract: one left out is a gap."""

from __future__ import annotations

import re

import pytest

from pitwatch.daemon.contract.asyncapi import KINDS
from pitwatch.floor.archive.intake import RECORDS, STANDING
from pitwatch.floor.watch.model import TOPICS

NOT_FOR_THEM = ("live", "echo")
"""Cards of open rounds, and a test of the broker; neither has a sequence."""

EXAMPLES = [(kind, re.sub(r"\{\w+\}", "x", topic)) for kind, (_, topic, _, _) in KINDS.items()]


def covers(patterns: tuple[str, ...], topic: str) -> bool:
    return any(re.fullmatch(each.replace("+", "[^/]+").replace("/#", "(/.*)?"), topic) for each in patterns)


@pytest.mark.parametrize(("kind", "topic"), [each for each in EXAMPLES if each[0] not in NOT_FOR_THEM])
def test_every_kind_is_heard(kind: str, topic: str) -> None:
    assert covers(TOPICS, topic), f"watch does not hear {kind}"
    assert covers((*RECORDS, *STANDING), topic), f"archive does not hear {kind}"


@pytest.mark.parametrize(("kind", "topic"), [each for each in EXAMPLES if each[0] in NOT_FOR_THEM])
def test_live_cards_and_tests_of_the_broker_are_not(kind: str, topic: str) -> None:
    assert not covers((*TOPICS, *RECORDS, *STANDING), topic), kind
