# chattygen: `make demo` shows the main job, `make test` passes the tests. Everything lives in .venv/ and .home/.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
export CHATTYGEN_HOME ?= $(CURDIR)/.home
MODEL := qwen2.5-coder-1.5b-instruct

# Some virtual machines announce Intel's AMX instructions and then refuse them; llama.cpp gains little from them here.
ifeq ($(shell uname -m),x86_64)
NO_AMX := -mno-amx-tile -mno-amx-int8 -mno-amx-bf16
export CMAKE_ARGS ?= -DCMAKE_C_FLAGS='$(NO_AMX)' -DCMAKE_CXX_FLAGS='$(NO_AMX)'
endif

.PHONY: help demo test check clean
.DEFAULT_GOAL := help

help:
	@echo 'make demo    set everything up, load a sample graph, generate 3 dialogues and show them'
	@echo 'make test    set up what the tests need and run them'
	@echo 'make check   ruff, mypy and the import rules'
	@echo 'make clean   delete caches and build folders (keeps .venv and .home)'

$(VENV)/.base: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.base
	$(BIN)/pip install --quiet --editable '.[dev]'
	@touch $@

# What serves models on the CPU: llama-cpp-python where pip keeps one that was compiled before, else the prebuilt wheel.
$(VENV)/.engine: $(VENV)/.base
	@$(BIN)/python -c 'from chattygen.models import engines; raise SystemExit(not any(map(engines.installed, engines.ENGINES)))' \
	|| if $(BIN)/pip cache list llama_cpp_python 2>/dev/null | grep -q llama_cpp_python; \
	then echo 'Installing llama-cpp-python, which was compiled here before ...'; $(BIN)/pip install --quiet --editable '.[cpu]'; \
	else echo 'Installing xllamacpp, which needs no compiler ...'; $(BIN)/pip install --quiet --editable '.[cpu-wheel]'; fi
	@touch $@

$(VENV)/.both: $(VENV)/.dev
	@$(BIN)/python -c 'import llama_cpp' 2>/dev/null || echo 'Installing llama.cpp: it is compiled here, which takes up to 10 minutes on 2 cores ...'
	$(BIN)/pip install --quiet --editable '.[cpu,cpu-wheel]'
	@touch $@

demo: $(VENV)/.engine
	$(BIN)/chattygen pull-model $(MODEL) all-minilm-l6-v2
	@test -d $(CHATTYGEN_HOME)/kgs/nobel || $(BIN)/chattygen load-kg --recipe kg-loaders/nobel.toml
	$(BIN)/chattygen generate --kg nobel --dialogues 3 --questions 5
	$(BIN)/chattygen show-run latest

test: $(VENV)/.both
	$(BIN)/chattygen pull-model smollm2-135m-instruct all-minilm-l6-v2
	CHATTYGEN_TEST_HOME=$(CHATTYGEN_HOME) $(BIN)/pytest

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

clean:
	rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
