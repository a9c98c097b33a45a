"""Where a subscriber finds its brokers: the file, the options, and mistakes in one line."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from pitwatch.daemon.common.errors import ConfigError, UsageError
from pitwatch.floor.options import add_broker_options, floor_config


def given(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_broker_options(parser)
    return parser.parse_args(arguments)


def test_without_anything_it_is_this_machine() -> None:
    floor = floor_config(given())
    assert [(address.host, address.port, address.tls) for address in floor.mqtt.addresses] == [
        ("127.0.0.1", 1883, False)
    ]
    assert floor.mqtt.prefix == "pitwatch/1"


def test_options_go_before_the_file(tmp_path: Path) -> None:
    file = tmp_path / "floor.toml"
    file.write_text(
        '[mqtt]\nurl = "mqtts://one.example"\nca = "ca.crt"\nprefix = "house/1"\n[archive]\ndatabase = "sqlite:a.db"\n'
    )
    floor = floor_config(given(str(file)))
    assert (floor.mqtt.addresses[0].host, floor.mqtt.prefix) == ("one.example", "house/1")
    assert floor.mqtt.ca == str(tmp_path / "ca.crt")
    assert floor.archive.database == "sqlite:a.db"
    floor = floor_config(given(str(file), "--broker", "mqtts://two.example", "--broker", "mqtts://three.example:99"))
    assert [address.host for address in floor.mqtt.addresses] == ["two.example", "three.example"]
    assert floor.mqtt.ca == str(tmp_path / "ca.crt")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "mqtt: missing"),
        ("[mqtt]\nurl = 5", "mqtt.url: "),
        ('[mqtt]\nurl = "mqtt://a"\nrequests = ["replay"]\nusername = "eye"', "mqtt.requests: is for tables"),
        ('[mqtt]\nurl = "mqtt://a"\n[archiv]\n', 'archiv: unknown key; did you mean "archive"?'),
        ('[mqtt]\nurl = "mqtt://a"\nmonotonicns = true', "mqtt.monotonicns: is for tables"),
        ("[mqtt", "is not TOML"),
        ('[mqtt]\nurl = "mqtt://a"\nprefix = "#"', 'mqtt.prefix: "#" is no topic prefix; levels of letters'),
        ('[mqtt]\nurl = "mqtt://a"\n[archive]\ngroup = "a/#"', 'archive.group: "a/#" is no name; letters, digits'),
    ],
)
def test_a_mistake_names_its_key(text: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "floor.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        floor_config(given(str(file)))
    assert told in str(caught.value)
    assert str(caught.value).startswith(str(file))
    assert "\n" not in str(caught.value)


def test_a_wrong_option_is_one_line() -> None:
    with pytest.raises(UsageError, match=r"--broker: .* is no broker address"):
        floor_config(given("--broker", "http://a"))
    with pytest.raises(UsageError, match="--cert and --key"):
        floor_config(given("--cert", "a"))


@pytest.mark.parametrize("prefix", ["#", "a//b", "+/1", ""])
def test_a_prefix_that_could_not_be_subscribed_to_is_told(prefix: str) -> None:
    with pytest.raises(
        UsageError, match=r"^--prefix .* is no topic prefix; levels of letters, digits, - and _ are right"
    ):
        floor_config(given("--prefix", prefix))
    assert floor_config(given("--prefix", "house/2")).mqtt.prefix == "house/2"


def test_a_secret_that_others_may_read_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secret = tmp_path / "pass word"
    secret.write_text("quiet\n")
    secret.chmod(0o644)
    given_ = given("--username", "eye", "--password-file", str(secret))
    floor_config(given_)
    assert capsys.readouterr().err == f"warning: {secret}: others may read it; chmod 600 '{secret}'\n"
    secret.chmod(0o600)
    floor_config(given_)
    assert capsys.readouterr().err == ""
