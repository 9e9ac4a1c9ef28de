# Agensh Web. `make demo` sets up and starts everything; `make help` lists the rest.
PYTHON ?= python3
PORT ?= 8000
VENV := .venv
PY := $(VENV)/bin/python
LOCKS := docker/requirements
# For every Python from 3.11.0 on: some packages are needed by some versions only.
LOCK := $(VENV)/bin/uv pip compile --universal --python-version 3.11.0 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --quiet

TAG ?= latest
BASE = $(if $(BASE_IMAGE),--build-arg BASE_IMAGE=$(BASE_IMAGE))

BENCHES := ingest live visible browsing search meaning worker gateway compose bootstrap real scale

.DEFAULT_GOAL := help
.PHONY: $(BENCHES) help demo setup setup-dev clis images images-clis test test-docker lint bench shots lock clean

help: ## list these targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

demo: setup ## set up and start everything in one process; PORT=8000 changes the port
	@$(PY) manage.py up --port $(PORT)

setup: $(VENV)/.app ## make .venv with what the product needs

setup-dev: $(VENV)/.dev ## make .venv with what the tests need as well

clis: setup ## install the agent CLIs that workers may run on (npm, about 1.2 GB), below the data folder
	@$(PY) manage.py install_clis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "Agensh Web needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) -V 2>&1). Try: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 2; }
	@test -w . || { echo "This folder is read-only: copy the checkout to a place you may write to." >&2; exit 2; }
	@command -v git >/dev/null || { echo "git is missing: install it first (Debian: apt-get install git)." >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "Could not make a virtual environment (Debian: apt-get install python3-venv)." >&2; exit 2; }

$(VENV)/.app: $(LOCKS)/app.txt | $(VENV)/bin/python
	@echo "Installing the locked requirements into $(VENV) ..."
	@$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r $(LOCKS)/app.txt
	@touch $@

$(VENV)/.dev: $(LOCKS)/dev.txt | $(VENV)/bin/python
	@echo "Installing the locked requirements for tests into $(VENV) ..."
	@$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r $(LOCKS)/dev.txt
	@touch $@ $(VENV)/.app

images: ## build the images of the app, of a team's programs and of the stand-ins; BASE_IMAGE= takes another base, TAG= another tag
	@docker build -q $(BUILD) $(BASE) -f docker/team/Dockerfile -t agensh/team:$(TAG) .
	@docker tag agensh/team:$(TAG) agensh/worker:$(TAG)
	@docker build -q $(BUILD) --build-arg TEAM_IMAGE=agensh/team:$(TAG) -f docker/standins/Dockerfile -t agensh/standins:$(TAG) .
	@docker build -q $(BUILD) $(BASE) --build-arg RELEASE=$$(git rev-parse HEAD) -f docker/Dockerfile -t agensh/app:$(TAG) .

images-clis: images ## build the image of workers that run on Copilot, Claude Code or Codex (about 1.3 GB more); it takes the name agensh/worker
	@docker build -q $(BUILD) $(BASE) -f docker/clis/Dockerfile -t agensh/clis:$(TAG) .
	@docker build -q $(BUILD) --build-arg BASE_IMAGE=agensh/clis:$(TAG) -f docker/team/Dockerfile -t agensh/worker:$(TAG) .

test: setup-dev ## set up what the tests need and run every one: SQLite, PostgreSQL + Redis, JavaScript, Chromium
	@$(PY) tests/run.py

test-docker: setup-dev ## the production stack and teams on a real Docker Engine (as root; about half an hour, most of it building)
	@$(PY) -m pytest -q -m docker tests/docker/stack

lint: setup-dev ## formatting, rules, types, imports, templates
	@$(VENV)/bin/ruff format --check --quiet . && $(VENV)/bin/ruff check --quiet .
	@$(VENV)/bin/lint-imports --no-cache >/dev/null || $(VENV)/bin/lint-imports --no-cache
	@$(VENV)/bin/djade --check --target-version 5.2 $$(git ls-files 'templates/*.html')
	@$(VENV)/bin/mypy --no-error-summary trajectories/events trajectories/reducers trajectories/sources runs/spec.py agensh_web/env.py agensh_web/databases.py docker/board/rules.py runs/harnesses runs/backends/sandbox

# `make bench ingest live` measures these; `make bench` all, in a data folder of its own.
bench: setup ## figures with their ceilings, measured in the same run; make bench ingest live: these alone
	@data=$$(mktemp -d) && trap 'rm -rf "$$data"' EXIT && export AGENSH_DATA_DIR="$$data" && $(PY) manage.py migrate --verbosity 0 && \
	  for name in $(or $(filter $(BENCHES),$(MAKECMDGOALS)),demo $(BENCHES)); do echo "$$name"; $(PY) manage.py bench $$name --json || exit 1; done
$(BENCHES):
	@:

shots: setup-dev ## pictures of every page in var/shots: SHOTS_ONLY=team,claims takes some of them
	@$(PY) -m tests.e2e.shots

lock: setup-dev ## renew the lock files from pyproject.toml
	@$(PY) -m pip install --quiet uv
	@$(LOCK) pyproject.toml --extra parquet -o $(LOCKS)/app.txt
	@$(LOCK) pyproject.toml --extra parquet --group launcher -c $(LOCKS)/app.txt -o $(LOCKS)/launcher.txt
	@$(LOCK) --group programs -c $(LOCKS)/app.txt -o $(LOCKS)/programs.txt
	@$(LOCK) pyproject.toml --all-extras -o $(LOCKS)/dev.txt

clean: ## remove the virtual environment (data in var/ stays)
	@rm -rf $(VENV)
