#!/bin/sh
# SPDX-License-Identifier: MIT
# The commands on this machine's GPU: right kernels pass, broken ones get their verdict, and the next case always works.
#   tests/gpu/device_truth.sh [ASSAY]     build/assay by default
set -u
cd "$(dirname "$0")/../.." || exit
assay=${1:-build/assay}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export ASSAY_LEDGER=none
count=0

# expect CODE WORDS COMMAND...: the exit code, and an extended regular expression that the output must match. Runs in the
# background; collect waits for all.
expect() {
  count=$((count + 1))
  one "$work/$count" "$@" &
}

one() {
  log=$1.log verdict=$1.verdict code=$2 words=$3
  shift 3
  "$assay" "$@" > "$log" 2>&1
  got=$?
  if [ $got -eq "$code" ] && grep -Eq "$words" "$log"; then
    echo "ok      assay $*: $(grep -E -m1 "$words" "$log" | cut -c1-150)" > "$verdict"
  else
    { echo "FAILED  assay $*: exit code $got, expected $code and /$words/"; sed 's/^/        /' "$log" | tail -20; } > "$verdict"
  fi
}

collect() {
  wait
  for verdict in $(ls "$work"/*.verdict | sort -V); do cat "$verdict"; done
}

# Alone: it measures.
expect 0 'launch latency' doctor
wait

expect 0 '"name": "GPU clocks"' doctor --json --no-measure
expect 0 'sm_90' build kernels/softmax --device cuda:0

for kernel in softmax layernorm reduction gemm attention/tensor_core attention/naive attention/streaming attention/resident \
  cluster_reduction tensor_map_copy convolution texture_blur surface_transpose; do
  expect 0 'correct.*cuda:0' check "kernels/$kernel" --device cuda:0
done
expect 0 'correct.*cuda:0' check kernels/tensor_map_copy --config TILE_ROWS=64
expect 6 'needs tensor maps' check kernels/tensor_map_copy --device vgpu:l4
expect 0 'correct.*vgpu:h200' check kernels/tensor_map_copy --device vgpu:h200

expect 5 'red_zone|fault' check kernels/broken/out_of_bounds_write --device cuda:0
expect 5 'fault' check kernels/broken/surface_out_of_bounds --device cuda:0
expect 0 'us' bench kernels/texture_blur --device cuda:0
expect 5 'did not write it' check kernels/broken/unwritten_output --device cuda:0
expect 5 'input_changed' check kernels/broken/writes_input --device cuda:0
expect 5 'got nan' check kernels/broken/nan_on_masked_row --device cuda:0
expect 5 'fault.*(illegal|not mapped)' check kernels/broken/null_pointer_read --device cuda:0
expect 5 'fault.*misaligned' check kernels/broken/misaligned_vector_load --device cuda:0
expect 5 'timed_out' check kernels/broken/hangs --device cuda:0 --time-limit 4
expect 0 'correct.*cuda:0' check kernels/reduction --device cuda:0 --fuzz 2

expect 0 'no fault and no damaged guard' sanitize kernels/softmax --device cuda:0
expect 0 'no finding.*vgpu:h200' sanitize kernels/softmax
expect 0 'verdict: good' run kernels/reduction --device cuda:0 --report "$work/report.json"
expect 2 'cuda:0' check kernels/softmax --device cuda:99

collect
! grep -q '^FAILED' "$work"/*.verdict
