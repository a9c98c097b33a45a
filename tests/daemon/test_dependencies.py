"""The record of a start names what the program runs on."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from pitwatch.daemon.service import dependencies as module


def test_version_and_content_of_what_is_installed() -> None:
    found = module.dependencies()
    assert found["python"]["version"] == sys.version.split()[0]
    for name in ("aiomqtt", "paho-mqtt", "msgspec", "pyserial"):
        assert found[name]["version"] == version(name)
        assert len(found[name]["sha256"]) == 64


def test_any_changed_file_changes_it_and_bytecode_does_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "some_thing"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text("a = 1\n")
    (package / "inner" / "fast.so").write_bytes(b"\x7fELF")
    (tmp_path / "some_thing-1.2.3.dist-info").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(module, "PACKAGES", {"some-thing": "some_thing", "not-here": "not_here"})

    def now() -> dict[str, dict[str, str]]:
        module.dependencies.cache_clear()
        return module.dependencies()

    try:
        first = now()
        assert set(first) == {"python", "some-thing"}
        assert first["some-thing"]["version"] == "1.2.3"
        (package / "__pycache__").mkdir()
        (package / "__pycache__" / "x.pyc").write_bytes(b"x")
        assert now() == first
        seen = {first["some-thing"]["sha256"]}
        (package / "inner" / "fast.so").write_bytes(b"\x7fELg")
        seen.add(now()["some-thing"]["sha256"])
        (package / "inner" / "more.py").write_text("")
        seen.add(now()["some-thing"]["sha256"])
        assert len(seen) == 3
    finally:
        module.dependencies.cache_clear()
