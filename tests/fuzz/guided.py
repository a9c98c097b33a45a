"""One target under atheris: inputs are bred by the branches that they reach. Ends the process; a find is a traceback.

python -m tests.fuzz.guided TARGET FOLDER -runs=10000000 -max_total_time=3600
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["devices", "hal", "daemon", "floor", "rules"]):
    from tests.fuzz.target import held
    from tests.fuzz.targets import TARGETS


def main() -> None:
    name, folder, *options = sys.argv[1:]
    target = TARGETS[name]()
    corpus = Path(folder)
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(target.seeds):
        (corpus / f"seed-{number}").write_bytes(seed)
    heard = 0

    def once(data: bytes) -> None:
        nonlocal heard
        heard += 1
        target.once(data)
        held(name, target, heard)

    longest = max(160, *(len(seed) for seed in target.seeds))
    atheris.Setup([name, str(corpus), f"-max_len={longest}", "-timeout=5", "-rss_limit_mb=1024", *options], once)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
