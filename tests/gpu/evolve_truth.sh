#!/bin/sh
# Takes at most SECONDS (170 by default) a kernel: what mutate finds in kernels/softmax, layernorm and gemm on a GPU.
# SPDX-License-Identifier: MIT
# At most 50 proposals a kernel. Every call goes on where the last one stopped; nothing is asked.
#   tests/gpu/evolve_truth.sh [ASSAY [FOLDER [SECONDS [KERNEL ...]]]]
# Written into FOLDER, per kernel: NAME.jsonl (the journal, as it goes), NAME.json (the report), NAME.log, NAME.diff
# (the change from the first kernel to the best, if there is one); and times.txt.
set -u
cd "$(dirname "$0")/../.." || exit
assay=${1:-build/assay}
folder=${2:-build/evolve_truth}
seconds=${3:-170}
[ $# -ge 3 ] && shift 3 || shift $#
[ $# -gt 0 ] || set -- softmax layernorm gemm
mkdir -p "$folder" || exit
failed=0
for kernel in "$@"; do
  begin=$(date +%s)
  # A proposal that is being judged when the time is over is judged to its end.
  timeout $((seconds + 120)) "$assay" evolve "kernels/$kernel" --proposer mutate --proposals 50 --patience 50 --seed 1 \
    --anyway --seconds "$seconds" --resume --journal "$folder/$kernel.jsonl" --diff "$folder/$kernel.diff" \
    --ledger "$folder/ledger.sqlite" --json > "$folder/$kernel.json" 2>> "$folder/$kernel.log"
  code=$?
  lines=$(grep -c . "$folder/$kernel.jsonl")
  echo "$kernel: exit code $code after $(($(date +%s) - begin)) s, $lines lines in the journal" |
    tee -a "$folder/times.txt"
  [ $code -eq 0 ] || failed=1
done
exit $failed
