"""Every mistake in a configuration is one line that names file, key and what would be right."""

from __future__ import annotations

import pytest

from pitwatch.daemon.common.errors import ConfigError
from pitwatch.daemon.config import config

GOOD = """
[table]
site = "toledo"
id = "RL-07"
game = "toledo-2020/roulette"
options = { wheel = "double-zero" }

[mqtt]
url = "mqtt://127.0.0.1:1883"

[[device]]
id = "wheel"
type = "wheel"
link = "serial:/dev/ttyUSB0"
protocol = "slingshot2"

[[device]]
id = "dice"
type = "dice"
link = "gpio:"
lines = { rail-left = { chip = "pinctrl-bcm2711", line = 17, active_low = true, bias = "pull-up", debounce_us = 500 } }

[people]
"12:34567" = { role = "supervisor", name = "A" }
"""


def load(tmp_path, text):
    path = tmp_path / "table.toml"
    path.write_text(text)
    return config.load(path)


def test_a_good_table_is_read_with_its_defaults(tmp_path):
    table = load(tmp_path, GOOD)
    wheel, dice = table.devices
    assert (wheel.id, wheel.protocol, wheel.by_lines) == ("wheel", "slingshot2", False)
    assert (dice.protocol, dice.by_lines) == ("lines", True)
    (line,) = dice.lines
    assert (line.name, line.chip, line.line, line.active_low) == ("rail-left", "pinctrl-bcm2711", 17, True)
    assert (line.bias, line.debounce_us) == ("pull-up", 500)
    assert table.topic == "pitwatch/1/toledo/RL-07"
    assert [(broker.host, broker.port, broker.tls) for broker in table.brokers] == [("127.0.0.1", 1883, False)]
    assert table.people["12:34567"].role == "supervisor"
    assert table.keep_days == 14
    assert table.warnings == ()


def test_paths_are_counted_from_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir("/")
    text = GOOD.replace('url = "mqtt://127.0.0.1:1883"', 'url = "mqtts://b"\nca = "ca.pem"\n[journal]\npath = "j.db"')
    table = load(tmp_path, text)
    assert table.mqtt.ca == str(tmp_path / "ca.pem")
    assert table.journal == tmp_path / "j.db"


def test_the_journal_goes_where_systemd_says(tmp_path, monkeypatch):
    monkeypatch.setenv("STATE_DIRECTORY", "/var/lib/pitwatch/RL-07:/var/lib/other")
    assert str(load(tmp_path, GOOD).journal) == "/var/lib/pitwatch/RL-07/pitwatch-RL-07.db"


def test_a_book_beside_the_file_is_found(tmp_path):
    from pitwatch.rules.book import BOOKS

    (tmp_path / "house").symlink_to(BOOKS / "toledo-2020")
    assert load(tmp_path, GOOD.replace('"toledo-2020/roulette"', '"house/roulette"')).game.id == "roulette"


