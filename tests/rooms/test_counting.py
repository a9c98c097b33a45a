from __future__ import annotations

import pytest

from tests.rooms.counting import counted, matrix, rooms


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A package of three rooms: two modules of `up` import one of `down`, one of them `aside` as well, when called."""
    files = {
        "house_of_rooms/__init__.py": "",
        "house_of_rooms/inner/__init__.py": "",
        "house_of_rooms/inner/aside.py": "from house_of_rooms import outside\n",
        "house_of_rooms/outside.py": "",
        "house_of_rooms/inner/up/__init__.py": "",
        "house_of_rooms/inner/up/one.py": (
            "from house_of_rooms.inner.down import it\nimport house_of_rooms.inner.up.two\n"
        ),
        "house_of_rooms/inner/up/two.py": (
            "from house_of_rooms.inner.down.it import a, b\n"
            "def later():\n    import house_of_rooms.inner.aside\n    from house_of_rooms.inner.down import it\n"
        ),
        "house_of_rooms/inner/down/__init__.py": "",
        "house_of_rooms/inner/down/it.py": "a = b = 1\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    return "house_of_rooms.inner"


def test_each_pair_of_modules_counts_once_and_a_room_not_for_itself(house):
    assert counted(house) == {("up", "down"): 2, ("up", "aside"): 1}


def test_the_matrix_has_a_line_a_room_and_sums(house):
    assert [line.split() for line in matrix(house, ["up", "aside", "down"])] == [
        ["1", "2", "3", "all"],
        ["1", "up", "-", "1", "2", "3"],
        ["2", "aside", ".", "-", ".", "0"],
        ["3", "down", ".", ".", "-", "0"],
        ["all", "0", "1", "2", "3"],
    ]


def test_a_room_without_a_place_is_named(house):
    with pytest.raises(ValueError, match="aside: no such room"):
        matrix(house, ["up", "down"])


def test_rooms_of_one_layer_stand_side_by_side():
    assert rooms(["cli", "wiring | requests", "common"]) == ["cli", "wiring", "requests", "common"]
