#!/bin/sh
# SPDX-License-Identifier: MIT
# Asks a real GPU for the truth: arithmetic, PTX cases, kernels. Needs an NVIDIA driver and nvcc, and build/tests/test_vgpu.
set -eu
cd "$(dirname "$0")/../.."
command -v nvidia-smi > /dev/null || { echo "test-gpu: no NVIDIA driver on this machine (nvidia-smi is missing)" >&2; exit 6; }
command -v nvcc > /dev/null || { echo "test-gpu: nvcc is not in PATH; install the CUDA toolkit" >&2; exit 6; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "== arithmetic: the virtual GPU's against this GPU's"
nvcc -std=c++17 -O1 --extended-lambda -arch=sm_90 -o "$work/tensor_truth" tests/gpu/tensor_truth.cu
"$work/tensor_truth" > "$work/truth.txt"
ASSAY_TRUTH_FILE="$work/truth.txt" build/tests/test_vgpu --gtest_filter='Truth.*'

echo "== PTX cases: expected values against this GPU's"
g++ -std=c++20 -O1 -Isrc -Itests -o "$work/ptx_truth" tests/gpu/ptx_truth.cpp tests/support/ptx_case.cpp src/base/text.cpp \
  -ldl
"$work/ptx_truth" --brief tests/ptx

echo "== textures: fetches of the virtual GPU against this GPU's"
nvcc -std=c++20 -arch=native -I src -o "$work/texture_truth" tests/gpu/texture_truth.cu src/vgpu/semantics/texture.cpp \
  src/vgpu/machine/texture.cpp
"$work/texture_truth" > "$work/textures.txt" || { grep -v ': 0 differ, 0 in' "$work/textures.txt"; exit 1; }
tail -n 1 "$work/textures.txt"

echo "== im2col: where copies of the virtual GPU go, against this GPU's"
nvcc -std=c++20 -arch=sm_90 -I src -o "$work/im2col_truth" tests/gpu/im2col_truth.cu src/vgpu/machine/tensor_map.cpp
"$work/im2col_truth" > "$work/im2col.txt" || { cat "$work/im2col.txt"; exit 1; }
tail -n 1 "$work/im2col.txt"

echo "== kernels: every configuration against float64"
sh tests/gpu/kernel_truth.sh "$work/kernels" truth

echo "== attention: the library and its Python package"
if [ -e build/attention/libassay_attention.so ]; then
  build/attention/example
  build/attention/call_cost
  python3 -B -W ignore tests/attention/gpu_test.py
  python3 -B -W ignore tests/attention/gpu_pytorch_test.py
  python3 -B -W ignore tests/attention/gpu_flash_operator_test.py
  python3 -B -W ignore tests/attention/accuracy.py
  python3 -B -W ignore kernels/attention/split_keys/bench.py check
  python3 -B -W ignore tests/attention/serving_truth.py --fresh
else
  echo "test-gpu: build/attention/libassay_attention.so is missing; make attention builds it" >&2
  exit 6
fi

echo "== commands: on this GPU"
sh tests/gpu/device_truth.sh build/assay

echo "== descriptions: every kernel of docs/kernel_toml.md is correct on this GPU too"
python3 -B tests/gpu/described_kernels.py build/assay cuda:0

echo "== cookbook: repaired kernels are correct on this GPU, and what the repairs bring"
python3 -B tests/gpu/cookbook_truth.py build/assay 5

echo "== PyTorch operators: exported kernels pass their own tests, and CUDA graphs capture them"
python3 -B -W ignore tests/gpu/export_torch_truth.py build/assay

echo "== inversion: planted bottlenecks come first"
python3 -B tests/gpu/inversion.py build/assay cuda:0

echo "== providers: one timing protocol"
python3 -B tests/providers/conformance.py --provider "build/assay --provider"
python3 -B tests/providers/conformance.py --provider "python3 -B providers/python_function.py"

echo "== providers: SDPA as timed by the protocol"
python3 tests/gpu/provider_truth.py sdpa

echo "== red team: every cheat caught, every honest kernel accepted"
python3 tests/gpu/red_team_truth.py build/assay

echo "== judge: answers to tasks of other benchmarks, right, wrong and cheating"
python3 -B tests/gpu/judge_truth.py build/assay

echo "== cross: the same kernel under other benchmarks' rules"
build/assay cross kernels/softmax --baseline torch_compile --rules-budget 5 --ledger none
