# Everything a newcomer needs: make demo, make test. All set-up happens in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Without it setuptools warns at length of folders that are as they should be.
INSTALL := PYTHONWARNINGS=ignore $(BIN)/pip install --quiet --disable-pip-version-check

.PHONY: install board demo test web-test conformance mutants faults attack witness-attack fairness-test fuzz rooms floor-test cluster-test fleet-test micropython-test check bench asyncapi compliance debs repo deb-test arm64-test debian-suite systemd-test lock update sbom clean

install: $(STAMP)

# Most of what Pitwatch needs has no wheel for a 32-bit system, and pip's own message does not say so.
64BIT = $(PYTHON) -c 'import sys; sys.maxsize > 2**32 or sys.exit("this system is 32-bit (armhf?): Pitwatch needs a 64-bit \
	one, for msgspec, gpiod and cryptography have no wheels for 32-bit ARM; every Raspberry Pi since the 3 runs arm64")'

# An interrupted installation leaves no stamp, so the next call begins again.
$(STAMP): pyproject.toml locks/dev.lock
	@$(64BIT)
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --require-hashes --requirement locks/dev.lock
	$(INSTALL) --no-deps --no-build-isolation --editable .
	touch $(STAMP)

# What a board with tables needs, and no more: docs/install.md.
board: $(VENV)/.board

$(VENV)/.board: pyproject.toml locks/board.lock
	@$(64BIT)
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --require-hashes --requirement locks/board.lock
	$(INSTALL) --no-deps --editable .
	touch $(VENV)/.board

# Versions and hashes of all that is installed, for every Python from 3.11 on: what a board has, what a floor's machine has
# besides, and what development has.
# `make lock` changes only what pyproject.toml asks for, `make update` takes the newest of all.
COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header pyproject.toml

lock update: install
	$(COMPILE) $(NEWEST) --extra bench --extra watch --extra archive --extra web --extra dev --output-file locks/dev.lock
	$(COMPILE) $(NEWEST) --extra osdp --constraint locks/dev.lock --output-file locks/board.lock
	$(COMPILE) $(NEWEST) --extra osdp --extra watch --extra archive --extra web --constraint locks/dev.lock --output-file locks/floor.lock

update: NEWEST = --upgrade

# What a board runs and what a floor's machine runs, by name, version and hash: CycloneDX. Each package has its own list inside.
sbom: install
	$(BIN)/python systemd/deb/parts.py dist

# It prints the link of its page, and ends by itself; with PANEL=1 the tables are yours after the plan.
demo: install
	$(BIN)/pitwatch bench --scenario demo $(if $(PANEL),--panel,--show)