MISTAKES = {
    "wrong section": ("[mqtt]\nurl", "[mqt]\nurl", 'mqt: unknown key; did you mean "mqtt"?'),
    "wrong key": ('site = "toledo"', 'site = "toledo"\nseatz = []', 'table.seatz: unknown key; did you mean "seats"?'),
    "missing key": ('id = "RL-07"\n', "", "table.id: missing; [table] needs it"),
    "wrong kind": ('id = "RL-07"', "id = 7", "table.id: 7 is a whole number; text is right"),
    "topic level": (
        'id = "RL-07"',
        'id = "RL/07"',
        'table.id: "RL/07" has other characters than letters, digits, - and _',
    ),
    "unknown game": ("toledo-2020/roulette", "toledo-2020/roulete", "table.game: rule book 'toledo-2020' has no game"),
    "unknown book": ("toledo-2020/roulette", "toledo-2021/roulette", "did you mean 'toledo-20"),
    "unknown option": (
        "options = { wheel",
        "options = { whel",
        "table.options.whel: no such option of toledo-2020/roulette",
    ),
    "option's value": (
        '"double-zero" }',
        '"triple-zero" }',
        "table.options.wheel: 'triple-zero' is not allowed; double-zero",
    ),
    "seat": ('site = "toledo"', 'site = "toledo"\nseats = [1, 12]', "table.seats[1]: 12 is no seat; seat-1 to seat-9"),
    "scheme": ("mqtt://127", "http://127", 'mqtt.url: "http://127.0.0.1:1883" is no broker address; mqtt://HOST'),
    "secret in address": ("mqtt://127", "mqtt://me:secret@127", "mqtt.url: credentials do not belong in the address"),
    "second address": (
        '"mqtt://127.0.0.1:1883"',
        '["mqtt://a", "http://b"]',
        'mqtt.url[1]: "http://b" is no broker addr',
    ),
    "address twice": (
        '"mqtt://127.0.0.1:1883"',
        '["mqtt://a", "mqtt://a:1883"]',
        'mqtt.url[1]: "mqtt://a:1883" is named tw',
    ),
    "no address": ('"mqtt://127.0.0.1:1883"', "[]", "mqtt.url: is an empty list; name a broker"),
    "address's kind": ('"mqtt://127.0.0.1:1883"', "5", "mqtt.url: 5 is a whole number; text or a list is right"),
    "pre-roll": ("[mqtt]", "[video]\npreroll_s = -1\n[mqtt]", "video.preroll_s: -1 is not from 0 to 3600 seconds"),
    "camera": ("[mqtt]", "[video]\ncamara = 'a'\n[mqtt]", 'video.camara: unknown key; did you mean "camera"?'),
    "prefix": ("[mqtt]", '[mqtt]\nprefix = "a/#"', 'mqtt.prefix: "a/#" is no topic prefix'),
    "version": ("[mqtt]", '[mqtt]\nversion = "4"', 'mqtt.version: "4" is none of 3.1.1, 5'),
    "half a certificate": ("[mqtt]", '[mqtt]\ncert = "c.pem"', "mqtt.key: missing; cert is given"),
    "password alone": ("[mqtt]", '[mqtt]\npassword_file = "p"', "mqtt.username: missing"),
    "device type": (
        'type = "wheel"',
        'type = "weel"',
        'device[0].type: "weel" is no device type; did you mean "wheel"?',
    ),
    "protocol": (
        "slingshot2",
        "slingshot",
        'device[0].protocol: "slingshot" does not fit a wheel; did you mean "slingshot2"?',
    ),
    "no protocol": (
        'protocol = "slingshot2"\n',
        "",
        "device[0].protocol: missing; a wheel speaks one of mercury360, slingshot2",
    ),
    "link": ("serial:/dev/ttyUSB0", "usb:/dev/ttyUSB0", "device[0].link: 'usb:/dev/ttyUSB0': unknown kind"),
    "baud": ("ttyUSB0", "ttyUSB0?baud=fast", "baud=fast; it must be a whole number"),
    "bytes on lines": ("serial:/dev/ttyUSB0", "gpio:", 'device[0].link: "gpio:" does not carry bytes'),
    "lines on bytes": (
        'link = "gpio:"',
        'link = "tcp:h:1"\nprotocol = "lines"',
        'device[1].link: "tcp:h:1" does not carry lines',
    ),
    "bias": ("pull-up", "pullup", 'device[1].lines.rail-left.bias: "pullup" is none of as-is, pull-up'),
    "line number": (
        "line = 17",
        'line = "17"',
        'device[1].lines.rail-left.line: "17" is text; a whole number is right',
    ),
    "line key": ("debounce_us", "debounce", 'rail-left.debounce: unknown key; did you mean "debounce_us"?'),
    "setting": (
        '[[device]]\nid = "dice"',
        'silent = 3\n[[device]]\nid = "dice"',
        "device[0].silent: unknown key of a wheel by slingshot2",
    ),
    "setting's kind": (
        '[[device]]\nid = "dice"',
        'silent_s = "3"\n[[device]]\nid = "dice"',
        'device[0].silent_s: "3" is text; a number is right: longest time without a status line',
    ),
    "same id": ('id = "dice"', 'id = "wheel"', 'device[1].id: "wheel" is already the id of device[0]'),
    "role": (
        'role = "supervisor"',
        'role = "superviser"',
        'people."12:34567".role: "superviser" is no role; did you mean "supervisor"?',
    ),
    "journal": ("[people]", "[journal]\nkeep_days = 0\n[people]", "journal.keep_days: 0 is too few"),
    "text setting's kind": (
        '[[device]]\nid = "dice"',
        'wheel = 0\n[[device]]\nid = "dice"',
        "device[0].wheel: 0 is a whole number; text is right",
    ),
    "key twice": (
        'id = "RL-07"',
        'id = "RL-07"\nid = "RL-08"',
        "is not TOML: a key is there twice, or a table as [NAME]",
    ),
    "table twice": (
        "[people]",
        "[mqtt]\n[people]",
        "is not TOML: [mqtt] is there already; where several are meant, each",
    ),
    "inline key twice": ("bias =", "line = 18, bias =", "is not TOML: line is there twice (at line "),
    "key added": ("[mqtt]", "options.more = 1\n[mqtt]", "options is complete at its first place; "),
    "device as table": (
        '[[device]]\nid = "wheel"',
        '[device]\nid = "wheel"',
        "is not TOML: a key is there twice, or a table as [NAME] and [[NAME]] (at line ",
    ),
    "device as table, later": (
        '[[device]]\nid = "dice"',
        '[device]\nid = "dice"',
        "is not TOML: [device] is there already; where several are meant, each is [[device]] (at line ",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_in_one_line(tmp_path, name):
    right, wrong, told = MISTAKES[name]
    assert right in GOOD
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, GOOD.replace(right, wrong, 1))
    message = str(caught.value)
    assert message.startswith(str(tmp_path / "table.toml") + ": ")
    assert told in message
    assert "\n" not in message


def test_a_pin_claimed_twice_names_both_places(tmp_path):
    second = """
[[device]]
id = "lid"
type = "enclosure"
link = "gpio:"
lines = { lid = { chip = "pinctrl-bcm2711", line = LINE } }
[people]"""
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, GOOD.replace("[people]", second.replace("LINE", "17")))
    assert "device[2].lines.lid: line 17 of pinctrl-bcm2711 is already claimed by device[1].lines.rail-left" in str(
        caught.value
    )
    assert len(load(tmp_path, GOOD.replace("[people]", second.replace("LINE", "18"))).devices) == 3


