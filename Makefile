# Needs Python >= 3.11, git and make; `make help` lists the targets.
PYTHON ?= python3
PY := .venv/bin/python
STAMP := .venv/.installed
LOWEST := .venv-lowest/bin/python
EGG_INFO := keyphrase_metrics.egg-info
MINILM := sentence-transformers/all-MiniLM-L6-v2

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help venv demo docs space test test-fast test-lowest test-lowest-models lint benchmark dist clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-18s %s\n", $$1, $$2}' Makefile

venv: $(STAMP)  ## set up .venv, with the versions of constraints.txt

$(STAMP): setup.cfg pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed; name one: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv
	$(PY) -m pip install --quiet -c constraints.txt $$(grep '^torch==' constraints.txt)
	$(PY) -m pip install --quiet -c constraints.txt -e ".[dev,fem,train,compare,demo,ray,offline,docs]"
	@touch $(STAMP)

demo: export HF_HUB_OFFLINE := 1
demo: $(STAMP)  ## score the two example systems with every metric, without a network
	.venv/bin/keyphrase-metrics score examples/extractor.jsonl examples/generator.jsonl --references examples/references.jsonl --corpus examples/distractors.jsonl --metrics keyphrase_f1 keyphrase_ndcg r_precision sem_f1 semr_p keyphrase_rouge "keyphrase_bertscore(model=$(MINILM),num_layers=6)" "fem_kp(generator=serialize)" --encoder $(MINILM)

space: $(STAMP)  ## serve the demo of one metric (NAME=semr_p), or of all metrics
	.venv/bin/python $(if $(NAME),spaces/$(NAME)/app.py,-c 'from keyphrase_metrics import demo; demo.launch()')

docs: $(STAMP)  ## build the site into build/site, without a network; open its index.html
	$(PY) docs/site/build.py

test: $(STAMP)  ## run the whole test suite, in as many processes as there are cores
	$(PY) -m pytest -n logical --dist worksteal

test-fast: $(STAMP)  ## run the tests of the core: without browser, Ray, models, what is slow
	$(PY) -m pytest -n logical --dist worksteal --fast

test-lowest:  ## run the tests of the core with the oldest versions that setup.cfg allows, in .venv-lowest, without torch
	$(PYTHON) -m venv --clear .venv-lowest
	$(LOWEST) .ci/lowest.py >.venv-lowest/lowest.txt
	$(LOWEST) -m pip install --quiet -c .venv-lowest/lowest.txt -e ".[compare,demo,figures,ray,test]"
	$(LOWEST) -m pytest -n logical --dist worksteal --fast

test-lowest-models: test-lowest  ## go on there with the tests of models; torch alone is that of constraints.txt
	$(LOWEST) -m pip install --quiet -c .venv-lowest/lowest.txt -e ".[fem,offline,train]"
	$(LOWEST) -m pytest -n logical --dist worksteal -m "model and not browser"

lint: $(STAMP)  ## check style, format, spelling, types, declared packages, and which room imports from which
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	git ls-files -z --cached --others --exclude-standard | xargs -0 $(PY) -m codespell_lib
	$(PY) -m mypy
	$(PY) .ci/imports.py
	.venv/bin/lint-imports --no-cache

benchmark: $(STAMP)  ## run every script of benchmarks/
	@set -e; for script in benchmarks/*.py; do \
	    [ -e "$$script" ] || { echo "benchmarks/ holds no script" >&2; exit 1; }; \
	    echo "== $$script"; $(PY) "$$script"; \
	done

dist: $(STAMP)  ## build the source distribution and, from it, the wheel into dist/
	rm -rf build dist $(EGG_INFO)
	$(PY) -m build --no-isolation
	rm -rf $(EGG_INFO)

clean:  ## remove all that these targets made, .venv too
	rm -rf .venv .venv-lowest build dist $(EGG_INFO) .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
