# Every target works as the first command in a clean clone: it makes .venv/ and installs what it needs.
# PYTHON=python3.12 picks an interpreter; ARGS="-k board" is handed to pytest, which runs in PROCESSES processes.

PROCESSES ?= 3
QUICK = tests/metrics tests/store tests/publish tests/charts tests/importers/test_table.py tests/cli/test_parquet.py
FUZZ = tests/board/test_certainty.py tests/corpus/test_corruptions.py tests/reading/test_what_is_written.py tests/store/test_slim_records.py \
	tests/store/test_failure_lists.py tests/store/test_hostile_input.py tests/importers/test_mutated_sources.py

.DEFAULT_GOAL := site
.NOTPARALLEL:
.PHONY: site serve arrivals published test check golden bench harden coverage boards schema reference hygiene lock lowest fuzz mutants pictures clean help runtime dev

site: runtime  ## Build site/ from results/
	@echo "Building site/ from results/."
	@.venv/bin/sitegen build
	@echo "The site is ready: open site/index.html, or run make serve (.venv/bin/sitegen serve) to see it in a browser."

arrivals: runtime  ## Add to results/arrivals.jsonl a line for each new submission
	@.venv/bin/sitegen release --arrivals

published: runtime  ## Compare the site at site_url with one that is built here
	@.venv/bin/sitegen verify-site "$$(sed -n 's/^site_url: *["'\'']*\([^"'\'' ]*\).*/\1/p' mkdocs.yml)" --rebuild .

serve: runtime  ## Build the site, serve it on this machine, rebuild on change
	@.venv/bin/sitegen serve

test: dev  ## Run the tests, those in a browser included
	@browser=$$(sh tools/browser.sh) && PYTHONDONTWRITEBYTECODE= SITEGEN_BROWSER="$$browser" .venv/bin/pytest --numprocesses $(PROCESSES) --dist worksteal $(ARGS)

check: dev  ## Lint, format, types, layers, figures of the code, tests and links: all that a change must pass
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@.venv/bin/mypy
	@.venv/bin/lint-imports
	@.venv/bin/python tools/hygiene.py
	@$(MAKE) --no-print-directory test
	@echo "Building the site in a temporary folder, which checks every link."
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && .venv/bin/sitegen build --check-links --site "$$folder/site"

golden: dev  ## Rewrite tests/golden/ and the output shown in guides, after an intended change; read the diff
	@.venv/bin/pytest --quiet -n 0 --update-golden tests/test_golden_site.py tests/flows/test_walkthrough.py tests/flows/test_worked_request.py

bench: dev  ## Measure speed and size against the budgets; ARGS="--only real" picks sizes
	@browser=$$(sh tools/browser.sh) && SITEGEN_BROWSER="$$browser" .venv/bin/python tools/bench.py $(ARGS)

harden: dev  ## Kill what writes, refuse it disk and files, and try hostile settings and servers; prints what came of it
	@browser=$$(sh tools/browser.sh) && SITEGEN_BROWSER="$$browser" .venv/bin/python tools/harden.py $(ARGS)
	@SITEGEN_WHOLE=1 .venv/bin/pytest --quiet --numprocesses $(PROCESSES) --dist worksteal tests/cli/test_streams.py tests/cli/test_random_histories.py tests/cli/test_random_commands.py tests/cli/test_incremental.py \
		tests/corpus/test_configurations.py tests/publish/test_slow_servers.py tests/importers/test_sparse_files.py

coverage: dev  ## Measure how often intervals and ranks hold, on simulated boards; BOARDS=N simulates more
	@.venv/bin/python tools/interval_coverage.py $(if $(BOARDS),--boards $(BOARDS))

boards: dev  ## Hold random boards against a second computation; BOARDS=N draws more than 500
	@SITEGEN_BOARDS=$(or $(BOARDS),500) .venv/bin/pytest --quiet --numprocesses $(PROCESSES) --dist worksteal tests/board/test_random_boards.py

schema: runtime  ## Write the JSON Schemas of the data on disk to build/schemas/
	@.venv/bin/sitegen schema --into build/schemas

reference: dev  ## Rewrite the reference pages from the program: commands, metrics, checks and imports
	@.venv/bin/python tools/reference.py

hygiene: dev  ## Measure what makes the code heavy to read and to change
	@.venv/bin/python tools/hygiene.py

LOCK = .venv/bin/uv pip compile --quiet --upgrade --universal --generate-hashes --no-annotate --no-header \
	--exclude-newer "7 days"

lock: dev  ## Take the newest versions allowed that are a week old, and write them with their hashes to locks/
	@$(LOCK) pyproject.toml --group dev --output-file locks/dev.txt
	@$(LOCK) pyproject.toml --group build --constraints locks/dev.txt --output-file locks/runtime.txt
	@$(LOCK) --group node --output-file locks/node.txt

lowest: dev  ## Test with the lowest versions allowed, in a temporary environment
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
		.venv/bin/uv pip compile --quiet --resolution lowest-direct --all-extras pyproject.toml --output-file "$$folder/lowest.txt" && \
		.venv/bin/uv venv --quiet --python .venv/bin/python "$$folder/venv" && \
		.venv/bin/uv pip install --quiet --python "$$folder/venv" --requirements "$$folder/lowest.txt" --group dev --editable . && \
		"$$folder/venv/bin/pytest" --numprocesses $(PROCESSES) --dist loadfile $(or $(ARGS),$(QUICK))

fuzz: dev  ## Look for bytes that end in a traceback or a hang; MINUTES=N of processor time
	@.venv/bin/python -W ignore tools/fuzz.py $(or $(MINUTES),10) $(if $(SEED),--seed $(SEED))
	@SITEGEN_WHOLE=1 .venv/bin/pytest --quiet $(FUZZ)

mutants: dev  ## Look for changes of the program that no test notices; MODULES="sitegen/metrics/rank_tests.py" for some
	@.venv/bin/python tools/mutants.py $(MODULES)

pictures: dev  ## Take the README's pictures of the site of results/
	@browser=$$(sh tools/browser.sh) && SITEGEN_BROWSER="$$browser" .venv/bin/python tools/pictures.py

clean:  ## Remove what was built and the caches; .venv/ stays
	@rm -rf site build dist tests/actual .*_cache .hypothesis
	@find sitegen tests tools -name __pycache__ -prune -exec rm -rf {} +

help:  ## List these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-9s %s\n", $$1, $$2}' Makefile

runtime dev:
	@sh tools/environment.sh $@
	@if [ $@ = dev ]; then sh tools/node.sh; fi
