# SPDX-License-Identifier: MIT
"""Takes about 4 minutes on an H200. Twenty kernels with one planted bottleneck each: how often is it the first finding
of `assay diagnose`, with the time measured on the GPU? Prints a line for each as it goes.

    python3 tests/gpu/diagnose_truth.py build/assay cuda:0 [KERNEL ...]

Required: at least 18 of 20.
"""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LEAST = 18
# The rules that name what is planted, as src/invert/reading.cpp has them.
RULES = {
    "atomics": ["atomics"],
    "idle SMs": ["not_enough_blocks", "uneven_blocks"],
    "barriers": ["barriers"],
    "divergence": ["divergence"],
    "address arithmetic": ["address_arithmetic"],
    "integer divisions": ["integer_work", "address_arithmetic"],
    "special functions": ["special_functions"],
    "float64": ["double_precision"],
    "latency": ["latency"],
    "coalescing": ["uncoalesced", "same_sector_twice"],
    "global reads": ["dram_bound", "above_compulsory", "same_sector_twice", "latency"],
    "shared memory reads": ["shared_bandwidth", "latency"],
    "registers and local memory": ["local_memory"],
    "shuffles": ["shuffles", "latency"],
    "global writes": ["dram_bound", "silent_stores", "overwritten_stores"],
    "launch and blocks": ["starting_blocks", "launch"],
    "bank conflicts": ["bank_conflicts"],
}


def main():
    program, device = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2]
    chosen = sys.argv[3:]
    kernels = json.loads((ROOT / "tests/invert/planted.json").read_text())["kernels"]
    kernels = [each for each in kernels if not chosen or each["kernel"] in chosen]
    first = 0
    for each in kernels:
        shape = each.get("gpu_shape", each["shape"])
        done = subprocess.run([program, "diagnose", str(ROOT / "kernels/planted" / each["kernel"]), "--shape", shape,
                               "--device", device, "--json"], text=True, capture_output=True,
                              env={**os.environ, "ASSAY_LEDGER": "none"})
        if done.returncode != 0:
            print(f"FAIL {each['kernel']}: {done.stdout}{done.stderr}", flush=True)
            continue
        document = json.loads(done.stdout)
        rules = [finding["rule"] for finding in document["findings"]]
        found = bool(rules) and rules[0] in RULES[each["planted"]]
        first += found
        caps = ", ".join(f"{finding['rule']} {finding['cap_us']:.1f} us" for finding in document["findings"][:3])
        print(f"{'ok  ' if found else 'MISS'} {each['kernel']:24} {shape:28} {document['time_us']:9.1f} us "
              f"({document['known']}), planted {each['planted']}: {caps or 'nothing'}", flush=True)
    print(f"first: {first} of {len(kernels)}")
    return 0 if chosen or first >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
