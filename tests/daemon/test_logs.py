"""Where the log goes, and that it is as it was when a command has ended."""

from __future__ import annotations

import contextlib
import json
import logging

import pytest

from pitwatch.daemon.service.logs import log_on_stderr

LOG = logging.getLogger("pitwatch.feed")


@pytest.mark.parametrize(("as_json", "journal", "line"), [
    (False, False, "warning: lost\n"),
    (False, True, "<4>lost\n"),
    (True, False, json.dumps({"level": "warning", "message": "lost"}) + "\n"),
])  # fmt: skip
def test_the_log_is_on_stderr_while_a_command_runs_and_not_after_it(as_json, journal, line, capsys, monkeypatch):
    monkeypatch.delenv("JOURNAL_STREAM", raising=False)
    if journal:
        monkeypatch.setenv("JOURNAL_STREAM", "8:1")  # systemd's, where it reads stderr
    root = logging.getLogger("pitwatch")
    before = list(root.handlers), root.level, root.propagate
    with contextlib.suppress(KeyboardInterrupt), log_on_stderr(as_json):
        LOG.warning("lost")
        raise KeyboardInterrupt
    LOG.warning("after it")
    assert capsys.readouterr().err == line
    assert (root.handlers, root.level, root.propagate) == before
