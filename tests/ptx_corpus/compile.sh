#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compiles the corpus with nvcc and stores the PTX, compressed, in compiled/. Needs nvcc (CUDA 13) and zstd.
# usage: compile.sh [NAME...]   only the named files, without ".cu"; all of them by default
set -euo pipefail
corpus=$(cd "$(dirname "$0")" && pwd)
output=${ASSAY_CORPUS_OUTPUT:-$corpus/compiled}
# The PTX names its source by its absolute path: a fixed folder keeps the stored files the same on every machine.
scratch=/tmp/assay_ptx_corpus
rm -rf "$scratch"
mkdir -p "$scratch" "$output"
trap 'rm -rf "$scratch"' EXIT
cp "$corpus"/*.cu "$scratch"
cd "$scratch"

# compile NAME VARIANT FLAGS...
compile() {
  local name=$1 variant=$2
  shift 2
  # A file that exists is kept when KEEP=1, so that an interrupted run can go on.
  if [[ ${KEEP:-0} == 1 && -s $output/$name.$variant.ptx.zst ]]; then return; fi
  echo "$name.$variant"
  nvcc -std=c++17 -ptx -lineinfo "$@" "$name.cu" -o "$name.$variant.ptx"
  zstd -q -19 -f "$name.$variant.ptx" -o "$output/$name.$variant.ptx.zst"
}

wanted() {
  [[ $# -gt 1 ]] || return 0
  local name=$1 other
  shift
  for other in "$@"; do [[ $other != "$name" ]] || return 0; done
  return 1
}

for source in *.cu; do
  name=${source%.cu}
  wanted "$name" "$@" || continue
  compile "$name" sm_90a -arch=compute_90a
  case $name in 17_tma | 18_wgmma | host_rich) continue ;; esac
  compile "$name" sm_80 -arch=sm_80
  compile "$name" sm_89 -arch=sm_89
  # The compiler writes a second dialect for sm_100 and later.
  case $name in 02_reduce_shfl | 12_local_calls | grammar | v8) compile "$name" sm_100 -arch=sm_100 ;; esac
  case $name in 02_reduce_shfl | 12_local_calls) compile "$name" sm_80.debug -arch=sm_80 -G ;; esac
  case $name in 04_softmax | 20_attention_rand) compile "$name" sm_80.fast_math -arch=sm_80 -use_fast_math ;; esac
  case $name in bigswitch) compile "$name" sm_80.jump_table -arch=sm_80 -jtd=50 ;; esac
done
du -sh "$output"
