"""Checks the input of the rules: a field of the vocabulary has its type, or counts as not seen (None).

So that procedures and watchers may trust what they read, whatever a device, an adapter or a capture says.
"""

from __future__ import annotations

from typing import Any

from pitwatch.devices.observation import Observation

NUMBER = (int, float)

FIELD_TYPES: dict[str, type[Any] | tuple[type[Any], ...]] = {
    **dict.fromkeys(("cards", "decks", "dice", "shakes", "number", "spin", "count", "lost", "index"), int),
    **dict.fromkeys(("rpm", "revolutions", "at_most", "spread_ms"), NUMBER),
    **dict.fromkeys(("blackjack", "on", "uncertain", "same_direction", "void"), bool),
    **dict.fromkeys(("card", "to", "kind", "winner", "credential", "zone", "direction", "pocket"), str),
    **dict.fromkeys(("state", "last", "key", "seat", "hand", "reason"), str),
    **dict.fromkeys(("faces", "at"), list),
}

ITEM_TYPES: dict[str, type] = {"faces": int, "at": str}


def _fits(name: str, value: Any) -> bool:
    wanted = FIELD_TYPES.get(name)
    if wanted is None or value is None:
        return True
    if isinstance(value, list) and wanted is list:
        return all(each is None or type(each) is ITEM_TYPES[name] for each in value)
    return isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool))


def admit(observation: Observation) -> Observation:
    """The observation itself, or a copy in which fields of the wrong type are None."""
    data = observation.data
    for name, value in data.items():
        if not _fits(name, value):
            clean = {key: each if _fits(key, each) else None for key, each in data.items()}
            return Observation(observation.t, observation.device, observation.event, clean)
    return observation
