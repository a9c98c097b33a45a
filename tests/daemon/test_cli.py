"""The command line: exit codes, one-line errors, JSON answers, and only the command's own module imported."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
import tty
from pathlib import Path

import pytest

from pitwatch.daemon import cli, commands
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.holding import Hold
from pitwatch.daemon.journal.rescue import set_aside
from pitwatch.daemon.journal.store import Store
from tests.copied_tree import copy_of, python
from tests.roulette import roulette

TABLE = roulette("serial:/dev/does-not-exist", "mqtt://127.0.0.1:1", "j.db")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.toml"
    path.write_text(TABLE)
    return str(path)


@pytest.fixture
def journal(tmp_path):
    store = Store(tmp_path / "j.db")
    store.write(
        [Record(n, "b", n, n, n % 2 == 0, "observation", "observation/a", False, b"{}") for n in range(1, 31)], 0
    )
    store.close()
    return str(tmp_path / "j.db")


def test_the_contract_names_every_command():
    page = (Path(__file__).parents[2] / "docs" / "contract.md").read_text()
    line = page.split("## Command line")[1].split(";")[0]
    assert sorted(re.findall("`([a-z]+)`", line)) == sorted(cli.commands())


NEW_COMMAND = '''"""`pitwatch tidy`."""

COMMAND = {"name": "tidy", "turn": 45, "help": "put everything away"}


def add_arguments(parser):
    parser.add_argument("what")


def run(args):
    print("tidied", args.what, args.json)
    return 0
'''
WHOLE = ("hal", "devices", "rules", "daemon")


def test_a_command_that_is_added_is_found(tmp_path):
    tree = copy_of(tmp_path / "tree", *WHOLE)
    (tree / "pitwatch" / "daemon" / "commands" / "tidy.py").write_text(NEW_COMMAND)
    done = python(tree, "-m", "pitwatch.daemon.cli", "tidy", "felt", "--json")
    assert (done.returncode, done.stdout) == (0, "tidied felt True\n"), done.stderr
    listed = python(tree, "-m", "pitwatch.daemon.cli", "--help").stdout
    lines = [line.split() for line in listed.splitlines()]
    assert ["tidy", "put", "everything", "away"] in lines
    assert [line[0] for line in lines if line and line[0] in ("record", "tidy", "check")] == ["record", "tidy", "check"]


@pytest.mark.parametrize(
    ("old", "new", "other"), [("tidy", "watch", "watch"), ('"turn": 45', '"turn": 50', "check")], ids=["name", "turn"]
)
def test_two_commands_of_one_name_or_turn_are_reported(tmp_path, old, new, other):
    tree = copy_of(tmp_path / "tree", *WHOLE)
    (tree / "pitwatch" / "daemon" / "commands" / "tidy.py").write_text(NEW_COMMAND.replace(old, new))
    said = python(tree, "-m", "pitwatch.daemon.cli", "--help").stderr.splitlines()[-1]
    assert "COMMAND: " in said
    assert {f"pitwatch.daemon.commands.{name}" for name in ("tidy", other)} == set(
        re.findall(r"pitwatch\.daemon\.commands\.[a-z]+", said)
    )


def test_every_module_of_commands_is_a_command():
    folder = Path(commands.__path__[0])
    modules = {f"{commands.__name__}.{file.stem}" for file in folder.glob("[!_]*.py")}
    assert {module for module, _ in cli.commands().values()} == modules


def test_check_says_what_it_read(table, capsys):
    assert cli.main(["check", table]) == 0
    out = capsys.readouterr().out
    assert "toledo/RL-07, Roulette by toledo-2020/roulette" in out
    assert "wheel = double-zero (the book's default)" in out
    assert cli.main(["check", table, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["ok"], answer["game"], answer["topic"]) == (True, "toledo-2020/roulette", "pitwatch/1/toledo/RL-07")
    assert len(answer["fingerprints"]["book"]) == 64


def test_check_holds_the_book_to_its_form_too(tmp_path, capsys):
    import shutil

    from pitwatch.rules.book import BOOKS

    shutil.copytree(BOOKS / "toledo-2020", tmp_path / "house")
    path = tmp_path / "table.toml"
    path.write_text(TABLE.replace("toledo-2020/", "house/"))
    assert cli.main(["check", str(path)]) == 0
    capsys.readouterr()
    game = tmp_path / "house" / "roulette.toml"
    lines = game.read_text().splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if line.startswith("lines =") and n > 20)
    lines[at] = 'lines = "somewhere"\n'
    game.write_text("".join(lines))
    assert cli.main(["check", str(path)]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"{game}:{at + 1}: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("command", ["run", "check", "doctor", "journal", "replay", "record"])
def test_a_wrong_configuration_is_one_line_and_exit_code_2_everywhere(tmp_path, capsys, command):
    path = tmp_path / "table.toml"
    path.write_text(TABLE.replace("game =", "gane ="))
    arguments = {
        "journal": ["journal", "verify", str(path)],
        "replay": ["replay", "x", "--table", str(path)],
        "record": ["record", str(path), str(tmp_path / "out")],
    }.get(command, [command, str(path)])
    assert cli.main(arguments) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", f'{path}: table.gane: unknown key; did you mean "game"?\n')


@pytest.mark.parametrize("arguments", [[], ["fly"], ["check"], ["journal", "burn", "x"], ["check", "x", "--fast"]])
def test_a_wrong_argument_is_one_line_and_exit_code_2(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "--help" in err


def test_run_without_a_broker_refuses(tmp_path, capsys):
    path = tmp_path / "table.toml"
    path.write_text(TABLE.replace('[mqtt]\nurl = "mqtt://127.0.0.1:1"', ""))
    assert cli.main(["run", str(path)]) == 2
    assert "mqtt: missing; to publish, a table needs [mqtt]" in capsys.readouterr().err


def test_doctor_says_what_is_wrong_and_how_to_fix_it(table, capsys):
    assert cli.main(["doctor", table, "--listen", "0.05"]) == 1
    out = capsys.readouterr().out
    assert "BAD  device wheel: /dev/does-not-exist: no such port\n     plug the adapter in" in out
    assert "BAD  broker mqtt://127.0.0.1:1: " in out
    assert "MiB free" in out
    assert cli.main(["doctor", table, "--listen", "0.05", "--json"]) == 1
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert all(finding["mend"] for finding in found if not finding["well"])


@pytest.mark.parametrize("whose", ["toledo/RL-07", "toledo/RL-08", "columbus/RL-07"])
def test_the_journal_of_another_table_is_refused_by_run_and_told_by_doctor(table, tmp_path, capsys, whose):
    body = json.dumps({"changed": [], "was": {}, "now": {"table": whose}}).encode()
    store = Store(tmp_path / "j.db")
    store.write([Record(1, "b", 1, 1, True, "integrity", "integrity", True, body)], 0)
    store.close()
    wrong = f"{tmp_path}/j.db: is the journal of {whose}, and this table is toledo/RL-07"
    cli.main(["doctor", table, "--listen", "0"])
    own = whose == "toledo/RL-07"
    assert (wrong in capsys.readouterr().out) != own
    if not own:  # its own would be run
        assert cli.main(["run", table]) == 2
        assert capsys.readouterr().err.startswith(f"{wrong}; name another by journal.path, or move it and its key away")
        assert cli.main(["journal", "verify", table]) == 0
        assert "records 1 to 1 are complete" in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["text", "database"])
def test_a_file_that_is_no_journal_is_refused_each_time_and_stays_where_it_is(table, tmp_path, capsys, kind):
    """A service is started again after two seconds: what was refused once must not pass for a damaged journal then."""
    path = tmp_path / "j.db"
    path.write_text("notes")
    if kind == "database":
        path.unlink()
        with sqlite3.connect(path) as db:
            db.execute("CREATE TABLE song (title)")
        db.close()
    before = path.read_bytes()
    for _ in range(2):
        assert cli.main(["run", table]) == 2
        told = {"text": "not usable as a journal: file is not a", "database": "is no journal but another"}[kind]
        assert capsys.readouterr().err.startswith(f"{path}: {told} database")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["j.db", "table.toml"]
    assert path.read_bytes() == before


def test_commands_that_are_suggested_work_with_blanks_in_names(tmp_path, capsys):
    (tmp_path / "Table 7").mkdir()
    path = tmp_path / "Table 7" / "table.toml"
    path.write_text(TABLE.replace('"j.db"', '"of it/j.db"'))
    assert cli.main(["check", str(path)]) == 0
    assert f"see pitwatch rules coverage '{path}'\n" in capsys.readouterr().out
    cli.main(["doctor", str(path), "--listen", "0"])
    (command,) = (line for line in capsys.readouterr().out.splitlines() if "mkdir" in line)
    subprocess.run(command.partition(": ")[2], shell=True, check=True)
    assert (tmp_path / "Table 7" / "of it").is_dir()


def test_journal_verify(journal, tmp_path, table, capsys):
    assert cli.main(["journal", "verify", journal]) == 0
    assert "records 1 to 30 are complete and unaltered" in capsys.readouterr().out
    assert cli.main(["journal", "verify", table, "--json"]) == 0  # the table names its journal
    told = json.loads(capsys.readouterr().out)
    assert (told["ok"], told["fault"], told["first"], told["last"], told["signed"]) == (True, None, 1, 30, 0)
    with sqlite3.connect(journal) as db:
        db.execute("DROP TRIGGER no_update")
        db.execute("UPDATE record SET body = '[]' WHERE seq = 7")
        db.commit()
    assert cli.main(["journal", "verify", journal]) == 1
    assert "record 7 (observation) was altered" in capsys.readouterr().out


def test_journal_tail_and_export(journal, capfd):
    assert cli.main(["journal", "tail", "-n", "2", journal]) == 0
    out = capfd.readouterr().out.splitlines()
    assert [line.split()[0] for line in out] == ["29", "30"]
    assert out[0].split()[1].endswith("?")  # the clock was not set then
    assert cli.main(["journal", "export", journal]) == 0
    lines = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert lines[0] == {"begins_after": 0, "hash_before": "00" * 32}
    assert [line["seq"] for line in lines[1:]] == list(range(1, 31))
    assert len(lines[-1]["hash"]) == 64


@pytest.mark.parametrize("made", ["name", "nothing", "other"])
def test_what_is_no_journal_is_unusable_input_for_verify_too(tmp_path, capsys, made):
    path = tmp_path / "x.db"
    if made == "other":
        with sqlite3.connect(path) as db:
            db.execute("CREATE TABLE song (title)")
    else:
        path.write_bytes(b"pit-board-7\n" if made == "name" else b"")
    for arguments in (["tail"], ["export"], ["verify"], ["verify", "--json"]):
        assert cli.main(["journal", *arguments, str(path)]) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
    assert err == f"{path}: no journal; the file that `run` writes, pitwatch-TABLE.db, is right\n"


def test_a_journal_without_a_record_is_a_no_whatever_key_it_should_have(tmp_path, capsys):
    """Such as a copy of the file alone while the daemon had all that it wrote in the write-ahead file."""
    path = tmp_path / "j.db"
    Store(path).close()
    for key in ([], ["--key", "A" * 59 + "="]):
        assert cli.main(["journal", "verify", *key, str(path)]) == 1
        assert capsys.readouterr().out == (
            f"{path}: holds no record, which no journal is without; beside a copy belongs j.db-wal as it was\n"
        )


@pytest.mark.parametrize("action", ["tail", "export"])
def test_a_damaged_page_is_one_line_where_the_journal_is_read(journal, capsys, action):
    path = Path(journal)
    content = path.read_bytes()
    at = content.rindex(b"observation/a")
    page = at - at % 4096
    path.write_bytes(content[:page] + b"\xff" * 4096 + content[page + 4096 :])
    assert cli.main(["journal", action, journal]) == 2
    assert re.fullmatch(rf"{journal}: .*(malformed|verify).*\n", capsys.readouterr().err)


def test_tail_goes_on_with_the_file_that_takes_the_place_of_a_damaged_one(journal):
    command = [sys.executable, "-m", "pitwatch.daemon.cli", "journal", "tail", "-n", "1", "-f", journal]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as tail:
        assert tail.stdout is not None
        assert tail.stdout.readline().split()[0] == "30"
        new = set_aside(Path(journal), "removed", {}, 30, 30).store
        new.write([Record(31, "b", 31, 31, True, "observation", "observation/a", False, b"{}")], 30)
        assert tail.stdout.readline().split()[0] == "31"
        new.close()
        tail.terminate()


@pytest.mark.parametrize("damage", ["magic", "records", "all", "emptied"])
def test_a_damaged_journal_is_a_no(journal, capsys, damage):
    """`all`, `emptied`: nothing in the file tells that it was one, the daemon's hold beside it does."""
    path = Path(journal)
    content = bytearray(path.read_bytes())
    if damage == "magic":
        content[3] ^= 1
    elif damage == "records":
        at = content.index(b"CREATE TABLE record")
        content[at + 13] ^= 1
    else:
        content = bytearray(len(content) if damage == "all" else 0)
        Path(f"{journal}.lock").touch()
    path.write_bytes(content)
    assert cli.main(["journal", "verify", journal]) == 1
    out, err = capsys.readouterr()
    assert ("not readable" in out, err) == (True, "")


