#!/bin/sh
# Takes about 6 minutes on one GPU. A suite and an evolution with workers of this machine, beside the same without them.
# SPDX-License-Identifier: MIT
# Results and what failed are written into FOLDER as they come; nothing is asked.
#   tests/gpu/executors_truth.sh [ASSAY [FOLDER]]     build/assay and build/executors_truth by default
set -u
cd "$(dirname "$0")/../.." || exit
assay=${1:-build/assay}
folder=${2:-build/executors_truth}
mkdir -p "$folder" || exit
failed=0

# step NAME COMMAND...: NAME.json, NAME.log, and a line of times.txt
step() {
  name=$1
  shift
  begin=$(date +%s)
  timeout 300 "$assay" "$@" --json > "$folder/$name.json" 2> "$folder/$name.log"
  code=$?
  echo "$name: exit code $code after $(($(date +%s) - begin)) s: assay $*" | tee -a "$folder/times.txt"
  [ $code -eq 0 ] || failed=1
}

: > "$folder/times.txt"
timeout 60 "$assay" doctor > "$folder/doctor.txt" 2>&1
cat > "$folder/suite.toml" <<TOML
[suite]
name = "executors"
[[kernel]]
folder = "$(pwd)/kernels/reduction"
shapes = { ROWS = [1024, 2048], COLUMNS = [4096, 8192] }
baselines = ["$(pwd)/kernels/reduction"]
budget = 5
TOML
step suite_here suite "$folder/suite.toml" --ledger "$folder/here.sqlite"
step suite_workers suite "$folder/suite.toml" --ledger "$folder/workers.sqlite" --executor local
step suite_resumed suite "$folder/suite.toml" --ledger "$folder/workers.sqlite" --executor local
for workers in here local; do
  words=""
  [ $workers = here ] || words="--executor local --in-flight 1"
  # shellcheck disable=SC2086
  step evolve_$workers evolve kernels/softmax --proposer mutate --proposals 3 --seed 1 --anyway --ledger none \
    --journal "$folder/evolve_$workers.jsonl" $words
done
echo "documents in $folder" | tee -a "$folder/times.txt"
exit $failed
