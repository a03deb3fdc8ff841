# The two main commands are `make run` and `make test`. Both work in a fresh checkout.
# Recipes use `exec`, so that the program replaces its shell and gets SIGTERM from make.

PYTHON ?= python3
VENV := .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help run quick test thorough dense lint format browser-test benchmark faults audit release stack env lock catalogues clean check-python install-base install-test install-dense

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' Makefile

run: install-base ## install what is missing, then start Interrater on 127.0.0.1 (PORT=8000; DEMO=empty or 0: a demo without answers, or none)
	@exec $(VENV) -m scripts.launcher

quick: install-test ## check style and types and run the tests that find most faults per second, in a minute
	@exec $(VENV) -m scripts.run_tests quick

test: install-test ## lint, check types and run all tests: on PostgreSQL if a server answers, then on SQLite
	@exec $(VENV) -m scripts.run_tests all

thorough: install-test ## the same with the tests that `make test` leaves out because they take long
	@exec $(VENV) -m scripts.run_tests thorough

dense: install-dense ## install dense retrieval and metrics with a model: torch for CPUs and about 600 MB more

lint: install-test ## check style, types, migrations and settings, without tests
	@exec $(VENV) -m scripts.run_tests lint

format: install-test ## format all Python files
	@exec $(VENV) -m scripts.run_tests format

browser-test: install-test ## run only the browser tests
	@exec $(VENV) -m scripts.run_tests browser

benchmark: install-test ## run every benchmark, one after the other
	@exec $(VENV) -m scripts.run_tests benchmark

faults: install-test ## stop, kill and fill databases, disks and web servers under load, and compare what was kept
	@exec $(VENV) -m tests.faults.faults

audit: install-test ## look for known vulnerabilities, licences that are not allowed, and secrets in the history
	@exec $(VENV) -m scripts.audit

release: install-test ## make the release VERSION=x.y.z from a clean main, if every check is green (DRY=1: only show the checks)
	@exec $(VENV) -m scripts.release "$(VERSION)" $(if $(DRY),--dry) $(if $(REPORT),--report "$(REPORT)")

stack: install-base ## run the services of docker-compose.yml without Docker (PORT=8000; STACK_FOLDER: data that is kept; RESTORE: a backup)
	@exec $(VENV) -m scripts.stack

env: check-python ## write .env for docker compose with new passwords, unless it exists
	@exec $(PYTHON) -m scripts.secrets_file

catalogues: install-test ## find all texts of annotators' pages, and update and compile their catalogues
	@exec $(VENV) -m scripts.catalogues

lock: install-test ## lock exact versions: resolve requirements/*.in into *.txt
	@exec $(VENV) -m scripts.lock

clean: ## remove what was built (.venv, caches, collected static files), never the data in var/
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis var/static

install-base: check-python
	@exec $(PYTHON) -m scripts.virtual_environment base

install-test: check-python
	@exec $(PYTHON) -m scripts.virtual_environment test

install-dense: check-python
	@exec $(PYTHON) -m scripts.virtual_environment dense

# Checked in the shell, because an old Python cannot parse our files.
check-python:
	@command -v $(PYTHON) >/dev/null 2>&1 || { echo "Python is missing: sudo apt install python3 python3-venv" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Interrater needs Python 3.11 or later, but $(PYTHON) is $$($(PYTHON) -V 2>&1). Install a newer one and name it, for example make run PYTHON=python3.12" >&2; exit 1; }