def test_a_key_that_is_none_is_told_as_such(journal, tmp_path, capsys):
    for wrong in ("abcd", str(tmp_path / "none.pem")):
        assert cli.main(["journal", "verify", "--key", wrong, journal]) == 2
        said = "neither a public key (60 characters of base64, as `status` shows) nor a PEM file"
        assert capsys.readouterr().err == f"--key {wrong}: {said}\n"
    (tmp_path / "j.pem").write_text("abcd")
    assert cli.main(["journal", "verify", "--key", str(tmp_path / "j.pem"), journal]) == 2
    assert "is no Ed25519 public key in PEM form" in capsys.readouterr().err


def test_a_table_whose_journal_is_elsewhere_says_what_would_be_right(tmp_path, capsys, monkeypatch):
    path = tmp_path / "run.toml"
    path.write_text(TABLE.replace('[journal]\npath = "j.db"\n', ""))
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    for action in ("tail", "verify", "export"):
        assert cli.main(["journal", action, str(path)]) == 2
        assert capsys.readouterr().err == (
            f"{tmp_path}/elsewhere/pitwatch-RL-07.db: no such journal; name its file, or say where it is: "
            f"by journal.path in {path}, or as the daemon finds it, in STATE_DIRECTORY or else the folder in which "
            "`run` was started\n"
        )