MODULE = """
[[device]]
id = "lid"
type = "enclosure"
link = "modbus:10.0.0.8:502?unit=2"
lines = { lid = LINE }
[people]"""


def test_inputs_of_a_module_are_lines_by_their_address(tmp_path):
    lid = load(tmp_path, GOOD.replace("[people]", MODULE.replace("LINE", "{ line = 17, active_low = true }"))).devices[
        2
    ]
    assert [(line.name, line.chip, line.line) for line in lid.lines] == [("lid", "modbus:10.0.0.8:502?unit=2", 17)]


def test_inputs_by_onvif_are_lines_by_their_token(tmp_path):
    for line, token in (("{ line = 2 }", "2"), ('{ chip = "DI_9", line = 0 }', "DI_9")):
        text = MODULE.replace("modbus:10.0.0.8:502?unit=2", "onvif:10.0.0.9:1883/IO7?user=a").replace("LINE", line)
        (spec,) = load(tmp_path, GOOD.replace("[people]", text)).devices[2].lines
        assert spec.chip == f"onvif:10.0.0.9:1883/IO7#{token}"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{ chip = "c", line = 1 }', "lines.lid.chip: a module has no chips; leave it out"),
        ("{ line = 65536 }", "lines.lid.line: 65536 is no input of a module; 0 to 65535 are right"),
        ('{ line = 1, bias = "pull-up" }', "lines.lid.bias: an input of a module has none; set it at the module"),
        ("{ line = 1, debounce_us = 5 }", "lines.lid.debounce_us: an input of a module has none"),
    ],
)
def test_what_only_a_chip_has_is_refused_of_a_module(tmp_path, line, told):
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, GOOD.replace("[people]", MODULE.replace("LINE", line)))
    assert "device[2]." + told in str(caught.value)


