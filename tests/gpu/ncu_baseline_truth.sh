#!/bin/sh
# Takes one to two minutes on a GPU with ncu: a kernel and its baseline under Nsight Compute, and what the baseline does differently.
# SPDX-License-Identifier: MIT
#   sh tests/gpu/ncu_baseline_truth.sh build/assay OUTPUT_FOLDER
# First against a kernel folder, then against PyTorch's SDPA where PyTorch is. Fails where a report, a table or the
# differences are missing. Writes as it goes.
set -u
assay=$1
out=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$out"
failed=0

# name, baseline, kernel, shape
profile() {
  name=$1 baseline=$2 kernel=$3 shape=$4
  timeout 50 "$assay" diagnose "$root/$kernel" --shape "$shape" --with ncu --baseline "$baseline" --keep "$out/$name" \
    --time-limit 20 --ledger none --json > "$out/$name.json" 2> "$out/$name.err"
  echo "$name: exit $?"
  for file in kernel.ncu-rep kernel.csv baseline.ncu-rep baseline.csv; do
    [ -s "$out/$name/$file" ] || { echo "  $file is missing"; failed=1; }
  done
  python3 - "$out/$name.json" <<'PYTHON' || failed=1
import json, sys
try:
    report = json.load(open(sys.argv[1]))
except ValueError:
    sys.exit("  no document")
print(f"  {report['known']}; {report['time_us']:.1f} us; {report.get('no_baseline', '')}"
      f"{report['profile'].get('not_measured', '')}")
if "baseline" not in report:
    sys.exit("  the baseline was not profiled")
print(f"  {report['baseline']['name']}: {report['baseline']['kernel']}; {report['baseline']['variant']}")
for each in report["baseline"]["differences"]:
    print(f"    {each['sentence']}")
for finding in report["findings"]:
    print(f"  {finding['rule']}: {'; '.join(finding.get('baseline', ['-']))}")
sys.exit(0 if report["baseline"]["differences"] else "  nothing differs")
PYTHON
}

profile folder "$root/kernels/planted/transpose_padded" kernels/planted/transpose_naive ROWS=4096,COLUMNS=4096
if python3 -c "import torch" 2> /dev/null; then
  profile sdpa sdpa kernels/attention/tensor_core B=4,H=16,S=512,D=64,causal=false,dtype=f16
fi
exit $failed