def test_tail_shortens_the_wires_and_nothing_else(tmp_path, capsys):
    lines = [{"t": 12.5, "device": "wheel", "rx": "*X;1;" * 20}] * 40
    wires = {"piece": 1, "begin": 10.0, "end": 20.25, "standing": [], "lines": lines}
    plain = {"t": 20.0, "device": "wheel", "event": "ball_settled", "data": {"more": "x" * 4000}}
    bodies = [("wire", json.dumps(wires).encode()), ("observation", json.dumps(plain).encode()), ("wire", b"{}")]
    store = Store(tmp_path / "j.db")
    store.write([Record(n, "b", n, n, True, kind, kind, False, body) for n, (kind, body) in enumerate(bodies, 1)], 0)
    store.close()
    assert cli.main(["journal", "tail", str(tmp_path / "j.db")]) == 0
    shown = [line.lstrip().split("  ", 3)[3] for line in capsys.readouterr().out.splitlines()]
    assert shown == [
        "40 lines from 10.000 to 20.250 s; --json shows them", bodies[1][1].decode(), "{}",
    ]  # fmt: skip
    assert cli.main(["journal", "tail", "--json", str(tmp_path / "j.db")]) == 0
    assert "*X;1;" * 20 in capsys.readouterr().out.splitlines()[0]


