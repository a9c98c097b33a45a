"""Finds everything in a rule book's file that has not the shape it must have: keys that are missing or unknown, values
of the wrong type. Knows the structs alone; what the values mean is checked by `bookcheck`.
"""

from __future__ import annotations

import difflib
import re
from types import UnionType
from typing import Any, Literal, NamedTuple, TypeGuard, get_args, get_origin

import msgspec

AT = re.compile(r" - at `\$\.?(?P<path>[^`]*)`")
INVALID = re.compile(r"Invalid enum value (?P<value>.*)")

EXPECTED = re.compile(r"Expected `(?P<right>[^`]+)`, got `(?P<given>[^`]+)`")
WORDS = {
    "str": "text", "int": "a whole number", "float": "a number", "bool": "true or false", "array": "a list",
    "object": "a table", "null": "nothing",
}  # fmt: skip
"""Types as the library calls them, in plain words."""

LEANS_ON = {
    "disposition": ("severity",),
    "needs": ("partly",),
    "values": ("default",),
    "also": ("default",),
    "minimum": ("default",),
    "maximum": ("default",),
}
"""Keys that can be judged only if this one of the same table is right."""


class Fault(NamedTuple):
    """`at`: the key path to show, the table for a key that is missing; `key`: the path of the key that is not right."""

    at: str
    key: str
    says: str


class Shape:
    """Reads a table as a struct whatever is wrong in it: a value that is of no use is replaced by an empty one."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def spoils(self, says: str) -> bool:
        """Whether a mistake, which begins with its key, is only the consequence of a value that was replaced."""
        return any(re.match(rf"{re.escape(key)}(?![\w-])", says) for key in self._spoilt())

    def _spoilt(self) -> set[str]:
        keys = set()
        for fault in self.faults:
            table, dot, name = fault.key.rpartition(".")
            keys |= {fault.key, *(f"{table}{dot}{each}" for each in LEANS_ON.get(name, ()))}
        return keys

    def read(self, data: Any, shape: type[msgspec.Struct], path: str) -> Any:
        """The struct of this shape that stands at `path`; what is wrong is added to `faults`."""
        if not isinstance(data, dict):
            self._wrong(path, data, shape)
            return _empty(shape)
        fields = {field.encode_name: field for field in msgspec.structs.fields(shape)}
        prefix = f"{path}." if path else ""
        missing = [name for name, field in fields.items() if field.required and name not in data]
        for name in data:
            if name in fields:
                continue
            near = difflib.get_close_matches(name, fields, 1)
            hint = f"; did you mean `{near[0]}`?" if near else ""
            meant = near[0] if near and near[0] in missing else name
            missing = [each for each in missing if each != meant]
            self._add(prefix + name, prefix + meant, f"{prefix}{name}: `{name}` is no key of this table{hint}")
        for name in missing:
            says = f"`{name}` is missing"
            if name == "lines":
                says = 'no citation; add lines = "…", the lines of the document that say it'
            self._add(path, prefix + name, f"{path or 'the file'}: {says}")
        return shape(**{
            field.name: self._value(data[name], field.type, prefix + name) if name in data else _empty(field.type)
            for name, field in fields.items()
            if name in data or field.required
        })  # fmt: skip

    def _value(self, value: Any, kind: Any, key: str) -> Any:
        parts = get_args(kind)
        if get_origin(kind) is tuple and _is_struct(parts[0]) and isinstance(value, list):
            return tuple(self.read(each, parts[0], f"{key}[{index}]") for index, each in enumerate(value))
        if get_origin(kind) is dict and _is_struct(parts[1]) and isinstance(value, dict):
            return {name: self.read(each, parts[1], f"{key}.{name}") for name, each in value.items()}
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            self._tell(key, str(error), kind)
            return _empty(kind)

    def _wrong(self, path: str, data: Any, shape: type[msgspec.Struct]) -> None:
        try:
            msgspec.convert(data, shape)
        except msgspec.ValidationError as error:
            self._tell(path, str(error), shape)

    def _tell(self, key: str, message: str, kind: Any) -> None:
        at = AT.search(message)
        says = message[: at.start()] if at else message
        if types := EXPECTED.fullmatch(says):
            right = " or ".join(_word(each) for each in types["right"].split(" | ") if each != "null")
            says = f"{_word(types['given'])} stands here; {right} is right"
        found = INVALID.match(says)
        if found and get_origin(kind) is Literal:
            says = f"{found['value']} is none of {', '.join(get_args(kind))}"
        inner = at["path"] if at else ""
        where = key + ("" if not inner or inner[0] == "[" else ".") + inner
        self._add(key, key, f"{where}: {says}")

    def _add(self, at: str, key: str, says: str) -> None:
        self.faults.append(Fault(at, key, says))


def _word(kind: str) -> str:
    return WORDS.get(kind, "a date or time")


def _is_struct(kind: Any) -> TypeGuard[type[msgspec.Struct]]:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _empty(kind: Any) -> Any:
    """A value of this type that says nothing."""
    if _is_struct(kind):
        return kind(**{field.name: _empty(field.type) for field in msgspec.structs.fields(kind) if field.required})
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Literal:
        return parts[0]
    if origin is UnionType or (origin is not None and type(None) in parts):
        return None if type(None) in parts else _empty(parts[0])
    made = {tuple: (), dict: {}, str: "", int: 0, bool: False, float: 0.0}
    return made.get(origin or kind)
