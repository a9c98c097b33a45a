"""Provisioning: made once, added to, never written over; keys are their owner's alone."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib

import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.config.broker_url import parse_broker_url
from pitwatch.daemon.config.house_names import client_id, client_ids
from pitwatch.daemon.contract.asyncapi import KINDS

pytest.importorskip("cryptography")


def provision(folder, *arguments):
    tables = [] if arguments[0].startswith("-") else ["--table", arguments[0]]
    return cli.main(["provision", str(folder), "--broker", "broker.example", *tables, *arguments[len(tables) // 2 :]])


def content(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_house_is_made_once_and_added_to(tmp_path, capsys):
    assert provision(tmp_path, "toledo/RL-07", "--surveillance", "eye") == 0
    before = content(tmp_path)
    assert provision(tmp_path, "toledo/RL-07", "--surveillance", "eye") == 0
    assert content(tmp_path) == before
    capsys.readouterr()
    assert provision(tmp_path, "toledo/BJ-01", "--live", "pit", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["tables"], answer["surveillance"], answer["live"]) == (
        ["toledo/BJ-01", "toledo/RL-07"],
        ["eye"],
        ["pit"],
    )
    after = content(tmp_path)
    access = tmp_path / "broker" / "pitwatch.acl"
    users = tmp_path / "broker" / "rabbitmq-definitions.json"
    assert {path for path in before if after[path] != before[path]} == {access, users}
    assert [line for line in access.read_text().splitlines() if line.startswith("user ")] == [
        "user toledo/BJ-01", "user toledo/RL-07", "user eye", "user pit"
    ]  # fmt: skip
    assert [user["name"] for user in json.loads(users.read_text())["users"]] == [
        "toledo/BJ-01", "toledo/RL-07", "eye", "pit"
    ]  # fmt: skip


@pytest.fixture
def usual_umask():
    """What is no secret has the mode that the umask of who runs it leaves."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("usual_umask")
def test_keys_are_their_owner_s_alone_and_nothing_else_is_secret(tmp_path):
    assert provision(tmp_path, "toledo/RL-07", "--surveillance", "eye") == 0
    modes = {path: os.stat(path).st_mode & 0o777 for path in content(tmp_path)}
    assert {path.name for path, mode in modes.items() if mode == 0o600} == {"ca.key", "broker.key", "client.key"}
    assert all(mode == 0o600 for path, mode in modes.items() if path.suffix == ".key")
    assert not any(b"PRIVATE" in data for path, data in content(tmp_path).items() if path.suffix != ".key")
    assert not (tmp_path / "tables" / "toledo" / "RL-07" / "ca.key").exists()


def test_certificates_say_what_they_are_for(tmp_path):
    assert provision(tmp_path, "toledo/RL-07", "--days", "100") == 0
    own = tmp_path / "tables" / "toledo" / "RL-07"
    for use, file, taken in (
        ("sslclient", own / "client.crt", True),
        ("sslserver", own / "client.crt", False),
        ("sslserver", tmp_path / "broker" / "broker.crt", True),
        ("sslclient", tmp_path / "broker" / "broker.crt", False),
    ):
        done = subprocess.run(
            ["openssl", "verify", "-purpose", use, "-CAfile", own / "ca.crt", file], capture_output=True
        )
        assert (done.returncode == 0) is taken, (use, file)
    shown = subprocess.run(
        ["openssl", "x509", "-noout", "-subject", "-ext", "subjectAltName", "-in", tmp_path / "broker" / "broker.crt"],
        capture_output=True, text=True,
    ).stdout  # fmt: skip
    assert "DNS:broker.example" in shown


def test_every_topic_that_is_published_is_in_the_access_list(tmp_path):
    assert provision(tmp_path, "toledo/RL-07", "--prefix", "house/pit") == 0
    lines = (tmp_path / "broker" / "pitwatch.acl").read_text().splitlines()
    for _, topic, _, _ in KINDS.values():
        pattern = "/".join("+" if level.startswith("{") else level for level in topic.split("/"))
        assert f"topic write house/pit/toledo/RL-07/{pattern}" in lines
    assert not any("#" in line for line in lines[1:])


