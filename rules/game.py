"""A game as its book has it: rules, figures, options, phases, controls, outcomes, each citing the lines that say it.

Knows no file; how a game is followed is elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from pitwatch.rules.records import Category, Disposition, Severity
from pitwatch.rules.text.did_you_mean import did_you_mean

PERSON = "person"
"""The need of a rule that no device can judge."""

PLACED = "shoe.card_drawn:placed"
"""The need of a rule that a shoe alone may judge if it reports where its cards go."""

CHOICE = "option."
"""So begins the need of a rule that holds only if the house chose something: `option.NAME:VALUE`."""


def is_choice(need: str) -> bool:
    return need.startswith(CHOICE)


def chosen(need: str, options: Mapping[str, Any]) -> bool:
    """Whether the house's settled options hold one of the values of such a need, alternatives joined by ` | `."""
    choices = (each.removeprefix(CHOICE).partition(":") for each in need.split(" | "))
    return any(name in options and str(options[name]).lower() == value for name, _, value in choices)


class Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is read from a file and holds no key that nobody reads."""


class Rule(Strict, frozen=True):
    """One irregularity of a book.

    `needs`: every entry must be seen by an available device; an entry is `type.event`, alternatives joined by ` | `,
    or `person`, or `option.NAME:VALUE` for what the house must have chosen. `partly`: alternatives, and choices of the
    house, with which only a part of what breaks the rule is seen, with that part in words. `derived`: the document
    states the duty but no consequence. `optional`: the document lets the crew choose. `catalogue`: the name the rule
    goes by in the reading of the document, where it differs from `id`.
    """

    id: str
    says: str
    needs: tuple[str, ...]
    category: Category
    severity: Severity
    disposition: Disposition
    instruction: str
    lines: str
    partly: dict[str, str] = {}
    notify: tuple[str, ...] = ()
    section: str = ""
    catalogue: tuple[str, ...] = ()
    applies_to: str = ""
    derived: bool = False
    optional: bool = False

    @property
    def only_a_person_sees(self) -> bool:
        return PERSON in self.needs

    @property
    def asks_where_cards_go(self) -> bool:
        return any(PLACED in need for need in self.needs)


class Figure(Strict, frozen=True):
    """`section`, here and below: where the lines stand, if not in the game's own section."""

    value: Any
    says: str
    lines: str
    section: str = ""


class Option(Strict, frozen=True):
    """What the document leaves to the house: `values` or a range; `also` maps synonyms to values."""

    says: str
    lines: str
    default: str | int | bool
    values: tuple[str | int | bool, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    also: dict[str, str | int | bool] = {}
    section: str = ""

    def allows(self) -> str:
        if self.values:
            return ", ".join(str(v).lower() if isinstance(v, bool) else str(v) for v in self.values)
        return f"a whole number from {self.minimum} to {self.maximum}"

    def settle(self, value: str | int | bool) -> str | int | bool:
        """The value meant, synonyms resolved. Raises ValueError naming what is allowed."""
        if isinstance(value, str) and value in self.also:
            value = self.also[value]
        if self.values:
            for allowed in self.values:
                if allowed == value and isinstance(allowed, bool) == isinstance(value, bool):
                    return value
        elif isinstance(value, int) and not isinstance(value, bool):
            low = value if self.minimum is None else self.minimum
            high = value if self.maximum is None else self.maximum
            if low <= value <= high:
                return value
        raise ValueError(f"{value!r} is not allowed; {self.allows()}")


class Phase(Strict, frozen=True):
    """One step of a round; `starts` names the device events that can begin it (`type.event` or `type.event:value`)."""

    id: str
    says: str
    lines: str
    starts: tuple[str, ...] = ()
    cards: int | None = None
    face: str = ""
    section: str = ""


class Control(Strict, frozen=True):
    """Something the document demands that is no irregularity by itself; `needs` as in `Rule`."""

    says: str
    needs: tuple[str, ...]
    lines: str
    section: str = ""


class Outcome(Strict, frozen=True):
    """A named result of a wager, for people."""

    name: str
    trigger: str
    lines: str
    section: str = ""


class Game(msgspec.Struct, frozen=True, kw_only=True):
    """One game of one book with what it inherits: everything a table needs to know. `edition`: which print of the
    document the book has, as it is shown to people."""

    book: str
    id: str
    name: str
    family: str
    document: str
    title: str
    edition: str
    section: str
    lines: str
    figures: dict[str, Figure]
    options: dict[str, Option]
    tables: dict[str, Any]
    phases: tuple[Phase, ...]
    rules: dict[str, Rule]
    controls: tuple[Control, ...]
    outcomes: tuple[Outcome, ...]
    remarks: tuple[str, ...]
    files: tuple[str, ...]

    @property
    def path(self) -> str:
        """BOOK/GAME, as irregularities and rounds carry it."""
        return f"{self.book}/{self.id}"

    def figure(self, name: str) -> Any:
        """The value of a figure. Raises KeyError if the book does not state it."""
        return self.figures[name].value

    def settle_options(self, given: dict[str, Any]) -> dict[str, Any]:
        """Every declared option with the house's value or the default; `_` and `-` in names are the same.

        Raises ValueError naming the option and what is allowed.
        """
        settled: dict[str, Any] = {name: option.default for name, option in self.options.items()}
        for key, value in given.items():
            name = key.replace("_", "-")
            if name not in self.options:
                hint = did_you_mean(name, self.options, "declared: " + (", ".join(self.options) or "none"))
                raise ValueError(f"{key}: no such option of {self.path}; {hint}")
            try:
                settled[name] = self.options[name].settle(value)
            except ValueError as error:
                raise ValueError(f"{key}: {error}") from None
        return settled


def spans(lines: str) -> list[tuple[int, int]]:
    """The line ranges of a citation, "71, 85-87" as [(71, 71), (85, 87)]."""
    ranges = []
    for part in lines.split(", "):
        first, _, last = part.partition("-")
        ranges.append((int(first), int(last or first)))
    return ranges