def test_a_table_without_broker_is_good_for_replay_but_not_to_run(tmp_path):
    table = load(tmp_path, GOOD.replace('[mqtt]\nurl = "mqtt://127.0.0.1:1883"', ""))
    with pytest.raises(ConfigError, match="mqtt: missing"):
        table.brokers  # noqa: B018


@pytest.mark.parametrize(
    ("content", "told"), [(b"\xff", "is not UTF-8"), (b"[table", "is not TOML"), (b"", "table: missing")]
)
def test_a_file_that_is_no_configuration(tmp_path, content, told):
    path = tmp_path / "table.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=told):
        config.load(path)


def test_a_missing_file(tmp_path):
    with pytest.raises(ConfigError, match="no such file"):
        config.load(tmp_path / "nowhere.toml")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(ConfigError, match=r": is a folder; give the path of a table's TOML file$"):
        config.load(tmp_path)


def test_another_speed_than_the_protocol_s_is_a_warning(tmp_path):
    (warning,) = load(tmp_path, GOOD.replace("ttyUSB0", "ttyUSB0?baud=4800")).warnings
    assert "4800 baud" in warning
    assert load(tmp_path, GOOD.replace("ttyUSB0", "ttyUSB0?baud=9600")).warnings == ()


@pytest.mark.parametrize(
    ("given", "told"),
    [("parity=E", "8 bits, parity E, 1 stop bits, where slingshot2 is known to use 8, N, 1"),
     ("stop=2", "8 bits, parity N, 2 stop bits"), ("bits=7", "7 bits, parity N, 1 stop bits"), ("parity=N&bits=8", "")],
)  # fmt: skip
@pytest.mark.parametrize("port", ["serial:/dev/ttyUSB0", "rfc2217:box:4001"])
def test_another_frame_than_the_protocol_s_is_a_warning(tmp_path, port, given, told):
    warnings = load(tmp_path, GOOD.replace("serial:/dev/ttyUSB0", f"{port}?{given}")).warnings
    assert len(warnings) == bool(told)
    assert told in "".join(warnings)


def test_a_box_in_raw_mode_has_settings_of_its_own(tmp_path):
    assert load(tmp_path, GOOD.replace("serial:/dev/ttyUSB0", "tcp:box:4001")).warnings == ()


RAW_WHEEL = """
[[device]]
id = "raw"
type = "wheel"
link = "gpio:"
[device.lines]
""" + "".join(
    f'{name} = {{ chip = "c", line = {number} }}\n'
    for number, name in enumerate(("rotor-index", "rotor-encoder", "rotor-encoder-b", "track-a", "track-b", "pocket"))
)
SINGLE = GOOD.replace('"double-zero"', '"single-zero"') + RAW_WHEEL


def test_a_wheel_that_does_not_say_which_it_is_is_the_table_s(tmp_path):
    for text, pockets in ((GOOD + RAW_WHEEL, 38), (SINGLE, 37)):
        table = load(tmp_path, text)
        assert {device.settings["wheel"] for device in table.devices if device.type == "wheel"} == {
            table.table.options["wheel"]
        }
        assert len(table.devices[-1].decoder().order) == pockets
    said = (
        load(tmp_path, SINGLE)
        .devices[0]
        .decoder()
        .feed(b"*u OK\r\n" * 2 + b"*X;2;007;17;0;150;0\r\n*X;5;007;00;0;150;0\r\n", 0)
    )
    assert "ball_settled" not in [o.event for o in said]
    assert [o.data["reason"] for o in said if o.event == "device_fault"] == ["impossible_pocket"]