def test_the_snippet_is_a_section_of_a_table_s_configuration(tmp_path):
    assert provision(tmp_path, "toledo/RL-07", "--port", "8884") == 0
    table = tmp_path / "tables" / "toledo" / "RL-07.toml"
    snippet = (tmp_path / "tables" / "toledo" / "RL-07" / "mqtt.toml").read_text()
    table.write_text(
        '[table]\nsite = "toledo"\nid = "RL-07"\ngame = "toledo-2020/roulette"\nlive_cards = "apart"\n' + snippet
    )
    assert cli.main(["check", str(table)]) == 0
    assert "mqtts://broker.example:8884" in snippet


def test_a_cluster_s_nodes_are_all_named_and_tables_are_spread_over_them(tmp_path):
    nodes = ("--broker", "one.example", "--broker", "two.example")
    assert cli.main(["provision", str(tmp_path), *nodes, "--table", "toledo/RL-07", "--table", "toledo/BJ-01"]) == 0
    urls = [
        tomllib.loads((tmp_path / "tables" / "toledo" / table / "mqtt.toml").read_text())["mqtt"]["url"]
        for table in ("RL-07", "BJ-01")
    ]
    assert sorted(urls) == [
        ["mqtts://one.example:8883", "mqtts://two.example:8883"],
        ["mqtts://two.example:8883", "mqtts://one.example:8883"],
    ]
    shown = subprocess.run(
        ["openssl", "x509", "-noout", "-ext", "subjectAltName", "-in", tmp_path / "broker" / "broker.crt"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert "DNS:one.example, DNS:two.example" in shown


LONG = "x" * 65
BAD = [
    "",
    " ",
    "a b",
    "a/b/c",
    "a+",
    "#",
    "a%c",
    "a\nuser eye",
    "a\r",
    "é",
    "\u2028",
    "-a",
    ".",
    "..",
    LONG,
    "x" * 5_000,
]


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("option", ["--table", "--surveillance", "--reader", "--live"])
def test_a_name_that_does_not_do_everywhere_is_one_line(tmp_path, capsys, option, name):
    for whole in (name,) if option != "--table" else (f"{name}/b", f"a/{name}"):
        assert cli.main(["provision", str(tmp_path), "--broker", "broker.example", f"{option}={whole}"]) == 2
        said = capsys.readouterr().err
        assert len(said.splitlines()) == 1, said
        assert said.isascii()
        assert content(tmp_path) == {}


@pytest.mark.parametrize(
    "folder", ["surveillance/a b", "live/#", "surveillance/a\nuser x", f"live/{LONG}", "tables/a/+", "tables/a+/b"]
)
@pytest.mark.parametrize("certified", [True, False])
def test_a_folder_whose_name_does_not_do_is_one_line(tmp_path, capsys, folder, certified):
    assert provision(tmp_path, "toledo/RL-07", "--surveillance", "eye") == 0
    (tmp_path / folder).mkdir(parents=True)
    if certified:
        shutil.copy(tmp_path / "surveillance/eye/client.crt", tmp_path / folder)
    before = content(tmp_path)
    capsys.readouterr()
    assert provision(tmp_path, "toledo/BJ-01") == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1, said
    assert "is in the way, move it away" in said
    assert content(tmp_path) == before


def test_the_longest_name_and_host_are_taken(tmp_path):
    table = "t" * 31 + "/" + "1" * 32
    host = ".".join(["h" * 60] * 3)
    assert cli.main(["provision", str(tmp_path), "--broker", host, "--table", table, "--live", "x" * 64]) == 0
    assert f"user {table}" in (tmp_path / "broker" / "pitwatch.acl").read_text()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["a/b", "--prefix", "pit\n/x"], "is no topic prefix"),
        (["a/b", "--broker", "a\nb"], "is neither a host name nor an address"),
        (["a/b", "--broker-folder", "/etc\nallow_anonymous true"], "is no path"),
        (["toledo"], '"toledo" is no table; SITE/TABLE'),
        (["toledo/../x"], "is no table"),
        (["toledo/RL 07"], "is no table"),
        (["a/b", "--surveillance", "../eye"], '"../eye" is no name'),
        (["a/b", "--live", "#"], '"#" is no name'),
        (["a/b", "--prefix", "pit/#"], "is no topic prefix"),
        (["a/b", "--port", "0"], "is no port"),
        (["a/b", "--days", "0"], "is not sensible"),
    ],
)
def test_wrong_words_are_one_line(tmp_path, capsys, arguments, told):
    assert provision(tmp_path, *arguments) == 2
    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1
    assert content(tmp_path) == {}


