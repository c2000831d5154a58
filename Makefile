# Every target sets up what it needs in .venv and build, and does nothing that is done already.
#
#   make build      the package in .venv, importable, with what the tests need
#   make test       the C++ tests, then the Python tests, doctests and the code in the documents
#   make demo       the main job: a synthetic bike-share stream through Spark, and a report to look at; OPEN=1 opens it
#   make bench      the measurements: the core alone, then the calls from Python
#   make docs       the site of the documents, in build/site; warnings are errors
#   make lint       ruff, mypy, pyright and clang-format, none of which changes a file
#   make format     what ruff and clang-format can repair
#   make fuzz       random programs beside what is slow and right, for SECONDS=60
#   make sanitize   the tests of the core under AddressSanitizer and UndefinedBehaviorSanitizer
#   make clean      removes .venv and build

PYTHON ?= python3
ifeq ($(origin CXX),default)
CXX := $(firstword $(foreach name,g++ clang++ c++,$(shell command -v $(name))) g++)
endif
export CXX
export PIP_DISABLE_PIP_VERSION_CHECK := 1

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet
# Configures a build tree, without a word when all is well.
CMAKE = $(BIN)/cmake -S . -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja -Wno-unused-cli \
    -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python --log-level=WARNING > /dev/null
PYTEST := $(BIN)/python -m pytest
# Pinned to one core where that can be done: measurements wander less.
PIN := $(if $(shell command -v taskset),taskset -c 0)

CORE := $(shell find core/include core/bindings -type f 2>/dev/null)
SOURCES = $(shell find core -name '*.hpp' -o -name '*.cpp')

.PHONY: build test demo bench docs lint format fuzz sanitize clean
.DELETE_ON_ERROR:
.SUFFIXES:

build: $(VENV)/.core

# -Og: it takes hardly longer to compile than no level at all, and the tests run in a fifth of the time.
test: $(VENV)/.core $(VENV)/.redis $(VENV)/.chromium
	@$(CMAKE) -B build/tests -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-Og -DSASH_CORE_TESTS=ON
	@$(BIN)/cmake --build build/tests -- --quiet
	@$(BIN)/ctest --test-dir build/tests --parallel 2 --output-on-failure --no-tests=error
	@$(PYTEST) -n 2 --dist loadfile --no-loadscope-reorder -m "not slow" --doctest-modules src/sash tests

demo: $(VENV)/.core
	@$(BIN)/python -m sash demo $(if $(OPEN),--open)

bench: $(VENV)/.core
	@$(CMAKE) -B build/bench -DCMAKE_BUILD_TYPE=Release -DSASH_BENCH=ON
	@$(BIN)/cmake --build build/bench -- --quiet
	@$(PIN) build/bench/sash_bench
	@$(PIN) build/bench/sash_bench --records
	@$(PIN) build/bench/sash_bench --latency
	@$(PIN) $(BIN)/python benchmarks/calls.py
	@$(PIN) $(BIN)/python benchmarks/composite.py
	@$(PIN) $(BIN)/python benchmarks/compiled.py
	@$(BIN)/python benchmarks/rolling.py
	@$(PIN) $(BIN)/python benchmarks/sliding.py
	@$(PIN) $(BIN)/python benchmarks/stores.py
	@$(BIN)/python benchmarks/spark_batch.py
	@$(BIN)/python benchmarks/spark_stream.py

docs: $(VENV)/.core
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "build/site/index.html"

lint: $(VENV)/.core $(VENV)/.lint
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy --strict src/sash
	@$(PYTEST) --quiet tests/test_types.py
	@$(BIN)/clang-format --dry-run --Werror $(SOURCES)

format: $(VENV)/.lint
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .
	@$(BIN)/clang-format -i $(SOURCES)

SECONDS ?= 60
fuzz: $(VENV)/.core
	@cd tests && $(CURDIR)/$(BIN)/python -m fuzz $(SECONDS)

