# Everything needs only make and a Python of at least 3.11: `make run PYTHON=python3.13` picks another one.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
MADE := $(VENV)/.made
RUNTIME := $(VENV)/.runtime
DEV := $(VENV)/.dev

.DEFAULT_GOAL := help
.PHONY: help run test check bench format clean

help: ## Show what can be made
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

run: $(RUNTIME) ## Show what Remem does on sample notes, then serve them on port 4545 until Ctrl+C
	$(BIN)/remem demo --serve

test: check ## Lint, types and all tests
	$(BIN)/python -m pytest -n 2 --dist loadfile

check: $(DEV) ## Lint and types alone
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(RUNTIME) ## Run the benchmarks, one after the other
	set -e; for name in compile search traversal vectors mcp; do $(BIN)/python -m benchmarks.$$name; done

format: $(DEV) ## Sort imports, mend what can be mended, format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## Remove the environment, caches and what was built
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(MADE):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Remem needs Python 3.11 or newer, which '$(PYTHON)' is not." >&2; \
		echo "Name another one, for example: make $(MAKECMDGOALS) PYTHON=python3.13" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(RUNTIME): $(MADE) pyproject.toml
	$(PIP) install --editable .
	@touch $@

$(DEV): $(MADE) pyproject.toml
	$(PIP) install --editable '.[dev]'
	@touch $(RUNTIME) $@
