# SPDX-License-Identifier: MIT
# make run and make test are each the only command needed on a fresh Debian 12 machine.
# Options begin with ASSAY_, so that no variable of the environment is taken for one: make test ASSAY_JOBS=4
.PHONY: help setup setup-web setup-slurm web configure build run test test-all test-gpu test-asan test-tsan attention bench fuzz format lint prebuilt \
  install package wheel docs clean

ASSAY_JOBS ?= $(shell nproc)
ASSAY_KERNEL ?= kernels/attention/tensor_core
ASSAY_PREFIX ?= /usr/local
ASSAY_FUZZ_SECONDS ?= 600

help:
	@echo "make run       set up, build, and take $(ASSAY_KERNEL) to a verdict (ASSAY_KERNEL=folder: another)"
	@echo "make test      set up, build, and pass all tests (no GPU needed)"
	@echo "make test-all  the same with the tests that take longer"
	@echo "make test-gpu  the tests that need an NVIDIA GPU"
	@echo "make test-asan the tests under AddressSanitizer and UndefinedBehaviorSanitizer; test-tsan: ThreadSanitizer"
	@echo "make attention build/attention/libassay_attention.so (needs nvcc; nothing else of the project)"
	@echo "make wheel     dist/: a Python wheel of assay_attention with that library inside"
	@echo "make bench     benchmarks, with ratios taken in one run"
	@echo "make fuzz      fuzz every reader of foreign bytes, and the virtual GPU (ASSAY_FUZZ_SECONDS=600 each)"
	@echo "make format    clang-format, documents of 120 columns;  make lint: clang-tidy, headers that compile alone, formatting, scripts"
	@echo "make install   the program, man pages, completions and documents (ASSAY_PREFIX=/usr/local)"
	@echo "make package   dist/: a .deb, and a tar of the one-file program"
	@echo "make web       rebuild the script of the report's page (web/dist; needs Node)"
	@echo "make prebuilt  regenerate the prebuilt PTX of the kernels, for machines without nvcc"

setup:
	@sh tools/setup.sh

# Node and a browser, for the tests of the report's page. Whoever cannot have them skips those tests.
setup-web:
	@sh tools/setup_web.sh

# A cluster inside this machine, for the test of executors.
setup-slurm:
	@sh tools/setup_slurm.sh

# web/dist, which the program embeds.
web: setup-web
	cd web && npx tsc --noEmit && node build.mjs

configure: setup
	cmake --preset release

build: configure
	cmake --build --preset release -j$(ASSAY_JOBS)

run: configure
	cmake --build --preset release -j$(ASSAY_JOBS) -t assay
	build/assay run "$(ASSAY_KERNEL)"

# Tests that take long have the label "all".
test: build setup-web
	ctest --test-dir build --output-on-failure -j$(ASSAY_JOBS) -LE '^all$$'

test-all: build setup-web setup-slurm
	ctest --test-dir build --output-on-failure -j$(ASSAY_JOBS)

attention:
	@command -v $${NVCC:-nvcc} > /dev/null || { echo "make attention: nvcc is not in PATH; install the CUDA toolkit" >&2; exit 6; }
	$(MAKE) -C kernels/attention/library

wheel: attention
	python3 tools/wheel.py

test-gpu: build attention
	sh tests/gpu/run.sh

test-asan: setup
	cmake --preset debug
	cmake --build --preset debug -j$(ASSAY_JOBS)
	ctest --test-dir build-debug --output-on-failure -j$(ASSAY_JOBS) -LE '^all$$'

# The test programs that start threads; the others have nothing to race with.
test-tsan: setup
	cmake --preset tsan
	cmake --build --preset tsan -j$(ASSAY_JOBS)
	ctest --test-dir build-tsan --output-on-failure -j$(ASSAY_JOBS) -R '^(base|vgpu|build|check|ledger)$$'

bench: build
	build/bench/assay_bench
	build/bench/tensor_bench
	build/bench/stats_bench
	build/bench/input_bench
	build/bench/check_bench

fuzz: setup
	cmake --preset fuzz
	cmake --build --preset fuzz -j$(ASSAY_JOBS)
	@for program in build-fuzz/fuzz/*_fuzz; do name=$$(basename $$program _fuzz); mkdir -p build-fuzz/corpus-$$name; \
	  $$program -max_total_time=$(ASSAY_FUZZ_SECONDS) -timeout=10 -rss_limit_mb=4096 \
	    build-fuzz/corpus-$$name fuzz/corpus/$${name%%_*} || exit 1; done

# Kernels that tests know by their lines keep their form.
ASSAY_SOURCES = $(shell git ls-files '*.cpp' '*.hpp' '*.cu' '*.cuh' | grep -v -e '^tests/ptx_corpus/' -e '^tests/vgpu/observe/.*\.cuh*$$')
format:
	clang-format-19 -i $(ASSAY_SOURCES)
	python3 tools/wrap_documents.py $$(git ls-files '*.md' | grep -v '^docs/cli/')

lint: build
	clang-format-19 --dry-run -Werror $(ASSAY_SOURCES)
	cmake --build build -t all_verify_interface_header_sets
	shellcheck -S warning $$(git ls-files '*.sh') .ci/run
	cmake --preset apart
	git ls-files 'src/*.cpp' | xargs -P $(ASSAY_JOBS) -n 4 clang-tidy-19 -p build-apart --quiet

install: build
	cmake --install build --prefix "$(ASSAY_PREFIX)"

package: build
	tools/package.sh build dist

prebuilt: build
	@for spec in $$(git ls-files 'kernels/*kernel.toml'); do build/assay build $$spec --prebuilt || exit 1; done

docs: build
	ASSAY_UPDATE=1 build/tests/test_vgpu --gtest_filter='Coverage*'

clean:
	rm -rf build build-debug build-tsan build-apart build-fuzz dist
