#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds libpairs_attention.so in build/attention_hopper of the repository, or in the folder given.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../../../build/attention_hopper}
mkdir -p "$out"
nvcc -std=c++20 -O3 --expt-relaxed-constexpr -gencode=arch=compute_90a,code=sm_90a -Xptxas -v \
  -Xcompiler -fPIC -shared -o "$out/libpairs_attention.so" "$here/launch.cu" 2>"$out/pairs_ptxas.log" ||
  { cat "$out/pairs_ptxas.log"; exit 1; }
grep -E "C75[0-9][0-9]|error|warning" "$out/pairs_ptxas.log" || true
grep -B2 -E "[1-9][0-9]* bytes spill" "$out/pairs_ptxas.log" || true
