# The two commands that matter are `make run` and `make test`; both work in a fresh checkout.
# Each recipe line replaces its shell (`exec`), so that make passes SIGTERM to the program itself.

PYTHON ?= python3
VENV := .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help run test dense lint format browser-test benchmark stack env lock clean check-python install-base install-test install-dense

help: ## say what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' Makefile

run: install-base ## build what is missing, then start Interrater on 127.0.0.1 (PORT=8000, DEMO=0 for no demo)
	@exec $(VENV) -m scripts.launcher

test: install-test ## lint, types and all tests: on PostgreSQL where one answers, last on SQLite
	@exec $(VENV) -m scripts.run_tests all

dense: install-dense ## add what dense retrieval needs: torch for processors and some 600 MB more

lint: install-test ## style, types, migrations and settings, without tests
	@exec $(VENV) -m scripts.run_tests lint

format: install-test ## put all Python files in the one format
	@exec $(VENV) -m scripts.run_tests format

browser-test: install-test ## only the tests that drive a real browser
	@exec $(VENV) -m scripts.run_tests browser

benchmark: install-test ## run every benchmark, one after the other
	@exec $(VENV) -m scripts.run_tests benchmark

stack: install-base ## start what docker-compose.yml says, on a PostgreSQL and a Redis of its own (PORT=8000)
	@exec $(VENV) -m scripts.stack

env: check-python ## write .env for docker compose, with new passwords, unless it is there
	@exec $(PYTHON) -m scripts.secrets_file

lock: install-test ## resolve requirements/*.in anew into *.txt
	@exec $(VENV) -m scripts.lock

clean: ## remove what was built (.venv, caches); var/, with the data, stays
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis var/static

install-base: check-python
	@exec $(PYTHON) -m scripts.environment base

install-test: check-python
	@exec $(PYTHON) -m scripts.environment test

install-dense: check-python
	@exec $(PYTHON) -m scripts.environment dense

# In the shell, because an old Python could not even read our files.
check-python:
	@command -v $(PYTHON) >/dev/null 2>&1 || { echo "Python is missing: sudo apt install python3 python3-venv" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Interrater needs Python 3.11 or later, and $(PYTHON) is $$($(PYTHON) -V 2>&1): install a later one and name it, as in make run PYTHON=python3.12" >&2; exit 1; }