def test_a_key_in_the_way_and_a_torn_authority_are_told(tmp_path, capsys):
    assert provision(tmp_path, "a/b") == 0
    certificate = tmp_path / "tables" / "a" / "b" / "client.crt"
    kept = certificate.read_bytes()
    certificate.unlink()
    assert provision(tmp_path, "a/b") == 2
    assert "a key is not written over, move it away" in capsys.readouterr().err
    certificate.write_bytes(kept)
    (tmp_path / "ca" / "ca.key").write_text("rubbish")
    assert provision(tmp_path, "a/b") == 2
    assert "put the right ones back" in capsys.readouterr().err
    (tmp_path / "ca" / "ca.key").unlink()
    assert provision(tmp_path, "a/b") == 2
    assert "missing, though its other half is there" in capsys.readouterr().err


def test_without_cryptography_it_says_how_to_get_it(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography", None)
    assert provision(tmp_path, "a/b") == 2
    assert ".venv/bin/pip install -e '.[provision]'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["--prefix", "house/1"],
            "mqtt.toml: made with --prefix pitwatch/1, and now it is house/1; say --prefix pitwatch/1",
        ),
        (["--port", "8884"], "mqtt.toml: made with --port 8883, and now it is 8884"),
        (["--broker", "other.example"], "broker.crt: is of broker.example, not of other.example"),
        (["--live", "eye"], '"eye" is a client of --surveillance and of --live'),
        (["--reader", "eye"], '"eye" is a client of --surveillance and of --reader'),
        (["--reader", "pitwatch-toledo-RL-07"], "is the name under which toledo/RL-07 connects"),
        (["--live", "pitwatch-toledo-BJ-01"], "is the name under which toledo/BJ-01 connects"),
        (["--table", "a-b/c", "--live", "pitwatch-a-b"], "is the name under which a-b/c connects"),
    ],
)
def test_what_would_shut_out_who_was_let_in_before_changes_nothing(tmp_path, capsys, arguments, told):
    assert provision(tmp_path, "toledo/RL-07", "--surveillance", "eye") == 0
    before = content(tmp_path)
    capsys.readouterr()
    assert provision(tmp_path, "toledo/BJ-01", *arguments) == 2
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1
    assert content(tmp_path) == before


def test_a_broker_that_is_moved_gets_its_files_anew(tmp_path):
    assert provision(tmp_path, "toledo/RL-07") == 0
    for file in (*(tmp_path / "broker").glob("broker.*"), tmp_path / "tables/toledo/RL-07/mqtt.toml"):
        file.rename(tmp_path / file.name)
    assert provision(tmp_path, "toledo/RL-07", "--broker", "other.example", "--port", "8884") == 0
    urls = tomllib.loads((tmp_path / "tables/toledo/RL-07/mqtt.toml").read_text())["mqtt"]["url"]
    assert sorted(urls) == ["mqtts://broker.example:8884", "mqtts://other.example:8884"]


def test_a_broker_may_be_named_by_its_address(tmp_path):
    assert cli.main(["provision", str(tmp_path), "--broker", "fd00::1", "--table", "toledo/RL-07"]) == 0
    url = tomllib.loads((tmp_path / "tables/toledo/RL-07/mqtt.toml").read_text())["mqtt"]["url"]
    assert (parse_broker_url(url).host, parse_broker_url(url).port) == ("fd00::1", 8883)
    assert cli.main(["provision", str(tmp_path), "--broker", "fd00:0::1", "--table", "toledo/RL-08"]) == 0


