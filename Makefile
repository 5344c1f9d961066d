# The environment comes from a lock with hashes and no addresses; uv is used when present, else pip.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
UV := $(shell command -v uv 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help install demo test test-matrix test-long bench bench-model lint docs lock clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

install: $(STAMP)  ## make .venv from the lock

$(STAMP): requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
ifneq ($(UV),)
	uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock
	uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
else
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
endif
	touch $@

demo: install  ## the main job on an embedded PostgreSQL 18: diagnose, advise, migrate under load, measure again
	$(BIN)/partadvisor demo

test: install lint  ## the quick suite, on the embedded PostgreSQL 18
	$(BIN)/python -m pytest

test-matrix: install  ## what differs by version, on PostgreSQL 13 to 18
	$(BIN)/python -m pytest -m 'matrix and not long'

test-long: install  ## what takes minutes: fuzzing, kills at many moments, the demo, a real terminal; needs gcc and tmux
	$(BIN)/python -m pytest -m long

bench: install  ## benchmarks; each prints ratios measured in one run
	$(BIN)/python -m tests.benchmarks

bench-model: install  ## the throughput model against measurement, about a quarter of an hour; needs gcc
	$(BIN)/python -m tests.benchmarks model

lint: install  ## ruff, mypy, import contract
	$(BIN)/ruff check partadvisor tests rules
	$(BIN)/ruff format --check partadvisor tests rules
	$(BIN)/mypy
	$(BIN)/mypy rules/hazards/*/pa*.py
	$(BIN)/lint-imports --no-cache

docs: install  ## regenerate the generated parts of docs/
	$(BIN)/python -m docs.generate

lock:  ## renew requirements.lock (names, versions, hashes)
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header --no-emit-index-url --group dev pyproject.toml -o requirements.lock

clean:  ## remove the environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