# The package with a sanitized core lies in build/sanitize/site. It is imported by the interpreter below .venv, which
# does not read .pth files from PYTHONPATH, so that the ordinary core of .venv stays out of the way. Leaks are looked
# for in the C++ tests; the interpreter itself keeps memory until it exits.
SITE := build/sanitize/site
PRELOAD = $(shell $(CXX) -print-file-name=libasan.so):$(shell $(CXX) -print-file-name=libstdc++.so)
PACKAGES = $(shell $(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')

sanitize: $(VENV)/.core
	@$(CMAKE) -B build/sanitize -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG= -DSASH_SANITIZE=ON -DSASH_CORE_TESTS=ON
	@$(BIN)/cmake --build build/sanitize -- --quiet
	@ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
	    $(BIN)/ctest --test-dir build/sanitize --output-on-failure --no-tests=error
	@rm -rf $(SITE) && mkdir -p $(SITE) && cp -r src/sash $(SITE)/ && cp build/sanitize/_*.so $(SITE)/sash/
	@LD_PRELOAD=$(PRELOAD) ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
	    PYTHONPATH=$(CURDIR)/$(SITE):$(PACKAGES) PYTHONDONTWRITEBYTECODE=1 PYTHONMALLOC=malloc \
	    $$(readlink -f $(BIN)/python) -m pytest -p no:cacheprovider -m "not slow and not project" \
	    --ignore=tests/spark --ignore=tests/demo tests

clean:
	@rm -rf $(VENV) build

# The environment, in steps that later changes seldom undo: the interpreter, what is downloaded, the core.

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	    { echo "Python 3.11 or later is needed: apt-get install python3, or make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	    { echo "The module venv is needed: apt-get install python3-venv" >&2; exit 1; }
	@$(PYTHON) -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' || \
	    { echo "Python.h is needed: apt-get install python3-dev" >&2; exit 1; }
	@echo '#include <concepts>' | $(CXX) -std=c++20 -fsyntax-only -x c++ - 2>/dev/null || \
	    { echo "A C++20 compiler is needed: apt-get install g++, or make CXX=/path/to/compiler" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

# pip reads no extra without building the package that has it; this lists the requirements alone.
define REQUIREMENTS
import sys, tomllib
with open("pyproject.toml", "rb") as file:
    settings = tomllib.load(file)
lists = {"build": settings["build-system"]["requires"], "run": settings["project"]["dependencies"]}
lists |= settings["project"]["optional-dependencies"]
print(*(line for name in sys.argv[1:] for line in lists[name]), sep="\n")
endef
export REQUIREMENTS

$(VENV)/.packages: $(VENV)/.python pyproject.toml
	@echo "Fetching what the build and the tests need"
	@$(BIN)/python -c "$$REQUIREMENTS" build run test > $(VENV)/packages.txt
	@$(PIP) cmake ninja -r $(VENV)/packages.txt
	@touch $@

$(VENV)/.lint: $(VENV)/.python pyproject.toml
	@$(BIN)/python -c "$$REQUIREMENTS" lint > $(VENV)/lint.txt
	@$(PIP) -r $(VENV)/lint.txt
	@touch $@

# The tests of the Redis store start a server of their own. Where none can be installed, they are left out, and say so.
$(VENV)/.redis: $(VENV)/.python
	@command -v redis-server > /dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null && \
	    echo "Installing redis-server" && apt-get update -qq > /dev/null && \
	    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends redis-server > /dev/null; } || \
	    echo "redis-server is missing: apt-get install redis-server, or its tests are left out" >&2
	@touch $@

# The report is tested in a browser. Where none can be installed, those tests are left out, and say so.
$(VENV)/.chromium: $(VENV)/.python
	@command -v chromedriver > /dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null && \
	    echo "Installing chromium" && apt-get update -qq > /dev/null && DEBIAN_FRONTEND=noninteractive \
	    apt-get install -y -qq --no-install-recommends chromium chromium-driver > /dev/null; } || \
	    echo "chromium is missing: apt-get install chromium chromium-driver, or its tests are left out" >&2
	@touch $@

# Editable: a change of Python code needs no new build, a change of the core builds what it touches.
$(VENV)/.core: $(VENV)/.packages CMakeLists.txt $(CORE)
	@echo "Building the core (the first time takes minutes)"
	@$(PIP) --no-build-isolation --no-deps --config-settings=build-dir=build/python --editable .
	@touch $@
