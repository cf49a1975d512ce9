# SPDX-License-Identifier: MIT
"""Takes about a minute on a GPU. Twenty kernels with one planted bottleneck each: how often does `assay diagnose`, with
times that were measured, put the planted one first?

    python3 tests/gpu/diagnosis.py build/assay cuda:0 [KERNEL ...]

Required: at least 18 of 20. tests/gpu/inversion.py asks the experiments the same.
"""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LEAST_FIRST = 18
# The findings that say what was planted.
FINDINGS = {
    "address arithmetic": ("address_arithmetic",), "atomics": ("atomics",), "bank conflicts": ("bank_conflicts",),
    "barriers": ("barriers",), "coalescing": ("uncoalesced", "same_sector_twice"), "divergence": ("divergence",),
    "float64": ("double_precision",), "global reads": ("same_sector_twice", "above_compulsory"),
    "global writes": ("silent_stores",), "idle SMs": ("not_enough_blocks",), "latency": ("latency",),
    "launch and blocks": ("starting_blocks", "launch"), "registers and local memory": ("local_memory",),
    "shared memory reads": ("shared_bandwidth",), "shuffles": ("shuffles",), "special functions": ("special_functions",),
}


def main():
    program, device, chosen = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2], sys.argv[3:]
    kernels = json.loads((ROOT / "tests/invert/planted.json").read_text())["kernels"]
    kernels = [each for each in kernels if not chosen or each["kernel"] in chosen]
    first = 0
    for each in kernels:
        shape = each.get("gpu_shape", each["shape"])
        done = subprocess.run([program, "diagnose", str(ROOT / "kernels/planted" / each["kernel"]), "--shape", shape,
                               "--device", device, "--json"], text=True, capture_output=True,
                              env={**os.environ, "ASSAY_LEDGER": "none"})
        try:
            document = json.loads(done.stdout)
            rules = [finding["rule"] for finding in document["findings"]]
        except (ValueError, KeyError, TypeError):
            print(f"FAIL {each['kernel']}: exit code {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}", flush=True)
            continue
        found = bool(rules) and rules[0] in FINDINGS[each["planted"]]
        first += found
        print(f"{'ok  ' if found else 'MISS'} {each['kernel']:24} {shape:28} {document.get('known', ''):22} planted "
              f"{each['planted']}; diagnose: {', '.join(rules[:3]) or 'nothing'}", flush=True)
    print(f"first: {first} of {len(kernels)}")
    return 0 if chosen or first >= LEAST_FIRST else 1


if __name__ == "__main__":
    sys.exit(main())
