# Everything needs only make and a Python of at least 3.11: `make run PYTHON=python3.13` picks another one.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
MADE := $(VENV)/.made
RUNTIME := $(VENV)/.runtime
DEV := $(VENV)/.dev

.DEFAULT_GOAL := help
.PHONY: help run test check bench campaign bench-full format clean chromium

help: ## Show what can be made
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

run: $(RUNTIME) ## Show what Remem does on sample notes, then serve them on port 4545 (PORT=N) until Ctrl+C
	$(BIN)/remem demo --serve $(if $(PORT),--port $(PORT))

test: check chromium ## Lint, types and all tests
	$(BIN)/python -m pytest -n 2 --dist loadfile

# The tests of the graph page want a browser; where none can be had they say so and are left out.
chromium:
	@for name in chromium chromium-browser google-chrome; do command -v $$name >/dev/null 2>&1 && exit 0; done; \
	command -v apt-get >/dev/null 2>&1 && [ "$$(id -u)" = 0 ] && apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium >/dev/null || \
		echo "no Chromium: the tests of the graph page in a browser are left out" >&2

check: $(DEV) ## Lint and types alone
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(RUNTIME) ## Run the benchmarks in their quick form, within three minutes
	$(BIN)/python -m benchmarks --quick

bench-full: $(RUNTIME) ## Run all benchmarks at full size, other programs beside (DATA=DIR NOTES=DIR for those that read)
	$(BIN)/python -m benchmarks $(if $(DATA),--data "$(DATA)") $(if $(NOTES),--notes "$(NOTES)")

# `make test` runs short forms of these.
campaign: $(DEV) ## Crash, write, damage and use stores for a quarter of an hour (docs/reliability.md)
	$(BIN)/python -m tests.campaigns.crashes --rounds 200
	$(BIN)/python -m tests.campaigns.writers --seconds 60
	$(BIN)/python -m tests.campaigns.damage
	$(BIN)/python -m tests.campaigns.week --hours 168 --calls 20
	$(BIN)/python -m tests.campaigns.startup
	$(BIN)/python -m tests.campaigns.stateful --examples 150 --steps 40
	$(BIN)/python -m tests.campaigns.fuzzing --texts 20000 --files 300

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
