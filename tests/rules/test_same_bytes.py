"""The records of a stream are the same bytes in every process: no order comes from a set's, which Python draws anew."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.rules.test_any_stream import GAMES

SHOW = """
import sys
from random import Random
import msgspec
from pitwatch.devices.observation import Observation
from pitwatch.devices.vocabulary import EVENTS
from pitwatch.rules.engine import Engine
from pitwatch.rules.play.cards import DECK
from tests.rules.table import SECOND, facts
from tests.rules.test_any_stream import GAMES, KEYS, POSITIONS

LIKELY = ["card_position card_placed", "card_position card_removed", "shoe card_drawn", "shuffler packet_dispensed",
    "panel key_pressed", "seats seat_taken", "seats seat_left", "dice dice_settled", "wheel ball_settled"]
SEATS = ["seat-1", "seat-2", "seat-3", "seat-7"]
for name, game in GAMES.items():
    rng = Random(name)
    for _ in range(40):
        seq = t = 0
        engine = Engine(game, facts(*EVENTS))
        engine.feed(seq, Observation(0, "panel", "key_pressed", {"key": "no_more_bets"}))
        records = []
        for seq in range(1, 60):
            device, event = rng.choice(LIKELY).split()
            t += rng.choice([0, SECOND, SECOND, 12 * SECOND])
            data = {"to": rng.choice(POSITIONS), "from": rng.choice(POSITIONS), "card": rng.choice(DECK[:20]),
                "cards": rng.choice([2, 3, 5, 7]), "key": rng.choice([*KEYS, "no_more_bets", "round_over"]),
                "seat": rng.choice(SEATS), "faces": [rng.randint(1, 6), rng.randint(1, 6)],
                "pocket": str(rng.randint(0, 36))}
            if event == "card_removed":
                data["to"] = data["from"]
            records += engine.feed(seq, Observation(t, device, event, data))
        records += engine.finish()
        print(name, msgspec.json.encode(records).decode())
"""


def test_records_are_the_same_whatever_order_a_set_has() -> None:
    said = [
        subprocess.run(
            [sys.executable, "-c", SHOW],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
        ).stdout.splitlines()
        for seed in ("1", "2", "3")
    ]
    assert {line.split()[0] for line in said[0]} == GAMES.keys()
    for one, *others in zip(*said, strict=True):
        assert [*others] == [one, one]
