"""docs/asyncapi.yaml before AsyncAPI's own parser, which is an npm package."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from pitwatch.daemon.contract.asked import REQUESTS
from pitwatch.daemon.contract.asyncapi import KINDS
from tests.examples import npm

pytestmark = pytest.mark.skipif(npm.missing() is not None, reason=str(npm.missing()))

PAGE = Path(__file__).parents[2] / "docs" / "asyncapi.yaml"
PARSER = "@asyncapi/parser@3.6.6"
SCRIPT = """
const { Parser } = require('@asyncapi/parser');
const parser = new Parser();
(async () => {
    for (const file of process.argv.slice(1)) {
        const { document, diagnostics } = await parser.parse(require('fs').readFileSync(file, 'utf8'));
        // 0 and 1 are errors and warnings; 2 is hints, such as that there is a newer AsyncAPI.
        const wrong = diagnostics.filter(each => each.severity < 2).map(each => each.path.join('/'));
        console.log(JSON.stringify({ wrong, messages: document ? document.allMessages().length : 0 }));
    }
})();
"""


def test_the_page_is_asyncapi_and_a_wrong_one_is_found_out(tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    wrong = tmp_path / "asyncapi.yaml"
    wrong.write_text(page.replace("action: send", "action: shout", 1), encoding="utf-8")
    folder = npm.installed(PARSER)
    done = subprocess.run(
        ["node", "-e", SCRIPT, str(PAGE), str(wrong)], cwd=folder, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    good, bad = map(json.loads, done.stdout.splitlines())
    assert good == {"wrong": [], "messages": len(KINDS) + len(REQUESTS)}
    assert "operations/publish-status/action" in bad["wrong"]
