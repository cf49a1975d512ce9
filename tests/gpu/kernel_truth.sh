#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds every configuration of the shipped kernels as a cubin, and runs them on this machine's GPU.
#   tests/gpu/kernel_truth.sh [FOLDER [truth] [times]]     ASSAY_ARCH=sm_90 ASSAY_NVCC=nvcc ASSAY_JOBS=16
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=${1:-$root/build/kernel_truth}
[ $# -gt 0 ] && shift
arch=${ASSAY_ARCH:-sm_90}
nvcc=${ASSAY_NVCC:-nvcc}
mkdir -p "$folder"

# One line per cubin: family, source, settings.
configurations() {
  for block in 32 64 128; do echo "attention_naive attention/naive/attention.cu BLOCK=$block"; done
  for m in 16 32 64; do for n in 16 32 64; do
    echo "attention_shared_memory attention/shared_memory/attention.cu BLOCK_M=$m,BLOCK_N=$n"
  done; done
  for rows_warps in BLOCK_M=64,NUM_WARPS=4 BLOCK_M=128,NUM_WARPS=4 BLOCK_M=128,NUM_WARPS=8; do
    for n in 32 64 128; do for stages in 1 2; do
      echo "attention_tensor_core attention/tensor_core/attention.cu $rows_warps,BLOCK_N=$n,STAGES=$stages"
    done; done
  done
  for m in 64 128; do for n in 64 128; do for warps in 2 4; do for stages in 2 3; do
    echo "gemm gemm/gemm.cu BLOCK_M=$m,BLOCK_N=$n,BLOCK_K=64,WARPS_M=2,WARPS_N=$warps,STAGES=$stages"
  done; done; done; done
  for block in 64 128 256; do for held in 2 4; do
    echo "softmax softmax/softmax.cu BLOCK=$block,HELD=$held"
    echo "layernorm layernorm/layernorm.cu BLOCK=$block,HELD=$held"
  done; done
  for block in 64 128 256 512; do for sums in 1 2 4; do
    echo "reduction reduction/reduction.cu BLOCK=$block,ACCUMULATORS=$sums"
  done; done
}

configurations | xargs -P "${ASSAY_JOBS:-$(nproc)}" -L 1 sh -c '
  target="$3/$4.$6.cubin"
  [ -e "$target" ] && exit 0
  "$0" -std=c++17 -arch="$1" -cubin -o "$target.part" "$2/kernels/$5" $(echo "-D$6" | sed "s/,/ -D/g") && mv "$target.part" "$target"
' "$nvcc" "$arch" "$root" "$folder"
"$nvcc" -std=c++17 -O2 -arch="$arch" -o "$folder/kernel_truth" "$root/tests/gpu/kernel_truth.cu"
"$folder/kernel_truth" "$folder" "$@"
