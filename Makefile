# SPDX-License-Identifier: MIT
# make run and make test are each the only command needed on a fresh Debian 12 machine.
.PHONY: help setup configure build run test test-all test-gpu attention bench fuzz format lint carry static docs clean

JOBS ?= $(shell nproc)
KERNEL ?= kernels/attention/tensor_core

help:
	@echo "make run      set up, build, and take $(KERNEL) to a verdict"
	@echo "make test     set up, build, and pass all tests (no GPU needed)"
	@echo "make test-all the same, and the tests that take longer"
	@echo "make test-gpu the tests that need an NVIDIA GPU"
	@echo "make attention build/attention/libassay_attention.so (needs nvcc; nothing else of the project)"
	@echo "make bench    benchmarks, with ratios taken in one run"
	@echo "make fuzz     fuzz every reader of foreign bytes, and the virtual GPU (FUZZ_SECONDS=600 each)"
	@echo "make format   clang-format;  make lint: clang-tidy, headers that compile alone, formatting"
	@echo "make static   build-static/assay: one file that runs on any x86-64 Linux"
	@echo "make carry    regenerate the PTX that kernels carry for machines without nvcc"

setup:
	@sh tools/setup.sh

configure: setup
	cmake --preset release

build: configure
	cmake --build --preset release -j$(JOBS)

run: configure
	cmake --build --preset release -j$(JOBS) -t assay
	build/assay run $(KERNEL)

test: build
	ctest --test-dir build --output-on-failure -j$(JOBS) -LE all

# Those that take longer as well: they have the label "all".
test-all: build
	ctest --test-dir build --output-on-failure -j$(JOBS)

attention:
	@command -v $${NVCC:-nvcc} > /dev/null || { echo "make attention: nvcc is not in PATH; install the CUDA toolkit" >&2; exit 6; }
	$(MAKE) -C kernels/attention/library

test-gpu: build attention
	sh tests/gpu/run.sh

bench: build
	build/bench/assay_bench
	build/bench/tensor_bench
	build/bench/stats_bench
	build/bench/input_bench

FUZZ_SECONDS ?= 600
fuzz: setup
	cmake --preset fuzz
	cmake --build --preset fuzz -j$(JOBS)
	@for program in build-fuzz/fuzz/*_fuzz; do name=$$(basename $$program _fuzz); mkdir -p build-fuzz/corpus-$$name; \
	  $$program -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=4096 \
	    build-fuzz/corpus-$$name fuzz/corpus/$${name%%_*} || exit 1; done

SOURCES = $(shell git ls-files '*.cpp' '*.hpp' '*.cu' '*.cuh' | grep -v '^tests/ptx_corpus/')
format:
	clang-format-19 -i $(SOURCES)

lint: build
	clang-format-19 --dry-run -Werror $(SOURCES)
	cmake --build build -t all_verify_interface_header_sets
	git ls-files 'src/*.cpp' | xargs -P $(JOBS) -n 4 clang-tidy-19 -p build --quiet

static: setup
	cmake --preset static
	cmake --build --preset static -j$(JOBS)

carry: build
	@for spec in $$(git ls-files 'kernels/*kernel.toml'); do build/assay build $$spec --carry || exit 1; done

docs: build
	ASSAY_UPDATE=1 build/tests/test_vgpu --gtest_filter='Coverage*'

clean:
	rm -rf build build-debug build-static build-fuzz
