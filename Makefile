# make demo   see it work        make test   check everything
# make bench  measure its cost   make lint   the fast part of test
# make fuzz   random programs       make classic   the 1994 paper's tables
# make real   real programs' own test suites, plain and instrumented
# make campaign   gcc's own test suites, plain and instrumented; damaged input; what test leaves out
# make same   this version and an older one on the same inputs: SAME=COMMIT
# make fresh  README, quick start and tutorial, run on a Debian 12 that it installs (root)
# make docs   pages and manual pages in docs/_build
#
# Each installs what is missing first (see ./bootstrap).

BIN = .venv/bin
# Tests wait for emulators now and then: one process more than there are processors.
JOBS := $(shell expr $$(nproc) + 1)

# pytest rewrites assertions as it compiles tests, half of what collecting takes: where byte code is
# not to be written beside its source, it is kept in build/, as for the commands that tests run.
BYTE_CODE := $(if $(PYTHONDONTWRITEBYTECODE),env -u PYTHONDONTWRITEBYTECODE \
	PYTHONPYCACHEPREFIX=$(CURDIR)/build/byte-code)

.PHONY: demo test style types suite bench classic real docs fuzz campaign same fresh lint clean

demo:
	@./bootstrap demo
	@PATH="$(CURDIR)/$(BIN):$$PATH" examples/demo

lint: style
	@$(MAKE) --no-print-directory types

# mypy uses one processor for a minute or two: the tests begin beside it.
test: style
	@$(MAKE) --no-print-directory -j2 types suite
	@echo
	@echo "All checks passed. Next: make demo shows a trace, make bench what tracing costs."

style:
	@./bootstrap test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types:
	$(BIN)/mypy

# Tests run make, which is not to share this one's jobs.
suite:
	env -u MAKEFLAGS -u MFLAGS $(BYTE_CODE) $(BIN)/pytest -n $(JOBS) --dist worksteal

# Only some cells: make bench BENCH="--target ppc32 --program gzip --way rst"
bench:
	@./bootstrap bench
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m tests.bench $(if $(BENCH),$(BENCH),--translator)
ifeq ($(BENCH),)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m tests.bench.traces
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m tests.bench.checks
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m tests.bench.memory
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m tests.bench.replay
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m tests.bench.windows
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m tests.bench.boards
endif

# More: make classic CLASSIC="--target ppc32 --task vi"
classic:
	@./bootstrap test
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m tests.classic $(CLASSIC)

# More: make real REAL="--target ppc32 --program zlib --compiler clang --hooks hostile"
real:
	@./bootstrap real
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m tests.real $(REAL)

docs:
	@./bootstrap test
	$(BIN)/python -m sphinx -q -W -b html docs docs/_build/html
	$(BIN)/python -m sphinx -q -W -b man docs docs/_build/man
	@echo "docs/_build/html/index.html; man -l docs/_build/man/inst-view.1"

# More: make fuzz FUZZ="--help"; the csmith campaign: FUZZ="--kind c --count 1000 --truth 5 --resume"
fuzz:
	@./bootstrap test
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m tests.fuzz $(FUZZ)

# More: make campaign CAMPAIGN="--piece conformance --rounds 40 --seconds 3000 --resume"
campaign:
	@./bootstrap test
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m tests.campaign $(CAMPAIGN)

# More: make same SAME="--only translate --csmith 40 main"
same:
	@./bootstrap test
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m tests.same $(SAME)

# Needs root, debootstrap, and Debian's and pip's packages. More: make fresh FRESH="--help"
fresh:
	@./bootstrap test
	$(BIN)/python -m tests.fresh $(FRESH)

clean:
	rm -rf docs/_build demo dist .mypy_cache .ruff_cache .pytest_cache build/byte-code build/test-libraries
