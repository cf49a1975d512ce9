#!/bin/sh
# Takes under a minute on a GPU: measures its rates three times, says how far the runs lie apart, and estimates with them.
# SPDX-License-Identifier: MIT
#   sh tests/gpu/rates_truth.sh build/assay OUTPUT_FOLDER
# Fails where a rate is refused, a run takes 30 s or more, two runs differ by more than a tenth, or the estimate does not
# say that it used what was measured.
set -eu
assay=$1
out=$2
mkdir -p "$out"
"$assay" doctor --no-measure --json --ledger none > "$out/machine.json"
for run in 1 2 3; do
  "$assay" doctor --rates --json --ledger "$out/ledger.sqlite" > "$out/rates_$run.json" || echo "run $run: exit $?"
done
"$assay" doctor --rates --ledger "$out/ledger.sqlite" | tee "$out/rates.txt"
python3 - "$out" <<'PYTHON'
import json, sys
runs = [json.load(open(f"{sys.argv[1]}/rates_{run}.json")) for run in (1, 2, 3)]
bad = 0
for rates in zip(*(run["rates"] for run in runs)):
    values = [rate["measured"] for rate in rates]
    apart = max(values) / min(values) - 1 if min(values) > 0 else float("inf")
    fault = rates[0]["refused"] or (f"the runs lie {100 * apart:.0f} % apart" if apart > 0.1 else "")
    bad += bool(fault)
    print(f"{rates[0]['name']:24} {' '.join(f'{value:10.4g}' for value in values)}  model {rates[0]['model']:.4g}  {fault}")
for run in runs:
    bad += run["seconds"] >= 30 or not run["stored"]
    print(f"{run['device']} {run['gpu']}: {run['seconds']:.2f} s, stored {run['stored']} {run['not_stored']}")
sys.exit(1 if bad else 0)
PYTHON
model=$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["model"])' "$out/rates_3.json")
for kernel in planted/copy_vector planted/fma_chain two_kernel_reduction; do
  "$assay" estimate "kernels/$kernel" --device "vgpu:$model" --ledger none > "$out/$(basename "$kernel").model.txt"
  "$assay" estimate "kernels/$kernel" --device "vgpu:$model" --ledger "$out/ledger.sqlite" \
    | tee "$out/$(basename "$kernel").measured.txt" | sed -n '1,3p'
  grep -q "rates measured here on" "$out/$(basename "$kernel").measured.txt"
done
echo good