@pytest.mark.parametrize("by_default", [False, True])
def test_a_wheel_that_is_not_the_table_s_is_refused(tmp_path, by_default):
    text = GOOD.replace('options = { wheel = "double-zero" }\n', "") if by_default else GOOD
    told = (
        'device[0].wheel: "single-zero", but the table\'s option is "double-zero"; set it in the options of [table] '
        "and leave it out here"
    )
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, text.replace('"slingshot2"', '"slingshot2"\nwheel = "single-zero"'))
    assert str(caught.value).endswith(told)
    load(tmp_path, text.replace('"slingshot2"', '"slingshot2"\nwheel = "double-zero"'))
    craps = text.replace("roulette", "craps").replace('options = { wheel = "double-zero" }\n', "")
    load(tmp_path, craps.replace('"slingshot2"', '"slingshot2"\nwheel = "single-zero"'))


OSDP = """
[[device]]
id = "keys"
type = "key_reader"
protocol = "osdp"
link = "osdp:serial:/dev/ttyUSB1?address=3"
"""


def test_a_key_reader_on_a_bus(tmp_path):
    table = load(tmp_path, GOOD + OSDP)
    assert table.devices[-1].protocol == "osdp"
    assert table.warnings == ()


@pytest.mark.parametrize(
    ("link", "written", "timing"),
    [
        ("wiegand:", "", None),
        ("wiegand:RPi.GPIO", "", "late"),
        ("wiegand:RPi.GPIO", 'timing = "exact"', "exact"),
        ("wiegand:", 'timing = "late"', "late"),
    ],
)
def test_how_a_key_reader_s_edges_are_stamped_is_implied_by_its_link(tmp_path, link, written, timing):
    lines = ", ".join(
        f'{name} = {{ chip = "pinctrl-bcm2711", line = {line}, active_low = true }}'
        for name, line in (("d0", 5), ("d1", 6))
    )
    reader = f'[[device]]\nid = "keys"\ntype = "key_reader"\nlink = "{link}"\n{written}\nlines = {{ {lines} }}\n'
    assert load(tmp_path, GOOD + reader).devices[-1].settings.get("timing") == timing


def test_a_way_to_stamp_edges_that_there_is_not(tmp_path):
    reader = '[[device]]\nid = "keys"\ntype = "key_reader"\nlink = "none"\nprotocol = "wiegand"\ntiming = "quick"\n'
    with pytest.raises(ConfigError, match="timing: 'quick' is no way to stamp edges; exact or late"):
        load(tmp_path, GOOD + reader)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "osdp:serial:/dev/ttyUSB1?address=3",
            "serial:/dev/ttyUSB1",
            "does not carry questions and answers, which osdp",
        ),
        ("osdp:serial:/dev/ttyUSB1?address=3", "osdp:serial:/dev/ttyUSB1?address=200", "from 0 to 126"),
        ('link = "serial:/dev/ttyUSB0"', 'link = "osdp:serial:/dev/ttyUSB0"', "does not carry bytes, which slingshot2"),
        ('link = "serial:/dev/ttyUSB0"', 'link = "hid:scanner"', "hid:scanner"),
    ],
)
def test_a_link_that_is_written_to_is_for_key_readers_only(tmp_path, old, new, told):
    with pytest.raises(ConfigError, match=told):
        load(tmp_path, (GOOD + OSDP).replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("[table]", "x = " + "[" * 2_000 + "\n[table]", "is not TOML: nested too deep"),
        ("[table]", "x = " + "9" * 5_000 + "\n[table]", "is not TOML: a whole number of too many digits"),
        ("[people]", '[journal]\npath = "~nobody-9/j.db"\n[people]', r"journal\.path: .*~nobody-9.* unknown here"),
        ("[people]", '[journal]\npath = "a\\u0000b"\n[people]', r"journal\.path: .* zero character"),
        ("[people]", f"[journal]\nkeep_days = {10**20}\n[people]", "keep_days: .* too many; 1 to 36500 days are right"),
        ("toledo-2020/", "x" * 300 + "/", r"table\.game: no rule book"),
        ("mqtt://127.0.0.1", "mqtt://a\\nb", r"mqtt\.url: .*a\\nb.* has a character that no address has"),
        ("mqtt://127.0.0.1", "mqtt://[::1", r"mqtt\.url: .* no broker address .*is right"),
        ('type = "wheel"', 'type = "wh\\neel"', r"type: \"wh\\neel\" is no device type"),
        ('type = "wheel"', 'type = "' + "y" * 3_000 + '"', "type: \"y.* … .*known: "),
        ('protocol = "slingshot2"', 'protocol = "slingshot2"\n"a\\nb" = 1', r"a\\nb: unknown key"),
        ('"12:34567"', '"12\\u2028"', r"people\.\"12\\u2028\": is no credential"),
    ],
)  # fmt: skip
def test_what_nobody_would_write_is_told_in_one_line_too(tmp_path, old, new, told):
    with pytest.raises(ConfigError, match=told) as caught:
        load(tmp_path, GOOD.replace(old, new, 1))
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 1_000
    assert str(caught.value).isprintable()


