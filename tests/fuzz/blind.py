"""One target with inputs mutated from what the guided run kept. Nothing is traced, so they are many times as many.

python -m tests.fuzz.blind TARGET FOLDER INPUTS SECONDS [SEED]
The last line of output is how many inputs it had. A find ends it: a traceback, and the input in FOLDER-blind-find.
"""

from __future__ import annotations

import resource
import signal
import sys
import time
from pathlib import Path
from random import Random

from tests.fuzz.mutate import mutated
from tests.fuzz.target import held
from tests.fuzz.targets import TARGETS

HANGS_S = 5  # of the processor's time: on a busy machine a process may wait as long for its turn
MOST_MEMORY = 1 << 30


def main() -> None:
    name, folder, inputs, seconds, *seed = sys.argv[1:]
    target, chance = TARGETS[name](), Random(f"pitwatch {name} {''.join(seed)}")
    kept = [each.read_bytes() for each in sorted(Path(folder).iterdir())]
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    signal.signal(signal.SIGPROF, _hangs)
    ends, heard, data = time.monotonic() + float(seconds), 0, b""
    try:
        while heard < int(inputs) and time.monotonic() < ends:
            heard += 1
            data = mutated(chance, kept or target.seeds)
            signal.setitimer(signal.ITIMER_PROF, HANGS_S)
            target.once(data)
            signal.setitimer(signal.ITIMER_PROF, 0)
            held(name, target, heard)
    except BaseException:
        Path(f"{folder}-blind-find").write_bytes(data)
        raise
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        print(heard)


def _hangs(signum: int, frame: object) -> None:
    raise TimeoutError(f"an input has taken {HANGS_S} s")


if __name__ == "__main__":
    main()
