# The first python3 that is new enough is used; `make PYTHON=/path/to/python test` names another one.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SEEDS ?= 1 2 3 4 5
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# One virtual environment, four stamps. They depend on pyproject.toml only, so a second run needs no network.
CREATED := $(VENV)/.created
BASE := $(VENV)/.base
FULL := $(VENV)/.full
DOCS := $(VENV)/.docs

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help venv demo test verify bench study docs clean

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1	/p' $(MAKEFILE_LIST) | expand -t 8

venv: $(FULL)  ## create .venv with the package (editable), every extra and every tool

demo: $(BASE)  ## install the package without extras and run the demonstration
	@$(BIN)/replibandit demo

test: $(FULL)  ## lint, types, import contracts, tests
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest --quiet --durations=10 --numprocesses=auto --dist=loadscope

verify: $(FULL)  ## run the statistical tests with other seeds: make verify SEEDS="1 2 3" (some minutes each)
	@set -e; for seed in $(SEEDS); do echo "== seed $$seed"; \
	    REPLIBANDIT_SEED=$$seed $(BIN)/pytest --quiet --numprocesses=auto --dist=loadscope tests/statistics; done

bench: $(FULL)  ## run every script in benchmarks/
	@set -e; for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python "$$script"; done

study: $(FULL)  ## play what the study lacks, draw its figures, write docs/study.md
	$(BIN)/python -m studies

docs: $(DOCS)  ## build the documentation into site/
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "open site/index.html"

clean:  ## remove the virtual environment and every cache
	rm -rf $(VENV) build dist site .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests benchmarks studies -name __pycache__ -type d -prune -exec rm -rf {} +

$(CREATED):
	@for python in "$(PYTHON)" python3.13 python3.12 python3.11; do \
	    if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	        echo "creating $(VENV) with $$python"; \
	        "$$python" -m venv --clear $(VENV) && touch $@; exit; \
	    fi; \
	done; \
	echo "replibandit needs Python 3.11 or newer with the venv module; $(PYTHON) is older or not there." >&2; \
	echo "Install one, or name it: make PYTHON=/path/to/python3.11 test" >&2; \
	exit 1

$(BASE): pyproject.toml | $(CREATED)
	@echo "installing replibandit"
	@$(PIP) install --editable .
	@touch $@

$(FULL): pyproject.toml | $(CREATED)
	@echo "installing replibandit with every extra and the tools"
	@$(PIP) install --editable '.[all]'
	@touch $(BASE) $@

$(DOCS): pyproject.toml | $(CREATED)
	@echo "installing what builds the documentation"
	@$(PIP) install --editable '.[docs]'
	@touch $(BASE) $@
