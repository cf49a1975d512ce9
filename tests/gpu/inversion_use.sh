#!/bin/sh
# Takes under three minutes on a GPU: assay invert on three kernels that lose to a peer, and what each is to be held against.
# SPDX-License-Identifier: MIT
#   sh tests/gpu/inversion_use.sh build/assay OUTPUT_FOLDER
# Writes as it goes: NAME.json (the experiments) and NAME.err (progress and errors) for each, and
# summary.txt. A command that takes too long is ended; the others go on, and the same
# command goes on where it was. Fails if nothing was measured.
set -u
assay=$1
out=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$out"
ledger=$out/ledger.sqlite
"$assay" doctor --no-measure --json --ledger none > "$out/machine.json" 2> "$out/machine.err"

# name, seconds of GPU time, kernel, shape, further words
invert() {
  name=$1 seconds=$2 kernel=$3 shape=$4
  shift 4
  began=$(date +%s)
  timeout 58 "$assay" invert "$root/$kernel" --shape "$shape" --device cuda:0 --quick --seconds 10 --budget "$seconds" \
    --ledger "$ledger" --json "$@" > "$out/$name.json" 2> "$out/$name.err"
  code=$?
  echo "$name: exit $code after $(($(date +%s) - began)) s" | tee -a "$out/summary.txt"
}

: > "$out/summary.txt"
invert gemm 12 kernels/gemm M=4096,N=4096,K=4096,dtype=f16
invert attention_without_heads 12 kernels/planted/attention_without_heads B=4,H=8,S=512
invert streaming_256 12 kernels/attention/streaming B=4,H=16,S=2048,D=256,causal=false,dtype=f16 \
  --config CONSUMERS=2,KEY_BLOCK=48,STAGES=2

python3 - "$out" <<'PYTHON' > "$out/resources.txt"
import json, pathlib, sys
measured = 0
for name in ("gemm", "attention_without_heads", "streaming_256"):
    path = pathlib.Path(sys.argv[1]) / f"{name}.json"
    try:
        report = json.loads(path.read_text())
    except ValueError:
        print(f"{name}: no document; see {name}.err")
        continue
    print(f"\n{name}: {report['shape']}, {report['known']}, {report['time_us']:.1f} us; first: {report['first'] or 'nothing'}; "
          f"diagnose: {report['diagnosed'] or 'nothing'}")
    print(f"  proofs {report['proof_s']:.1f} s at {report.get('proved_at', 'the shape itself')}, GPU {report.get('gpu_s', 0):.1f} s, "
          f"left over {len(report.get('left_over', []))}; {report.get('not_measured', '')}")
    measured += report["measured"]
    for resource in report["resources"]:
        gain = f"{-100 * resource['gain_if_free']:+.1f} %" if "gain_if_free" in resource else "-"
        cost = f"{100 * resource['cost_per_dose']:+.1f} %" if "cost_per_dose" in resource else "-"
        print(f"  {resource['name']:28} {resource['verdict']:11} if free {gain:>9}  first dose {cost:>9}")
    print(f"  {report['sentence']}")
sys.exit(0 if measured == 3 else 1)
PYTHON
code=$?
cat "$out/resources.txt" | tee -a "$out/summary.txt"
exit $code
