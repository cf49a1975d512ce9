#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes rate_probes.ptx from rate_probes.cu: sh src/measure/rate_probes.sh. Needs nvcc. The version is lowered to the
# one that mma.sync of this shape came with, so that older drivers take it.
set -eu
cd "$(dirname "$0")"
{
  echo "// SPDX-License-Identifier: MIT"
  echo "// Made by rate_probes.sh from rate_probes.cu."
  "${NVCC:-nvcc}" -ptx -O3 -std=c++17 -arch=compute_80 -o - rate_probes.cu | sed -e '/^\/\//d' -e 's/^\.version .*/.version 7.0/'
} > rate_probes.ptx.new
mv rate_probes.ptx.new rate_probes.ptx
