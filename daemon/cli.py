"""The `pitwatch` command line. Each command is a separate module, imported only when it runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import NoReturn

import pitwatch.daemon.commands
from pitwatch.daemon.common import streams
from pitwatch.daemon.common.errors import UsageError
from pitwatch.devices.declared import declared

JSON = "--json"
"""Every command has this option."""


class OneLineParser(argparse.ArgumentParser):
    """Reports a wrong argument in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


@cache
def commands() -> dict[str, tuple[str, str]]:
    """Each command's module and line of help, in the order of `--help`. Each module of `commands` declares its own on
    one line: `COMMAND = {"name": "run", "turn": 10, "help": "watch a table"}`. Raises ValueError if two modules declare
    one name or one turn."""
    found: dict[str, tuple[str, str]] = {}
    turns: dict[int, str] = {}
    for module, each in declared(pitwatch.daemon.commands, "COMMAND").items():
        name, turn = each["name"], each["turn"]
        if name in found or turn in turns:
            other = found[name][0] if name in found else found[turns[turn]][0]
            raise ValueError(f"{module}: COMMAND: {other} has this name or turn")
        found[name] = module, each["help"]
        turns[turn] = name
    return {turns[turn]: found[turns[turn]] for turn in sorted(turns)}


class PrintVersion(argparse.Action):
    """Finds out the build only where somebody asks for it: in a checkout that means to run git."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from pitwatch.daemon.common.version import full_version

        print(f"pitwatch {full_version()}")
        parser.exit()


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0 ok, 1 the answer is no, 2 unusable input."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    streams.settle(json=JSON in arguments)
    try:
        module, args = _command(arguments)
        code: int = module.run(args)
        sys.stdout.flush()
        return code
    except UsageError as error:
        return _complain(error)
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        if error.filename is None:
            raise
        if error.filename == streams.OUTPUT:
            streams.nothing_more()
            if isinstance(error, BrokenPipeError):  # the reader has closed the pipe: it has what it wanted
                return 0
        return _complain(UsageError(f"{error.filename}: cannot be used: {error.strerror}"))
    except Exception as error:
        from pitwatch.rules.book.book_file import BookError

        if isinstance(error, BookError):
            return _complain(error)
        raise


def _command(arguments: list[str]) -> tuple[ModuleType, argparse.Namespace]:
    """The module of the command that is asked for, and its arguments. Raises SystemExit for wrong ones."""
    wanted = next((argument for argument in arguments if not argument.startswith("-")), None)
    parser, modules = parser_of(name for name in commands() if name == wanted)
    args = parser.parse_args([each for each in arguments if each != JSON])
    args.arguments = arguments
    args.json = args.json or JSON in arguments  # wherever it stands: argparse would forget one before a verb
    assert wanted is not None
    return modules[wanted], args


def parser_of(wanted: Iterable[str]) -> tuple[argparse.ArgumentParser, dict[str, ModuleType]]:
    """The parser with the arguments of these commands, and their modules. Other commands have one line of help."""
    parser = OneLineParser(prog="pitwatch", description="Watches a casino table and checks the game against its rules.")
    parser.add_argument("--version", action=PrintVersion, nargs=0, help="print version and build, and exit")
    parsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    modules = {name: import_module(commands()[name][0]) for name in wanted}
    for name, (_, help_text) in commands().items():
        command = parsers.add_parser(name, help=help_text)
        if name in modules:
            modules[name].add_arguments(command)
            if JSON not in command._option_string_actions:
                command.add_argument(JSON, action="store_true", help="print JSON")
    return parser, modules


def _complain(error: Exception) -> int:
    try:
        print(" ".join(str(error).split()), file=sys.stderr, flush=True)
    except OSError:  # with nowhere to say it, the exit code does
        streams.nothing_more(2)
    return 2


if __name__ == "__main__":
    sys.exit(main())
