#!/bin/sh
# Takes at most 90 s (SECONDS + 5) on a GPU with PyTorch: what an item of a suite costs, step by step and request by request.
# SPDX-License-Identifier: MIT
#   sh tests/gpu/suite_item_truth.sh build/assay OUTPUT_FOLDER [SECONDS]
# Attention beside SDPA, softmax and layer norm beside torch.compile. Items are in the ledger as they end, so that a run
# that was cut short tells of those that it finished. ASSAY_WARM_POOL=none measures without the pool.
set -u
assay=$1
out=$2
seconds=${3:-85}
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$out"
rm -f "$out/ledger.sqlite"
cat > "$out/suite.toml" <<TOML
[suite]
name = "items"

[[kernel]]
folder    = "$root/kernels/attention/tensor_core"
baselines = ["sdpa"]
shapes    = { B = 4, H = [8, 16], S = 512, D = 64, causal = false, dtype = "f16" }

[[kernel]]
folder    = "$root/kernels/softmax"
baselines = ["torch_compile"]
shapes    = [{ ROWS = 4096, COLUMNS = 1024, dtype = "f32" }, { ROWS = 4096, COLUMNS = 1024, dtype = "f16" }]

[[kernel]]
folder    = "$root/kernels/layernorm"
baselines = ["torch_compile"]
shapes    = [{ ROWS = 4096, COLUMNS = 1024, dtype = "f32" }]
TOML
began=$(date +%s)
timeout "$seconds" "$assay" suite "$out/suite.toml" --ledger "$out/ledger.sqlite" --restart > "$out/suite.txt" 2> "$out/suite.err"
status=$?
echo "suite: exit $status after $(($(date +%s) - began)) s"
[ "$status" = 0 ] || tail -n 3 "$out/suite.err"
"$assay" log export --ledger "$out/ledger.sqlite" --kind measure > "$out/log.json" 2>> "$out/suite.err"
python3 - "$out/log.json" <<'PYTHON'
import json, sys

WANTED = 8.0
attempts = json.load(open(sys.argv[1]))["attempts"]
if not attempts:
    sys.exit("no item was measured")
for attempt in sorted(attempts, key=lambda each: each["id"]):
    details = attempt["details"]
    seconds = sum(step["seconds"] for step in details["steps"])
    contenders = details["contenders"]
    processes = max(each["requests"].get("hello", {"count": 0})["count"] for each in contenders)
    print(f"\n{attempt['kernel']} {details['shape']}: {seconds:.1f} s"
          f"{'' if seconds < WANTED or len(contenders) > 2 else ', more than 8 s'};"
          f" {len(contenders)} contenders, {processes} processes each; {details['sampling']['stopped_because']}")
    for step in details["steps"]:
        print(f"  {step['seconds']:7.3f} s  {step['step']}")
    for each in contenders:
        print(f"  {each['name']}: {each['objection'] or 'good'}")
        for name, cost in sorted(each["requests"].items()):
            print(f"  {cost['seconds']:9.3f} s  {cost['count']:4d} x {name}")
PYTHON
