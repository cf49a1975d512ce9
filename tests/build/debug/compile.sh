#!/bin/sh
# SPDX-License-Identifier: MIT
# Renews the PTX beside the sources: debug information as nvcc -G writes it. Needs nvcc.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp ./*.cu ./*.cuh "$work"
for source in *.cu; do
  ptx=${source%.cu}.ptx
  (cd "$work" && "${ASSAY_NVCC:-nvcc}" -G -ptx -arch=compute_80 -std=c++17 -diag-suppress=1427 "$source" -o "$ptx")
  sed '/^[[:space:]]*\.file/s,"[^"]*/,",' "$work/$ptx" >"$ptx"  # no names of this machine's folders
done