def test_who_lost_his_certificate_gets_another_and_keeps_his_rights_unless_his_folder_is_gone(tmp_path, capsys):
    """Nobody has to be named again: a list without him would have the broker drop what he says."""
    assert provision(tmp_path, "toledo/RL-07", "--table", "toledo/BJ-01", "--surveillance", "eye", "--live", "pit") == 0
    rights = (tmp_path / "broker" / "pitwatch.acl").read_bytes()
    folders = [tmp_path / who for who in ("tables/toledo/RL-07", "surveillance/eye", "live/pit")]
    before = {folder: (folder / "client.crt").read_bytes() for folder in folders}
    for folder in folders:
        for file in ("client.crt", "client.key"):
            (folder / file).unlink()
    capsys.readouterr()
    assert provision(tmp_path, "--json") == 0
    written = json.loads(capsys.readouterr().out)["written"]
    assert sorted(written) == sorted(str(f / file) for f in folders for file in ("client.crt", "client.key"))
    assert all((folder / "client.crt").read_bytes() != was for folder, was in before.items())
    assert (tmp_path / "broker" / "pitwatch.acl").read_bytes() == rights
    shutil.rmtree(tmp_path / "tables/toledo/RL-07")
    assert provision(tmp_path, "--json") == 0
    assert json.loads(capsys.readouterr().out)["tables"] == ["toledo/BJ-01"]
    assert b"RL-07" not in (tmp_path / "broker" / "pitwatch.acl").read_bytes()


@pytest.mark.parametrize("number", range(1, 9))
def test_an_interrupt_at_any_file_is_made_good_by_the_next_run(tmp_path, monkeypatch, number):
    arguments = ["provision", str(tmp_path), "--table", "toledo/RL-07", "--broker", "broker"]
    begun = []

    def interrupted(*opened):
        file = fdopen(*opened)
        begun.append(file)
        if len(begun) == number:
            file.close()
            raise KeyboardInterrupt
        return file

    fdopen = os.fdopen
    with monkeypatch.context() as patch:
        patch.setattr(os, "fdopen", interrupted)
        assert cli.main(arguments) == 130
    assert cli.main(arguments) == 0
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.name for path in files} >= {"ca.key", "broker.crt", "client.key", "client.crt"}
    assert all(path.stat().st_size and path.suffix != ".new" for path in files)


def test_no_two_tables_have_one_client_id_and_the_old_one_stays_where_it_is_one_s_alone(tmp_path):
    names = ["a", "b", "a-b", "b-c", "-", "a-", "_"]
    tables = [f"{site}/{table}" for site in names for table in names]
    assert len({client_id(table) for table in tables}) == len(tables)
    assert client_id("toledo/RL-07") == "pitwatch-toledo-RL-07"
    assert client_ids("a-b/c", ["a-b/c"]) == ["pitwatch-a-b.c", "pitwatch-a-b-c"]
    assert client_ids("a-b/c", ["a-b/c", "a/b-c"]) == ["pitwatch-a-b.c"]
    assert client_ids("a/b-c", ["a-b/c", "a/b-c"]) == ["pitwatch-a-b-c"]
    assert provision(tmp_path, "a-b/c", "--table", "a/b-c", "--reader", "pitwatch-archive") == 0
    rights = json.loads((tmp_path / "broker" / "rabbitmq-definitions.json").read_text())["permissions"]
    queue = "mqtt-subscription-pitwatch-a-b-cqos1"
    assert [right["user"] for right in rights if re.search(right["configure"], queue)] == ["a/b-c"]


def test_requests_without_a_name_are_granted_only_where_it_is_said(tmp_path, capsys):
    here = (tmp_path, "toledo/RL-07", "--surveillance", "eye")
    lists = tmp_path / "broker" / "pitwatch.acl", tmp_path / "broker" / "rabbitmq-definitions.json"
    for option, granted in (((), False), (("--unnamed-requests",), True), ((), False)):
        assert provision(*here, *option) == 0
        acl, definitions = (path.read_text() for path in lists)
        assert ("topic write pitwatch/1/toledo/RL-07/request/snapshot\n" in acl) is granted
        assert "topic write pitwatch/1/toledo/RL-07/request/snapshot/eye\n" in acl
        (pattern,) = [t["write"] for t in json.loads(definitions)["topic_permissions"] if t["user"] == "eye"]
        asked = "pitwatch.1.toledo.RL-07.request.snapshot"
        assert bool(re.search(pattern, asked)) is granted
        assert [bool(re.search(pattern, asked + more)) for more in (".eye", ".pit", ".eye.x")] == [True, False, False]
    (tmp_path / "broker" / "pitwatch-revoked.conf").write_text("crlfile /etc/mosquitto/pitwatch/revoked.pem\n")
    capsys.readouterr()
    assert provision(*here) == 0
    assert "remove pitwatch-revoked.conf from the broker's conf.d" in capsys.readouterr().out
