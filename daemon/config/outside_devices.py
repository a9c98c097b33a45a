"""Device classes of packages that are installed beside Pitwatch, found by their entry points.

A package names a class in its entry points of group "pitwatch.devices", as TYPE.PROTOCOL. Code of a package is imported
only if a configuration names its protocol. Import this module only where one may be needed: listing the packages takes
some 40 ms. Must not know any protocol.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, EntryPoint, entry_points
from pathlib import Path

from pitwatch.devices import registry
from pitwatch.devices.base import OWN_KEYS, Device
from pitwatch.devices.vocabulary import COMMON, EVENTS

GROUP = "pitwatch.devices"
Files = dict[str, Path]


class OutsideDeviceError(Exception):
    """A class from outside that cannot be used: one line with package, entry point and what is right."""


class OutsideDevice:
    """A class from outside as it was loaded: its entry point, and the files of code it is made of."""

    def __init__(self, entry: EntryPoint, cls: type[Device]):
        self.declared = f"{entry.name} = {entry.value}"
        self._named = _named(entry)
        self.cls = cls
        self._dist = entry.dist

    def fails(self, error: Exception) -> str:
        """What is wrong if the class raised this when a device was made of it."""
        what = " ".join(f"{type(error).__name__}: {error}".split())
        return f"{self._named}: its constructor raises {what}; ValueError for a setting that is wrong is right"

    def files(self) -> Files:
        """Every file of the import packages that the class and its bases come from, and of the installed package, by
        their names below its root. Compiled copies beside a source are left out. Raises OSError."""
        found = _installed(self._dist) if self._dist else {}
        for module in {each.__module__.partition(".")[0] for each in self.cls.__mro__}:
            if module not in ("builtins", "pitwatch"):
                found |= _of_import(module)
        return dict(sorted(found.items()))


def offered(kind: str) -> list[str]:
    """The protocols of a device type that packages outside add, without loading any."""
    names = {entry.name.partition(".")[2] for entry in _entries() if entry.name.partition(".")[0] == kind}
    return sorted(name for name in names if name and name not in registry.protocols(kind))


def overlooked() -> list[str]:
    """One line for each entry point that is never loaded, because its name is no TYPE.PROTOCOL, or a built-in one."""
    found = []
    for entry in _entries():
        kind, _, protocol = entry.name.partition(".")
        if kind not in registry.TYPES or not protocol:
            wrong = f"its name is no TYPE.PROTOCOL; TYPE is one of {', '.join(registry.TYPES)}"
        elif protocol in registry.protocols(kind):
            wrong = f"{protocol} of a {kind} is built in and used instead; another name is right"
        else:
            continue
        found.append(f"{_named(entry)} is not used: {wrong}")
    return found


def load(kind: str, protocol: str) -> OutsideDevice:
    """The class that a package has for a type and protocol. Raises OutsideDeviceError; KeyError if none has one."""
    name = f"{kind}.{protocol}"
    entries = [entry for entry in _entries() if entry.name == name]
    if not entries or protocol in registry.protocols(kind):
        raise KeyError(name)
    entry = entries[0]
    if len(entries) > 1:
        packages = " and ".join(sorted(package_of(each) for each in entries))
        raise OutsideDeviceError(f"packages {packages} both have the entry point {name}; uninstall one of them")
    try:
        found = entry.load()
    except (Exception, SystemExit) as error:
        what = " ".join(f"{type(error).__name__}: {error}".split())
        raise OutsideDeviceError(
            f"{_named(entry)} cannot be loaded ({what}); MODULE:CLASS that Python can import is right"
        ) from None
    for wrong in _wrong(found, kind):
        raise OutsideDeviceError(f"{_named(entry)}: {wrong}")
    return OutsideDevice(entry, found)


def package_of(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "of unknown name"


def _named(entry: EntryPoint) -> str:
    return f'package {package_of(entry)}, entry point "{entry.name} = {entry.value}"'


def _entries() -> list[EntryPoint]:
    """Each once, however often its package is on the path, in the order of their names."""
    found = {(entry.name, entry.value, package_of(entry)): entry for entry in entry_points(group=GROUP)}
    return [found[key] for key in sorted(found)]


def _wrong(cls: object, kind: str) -> Iterator[str]:
    """What keeps a class from being a device of this type."""
    if not (isinstance(cls, type) and issubclass(cls, Device)):
        yield "is no device class; a subclass of pitwatch.devices.base.Device is right"
        return
    if kind != cls.TYPE:
        yield f'TYPE is {cls.TYPE!r}; "{kind}", as in the entry point\'s name, is right'
    known = {**EVENTS[kind], **COMMON}
    if not cls.EVENTS or not isinstance(cls.EVENTS, tuple):
        yield f"EVENTS names no event; a tuple of some of {', '.join(known)} is right"
        return
    for event in cls.EVENTS:
        if event not in known:
            yield f"EVENTS has {event!r}, which no {kind} can report; some of {', '.join(known)} are right"
    settings = cls.SETTINGS
    if not isinstance(settings, dict) or not all(isinstance(s, tuple) and len(s) == 2 for s in settings.values()):
        yield 'SETTINGS is no {key: (default, "what it means, with its unit")}, which is right'
        return
    for key in settings:
        if key in OWN_KEYS:
            yield f"SETTINGS has {key!r}, a key of every [[device]]; another name is right"
    if not isinstance(cls.LINES, dict) or not set(cls.REQUIRED) <= set(cls.LINES):
        yield 'LINES is no {line: "what it carries"} with every line of REQUIRED, which is right'
    if not cls.LINES and cls.feed is Device.feed:
        yield "reads nothing; LINES for a device read from lines, or a method feed(data, t), is right"
    if cls.LINES and cls.edge is Device.edge:
        yield "has LINES and reads none; a method edge(line, level, t), as of LineDevice, is right"


def _installed(dist: Distribution) -> Files:
    listed = dist.files or []
    return {
        str(file): path
        for file in listed
        if file.parts[0] != ".." and "__pycache__" not in file.parts and not file.parts[0].endswith(".dist-info")
        if (path := Path(str(dist.locate_file(file)))).is_file()
    }


def _of_import(name: str) -> Files:
    module = sys.modules[name]
    found = {}
    for folder in map(Path, getattr(module, "__path__", ())):
        files = (file for file in folder.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
        found.update({file.relative_to(folder.parent).as_posix(): file for file in files})
    if not found and getattr(module, "__file__", None):
        file = Path(str(module.__file__))
        found[file.name] = file
    return found
