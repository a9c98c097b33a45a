# Everything a newcomer needs: make demo, make test. All set-up happens in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: install demo test conformance check bench asyncapi clean

install: $(STAMP)

# An interrupted installation leaves no stamp, so the next call begins again.
$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[bench,dev]'
	touch $(STAMP)

demo: install
	$(BIN)/pitwatch bench --scenario demo

test: install
	$(BIN)/python -m pytest

# Every game of every book on all cores: prints the matrix game x rule.
conformance: install
	$(BIN)/python -m tests.conformance

check: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: install
	$(BIN)/python -m benchmarks

asyncapi: install
	$(BIN)/python -c "import sys, yaml; from daemon.asyncapi import document; \
	    yaml.safe_dump(document(), sys.stdout, sort_keys=False, width=110, allow_unicode=True)" > docs/asyncapi.yaml

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
