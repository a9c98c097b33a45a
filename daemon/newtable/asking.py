"""Puts questions to a person at a terminal, or takes the answers out of a file. Knows no question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from pitwatch.daemon.common.errors import ConfigError, UsageError
from pitwatch.daemon.config.sections import read_toml
from pitwatch.rules.text.did_you_mean import did_you_mean

Check = Callable[[str], str]
"""The answer in its right form. Raises ValueError with what would be right."""

NO_DEFAULT = None

YES, NO = ("y", "yes", "true"), ("n", "no", "false")


class Asker(Protocol):
    """`key` names the question in a file of answers."""

    def say(self, text: str = "") -> None: ...
    def ask(self, key: str, question: str, default: str | None, check: Check) -> str: ...
    def choose(self, key: str, question: str, choices: Sequence[str], default: int | None) -> int: ...
    def yes(self, key: str, question: str, default: bool) -> bool: ...


def as_it_is(answer: str) -> str:
    return answer


class Terminal:
    """A person. `read` asks one line and raises EOFError where there are no more."""

    def __init__(self, read: Callable[[str], str] = input, say: Callable[[str], None] = print):
        self._read = read
        self._say = say

    def say(self, text: str = "") -> None:
        self._say(text)

    def ask(self, key: str, question: str, default: str | None, check: Check) -> str:
        shown = f" [{default or 'none'}]" if default is not None else ""
        while True:
            answer = self._line(f"{question}{shown}: ")
            if not answer and default is None:
                self._say("  please give an answer, or press Ctrl-C to stop")
                continue
            try:
                return check(answer or default or "")
            except ValueError as error:
                self._say(f"  {error}")

    def choose(self, key: str, question: str, choices: Sequence[str], default: int | None) -> int:
        for number, choice in enumerate(choices, start=1):
            self._say(f"  {number:2}  {choice}")

        def check(answer: str) -> str:
            if not (answer.isascii() and answer.isdigit() and 1 <= int(answer) <= len(choices)):
                raise ValueError(f"a number from 1 to {len(choices)} is right")
            return answer

        return int(self.ask(key, question, None if default is None else str(default + 1), check)) - 1

    def yes(self, key: str, question: str, default: bool) -> bool:
        def check(answer: str) -> str:
            if answer.lower() not in YES + NO:
                raise ValueError("yes or no is right")
            return answer.lower()

        return self.ask(key, question, "yes" if default else "no", check) in YES

    def _line(self, prompt: str) -> str:
        try:
            return self._read(prompt).strip()
        except EOFError:
            raise UsageError("the answers ended before the last question; nothing was written") from None


class Answers:
    """A TOML file. What it does not answer gets the default. `taken` keeps what was asked for."""

    def __init__(self, path: Path, known: Sequence[str], say: Callable[[str], None] = print):
        self._path = path
        self._say = say
        self.data: dict[str, Any] = read_toml(path, "an answers")[1]
        for key in self.data:
            if key not in known:
                hint = did_you_mean(key, known, f"known: {', '.join(known)}")
                raise ConfigError(path, key, f"is no question; {hint}")

    def error(self, key: str, what: str) -> ConfigError:
        return ConfigError(self._path, key, what)

    def say(self, text: str = "") -> None:
        self._say(text)

    def _given(self, key: str) -> Any:
        value: Any = self.data
        for part in key.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        return value

    def ask(self, key: str, question: str, default: str | None, check: Check) -> str:
        given = self._given(key)
        if given is None and default is None:
            raise self.error(key, f"missing; it answers: {question}")
        if isinstance(given, dict | list):
            raise self.error(key, f"is no answer; it answers: {question}")
        text = default or "" if given is None else str(given).lower() if isinstance(given, bool) else str(given)
        try:
            return check(text)
        except ValueError as error:
            raise self.error(key, str(error)) from None

    def choose(self, key: str, question: str, choices: Sequence[str], default: int | None) -> int:
        return default or 0

    def yes(self, key: str, question: str, default: bool) -> bool:
        given = self._given(key)
        if not isinstance(given, bool | None):
            raise self.error(key, f"true or false is right; it answers: {question}")
        return default if given is None else given
