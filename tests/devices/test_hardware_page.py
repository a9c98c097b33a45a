"""docs/hardware.md names every line and setting that a configuration may use."""

from pathlib import Path

import pytest

from pitwatch.devices import registry
from pitwatch.devices.vocabulary import KEYS, NAMING_KEYS

PAGE = (Path(__file__).parents[2] / "docs" / "hardware.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("device_type", "protocol"), sorted(registry.classes()))
def test_the_page_names_every_line_and_setting(device_type: str, protocol: str) -> None:
    cls = registry.find(device_type, protocol)
    _, found, rest = PAGE.partition(f'`type = "{device_type}"`, `protocol = "{protocol}"`')
    assert found, f"{device_type} by {protocol} has no section"
    section = rest.partition("\n### ")[0]
    for name, says in cls.LINES.items():
        assert f"`{name}`" in section
        assert says in section
    for key, (_, says) in cls.SETTINGS.items():
        assert f"`{key}`" in section
        assert says in section


def test_the_page_names_every_key_of_a_panel() -> None:
    section = PAGE.partition('`type = "panel"`, `protocol = "lines"`')[2].partition("\n### ")[0]
    assert all(f"`{key}`" in section for key in KEYS)
    assert all(f"`{key}:<" in section for key in NAMING_KEYS)