def test_a_file_of_an_editor_that_marks_its_byte_order_is_read(tmp_path):
    assert load(tmp_path, "\ufeff" + GOOD).table.id == load(tmp_path, GOOD).table.id


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('["a) twice (at b"]\n["a) twice (at b"]', r"\[a\) twice \(at b\] is there already"),
        (
            'x = { "Cannot declare (a,) twice" = 1, "Cannot declare (a,) twice" = 2 }',
            r"declare \(a,\) twice is there twice",
        ),
        ('["a\\nb".c]\n["a\\nb".c]', r"\[a\\nb\.c\] is there already"),
    ],
)
def test_names_that_look_like_what_the_library_says(tmp_path, text, told):
    with pytest.raises(ConfigError, match=told):
        load(tmp_path, text)


PANEL = """
[[device]]
id = "panel"
type = "panel"
link = "gpio:"
[device.lines]
"NAME" = { chip = "pinctrl-bcm2711", line = 18 }
"""


@pytest.mark.parametrize("name", ["hand-" + "a" * 3_900, "hand-0\\u0000", "report-a\\nb", "hand-\\u202e"])
def test_a_key_of_a_panel_is_printable_and_short(tmp_path, name):
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, GOOD + PANEL.replace("NAME", name))
    assert "a line's name is at most 128 characters, all of them printable" in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("name", ["hand-straight flush", "hand-" + "é" * 123, "report-toledo-2020/dice/die-on-die"])
def test_a_key_of_a_panel_may_have_any_name_that_prints(tmp_path, name):
    assert load(tmp_path, GOOD + PANEL.replace("NAME", name)).devices[2].lines[0].name == name


@pytest.mark.parametrize("name", ["house.example", "House_1", "a" * 64])
def test_a_house_has_a_name_of_its_own(tmp_path, name):
    assert load(tmp_path, GOOD).table.house == "house"
    given = GOOD.replace('id = "RL-07"', f'id = "RL-07"\nhouse = "{name}"')
    assert load(tmp_path, given).table.house == name


@pytest.mark.parametrize("name", ["a house", "house/one", "house+1", "-house", "a" * 65, "h\u00f6use", "\u2603"])
def test_what_no_origin_can_have_is_no_house(tmp_path, name):
    with pytest.raises(ConfigError, match=r"table\.house: .* is no name of a house"):
        load(tmp_path, GOOD.replace('id = "RL-07"', f'id = "RL-07"\nhouse = "{name}"'))