# Three at a time, for most of them wait for something. All but what needs a kernel of its own, which kernel-test runs, and
# what needs a Debian of its own, which deb-test and arm64-test run, and what needs a browser, which web-test runs.
PYTEST_WORKERS ?= 3
# Most of their time is waiting for the disk: their files lie in memory, where there are four gigabytes of it.
TEST_FILES ?= $(shell df --output=avail /dev/shm 2>/dev/null | awk 'NR == 2 && $$1 > 4000000 {print "/dev/shm"}')
test: install
	$(if $(TEST_FILES),TMPDIR=$(TEST_FILES)) $(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist loadfile --no-loadscope-reorder --ignore=tests/kernel --ignore=tests/systemd_boot --ignore=tests/debian --ignore=tests/arm64 --ignore=tests/web_browser $(TESTS)

# The pages in a real browser, which needs Debian's chromium: the bench's, and those of `pitwatch web` with every role, with the
# keyboard alone and while broker, archive and server are killed; a quarter of an hour. PICTURE=1 makes docs/img anew.
web-test: install
	$(if $(PICTURE),$(INSTALL) pillow)
	PICTURE=$(PICTURE) $(BIN)/python -m pytest tests/web_browser

# Builds a user-mode Linux once (3 minutes, kept in the cache) and runs tests in it. RPi.GPIO cannot be beside rpi-lgpio,
# which bears its name, so it has a folder of its own; it needs Python's headers and is left out where they are not.
kernel-test: install
	tests/kernel/uml/build
	-$(INSTALL) --no-deps --upgrade --target $(VENV)/rpi-gpio RPi.GPIO
	$(BIN)/python -m pytest tests/kernel

# A million even spins and rolls, and many streams of each bias, through the real devices and rules: half an hour.
fairness-test: install
	$(BIN)/python -m tests.fairness

# The test vectors, the sensor node's firmware and its wire on real MicroPython.
micropython-test: install
	$(BIN)/python -m pytest tests/micropython tests/firmware tests/hal/test_on_micropython.py tests/hal/test_machine_lines.py

# Every game of every book on all cores: prints the matrix game x rule.
conformance: install
	$(BIN)/python -m tests.conformance

# Changes 300 things in rules and devices, one at a time, and prints what no test noticed. An hour or two.
mutants: install
	$(INSTALL) --editable '.[mutants]'
	$(BIN)/python -m tests.mutants

# Every fault of docs/reliability.md at its full dose, a quarter of an hour; prints the table of what was lost: nothing.
faults: install
	$(BIN)/python -m tests.faults

# Every attack of docs/reliability.md three times; prints the table of what was held: all.
attack: install
	$(BIN)/python -m tests.attack

# Six attacks on a table's past, a thousand times each, and a month of clean play before a witness: a quarter of an hour.
witness-attack: install
	$(BIN)/python -m tests.floor.witness

# A node of a RabbitMQ cluster killed and revived every ten seconds for two minutes while tables publish.
cluster-test: install
	$(BIN)/python -m tests.cluster

# Twenty tables for five minutes with every fault planned, PostgreSQL behind the archive, and somebody who watches.
floor-test: install
	$(BIN)/python -m tests.floor

# Thirty boards with sshd, apt and dpkg of their own, one of them hostile and two off line: list, push, upgrade in rings.
fleet-test: install
	$(BIN)/python -m tests.fleet

# Every decoder and reader of outside input under a coverage-guided fuzzer, each ten million inputs or an hour.
fuzz: install
	$(BIN)/python -m tests.fuzz

check: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# How many imports lead from each room of the daemon to each other one.
rooms: install
	@$(BIN)/python -m tests.rooms

bench: install
	@$(BIN)/python -m benchmarks

# docs/compliance.md from tests/compliance/clauses.toml.
compliance: install
	$(BIN)/python -m tests.compliance

asyncapi: install
	$(BIN)/python -c "import sys, yaml; from pitwatch.daemon.contract.asyncapi import document; \
	    yaml.safe_dump(document(), sys.stdout, sort_keys=False, width=110, allow_unicode=True)" > docs/asyncapi.yaml
	$(BIN)/python -c "from pathlib import Path; from pitwatch.daemon.contract.schemas import write; write(Path('docs/schemas'))"
	$(BIN)/python -c "from pathlib import Path; from pitwatch.floor.editor_schema import write; write(Path('docs/schemas'))"

# The Debian packages for boards and for the floor's machine: Debian 12 and 13, amd64 and arm64, unless DEBS says less.
debs: install
	$(BIN)/python systemd/deb/build.py $(DEBS)

# A signed apt repository of what `make debs` built, in dist/repo: make repo KEY=FINGERPRINT.
repo:
	@systemd/deb/repo "$(KEY)"

# As root: builds packages, installs, upgrades and removes them in a Debian 13 in a folder.
deb-test: install
	$(BIN)/python -m pytest tests/debian

# As root: installs, runs, upgrades and takes back the arm64 packages in an emulated Debian 12 and 13 in folders.
arm64-test: install
	$(BIN)/python -m pytest tests/arm64 $(ARM64_TESTS)

# As root: the suite, or TESTS of it, in a Debian in a folder, with that Debian's Python: 3.13, and 3.14 for RELEASE=forky.
RELEASE ?= trixie
debian-suite:
	tests/debian/inside $(RELEASE) make PYTEST_WORKERS=$(PYTEST_WORKERS) TESTS="$(TESTS)" test

# As root: boots a Debian with a real systemd on the kernel that kernel-test builds, and installs and tries the package there.
systemd-test: install
	$(BIN)/python systemd/deb/build.py --debian 12 --arch amd64 --package pitwatch
	tests/kernel/uml/build
	tests/systemd_boot/image
	$(BIN)/python -m pytest tests/systemd_boot $(SYSTEMD_TESTS)

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