def test_a_missing_journal_is_one_line(tmp_path, capsys):
    assert cli.main(["journal", "verify", str(tmp_path / "none.db")]) == 2
    assert capsys.readouterr().err == f"{tmp_path}/none.db: no such journal\n"
    for folder in (".", "/", str(tmp_path)):
        assert cli.main(["journal", "verify", folder]) == 2
        assert capsys.readouterr().err == f"{folder}: no such journal\n"


def test_record_does_not_write_over_a_capture(table, tmp_path, capsys):
    out = tmp_path / "capture.jsonl"
    out.write_text("mine")
    assert cli.main(["record", table, str(out)]) == 2
    assert "exists already" in capsys.readouterr().err
    assert out.read_text() == "mine"


def test_record_says_no_if_no_device_was_on_line(table, tmp_path, capsys):
    out = tmp_path / "capture.jsonl"
    assert cli.main(["record", table, str(out), "--seconds", "0.05"]) == 1
    assert not out.exists()
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.splitlines()[0].startswith("device wheel: /dev/does-not-exist: no such port")
    (said,) = told.err.splitlines()[1:]
    assert said == f"{out}: no device was on line, so no file is left; `pitwatch doctor {table}` says how to fix it"


def test_a_refused_record_leaves_no_file(table, tmp_path, capsys):
    """Or the next one is refused because the file is there."""
    out = tmp_path / "capture.jsonl"
    Path(table).write_text(TABLE.replace("serial:/dev/does-not-exist", "sim:"))
    assert cli.main(["record", table, str(out)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not out.exists()
    assert cli.main(["record", table, str(out), "--seconds", "0.05", "--json"]) == 2
    assert not out.exists()
    Path(table).write_text(TABLE)
    assert cli.main(["record", table, str(out), "--seconds", "0.05", "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == {"capture": None, "lines": 0}
    assert not out.exists()


def test_record_beside_the_daemon_says_that_it_must_be_stopped(table, tmp_path, capsys):
    hold = Hold(tmp_path / "j.db")
    try:
        assert cli.main(["record", table, str(tmp_path / "capture.jsonl"), "--seconds", "0.05"]) == 1
    finally:
        hold.release()
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.endswith("; the table's daemon is running and has the ports: stop it first")


def test_record_of_a_device_that_is_there_is_a_yes(tmp_path, capsys):
    master, slave = os.openpty()
    tty.setraw(slave)
    path = tmp_path / "table.toml"
    path.write_text(TABLE.replace("/dev/does-not-exist", os.ttyname(slave)))
    try:
        assert cli.main(["record", str(path), str(tmp_path / "capture.jsonl"), "--seconds", "0.05"]) == 0
    finally:
        os.close(master)
        os.close(slave)
    assert capsys.readouterr() == (f"{tmp_path}/capture.jsonl: 1 lines\n", "")


def test_a_command_imports_only_what_it_needs():
    code = "import sys; from pitwatch.daemon import cli; cli.main(['journal', 'verify', 'x']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"aiomqtt", "serial", "gpiod", "amqtt", "sim_hw"} & set(done.stdout.split())


def test_an_interrupt_while_a_command_is_still_being_loaded_is_no_traceback(monkeypatch, capsys):
    def interrupted(name):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "import_module", interrupted)
    assert cli.main(["rules", "list"]) == 130
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    "arguments", [["rules", "list", "--json"], ["rules", "--json", "list"], ["--json", "rules", "list"]]
)
def test_json_is_answered_wherever_the_word_stands(arguments, capsys):
    assert cli.main(arguments) == 0
    assert json.loads(capsys.readouterr().out)[0]["game"]


@pytest.mark.parametrize("wrong", ["-1", "nan", "inf", "1e9", "soon"])
@pytest.mark.parametrize("arguments", [["doctor", "t.toml", "--listen"], ["record", "t.toml", "o", "--seconds"]])
def test_a_time_that_cannot_be_meant_is_one_line(arguments, wrong, capsys):
    with pytest.raises(SystemExit) as left:
        cli.main([*arguments, wrong])
    assert left.value.code == 2
    assert f"argument {arguments[-1]}: '{wrong}' is no time; 0 to 31536000 seconds are right" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", ["-5", "1.5", "all"])
def test_a_count_that_cannot_be_meant_is_one_line(wrong, journal, capsys):
    with pytest.raises(SystemExit) as left:
        cli.main(["journal", "tail", journal, "-n", wrong])
    assert left.value.code == 2
    assert f"argument -n: '{wrong}' is no count; 0 or more is right" in capsys.readouterr().err
