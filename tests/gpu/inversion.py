# SPDX-License-Identifier: MIT
"""Twenty kernels with one planted bottleneck each, on a GPU: how often do the experiments of `assay invert` put the
planted one first, and how often does `assay diagnose` say the same?

    python3 tests/gpu/inversion.py build/assay cuda:0 [--quick] [KERNEL ...]

Required: the planted one first in at least 19 of 20, `diagnose` agrees in at least 18.
"""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LEAST_FIRST, LEAST_AGREED = 19, 18


def main():
    program, device = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2]
    quick = ["--quick"] if "--quick" in sys.argv[3:] else []
    chosen = [word for word in sys.argv[3:] if not word.startswith("--")]
    kernels = json.loads((ROOT / "tests/invert/planted.json").read_text())["kernels"]
    kernels = [each for each in kernels if not chosen or each["kernel"] in chosen]
    first = agreed = 0
    for each in kernels:
        shape = each.get("gpu_shape", each["shape"])
        done = subprocess.run([program, "invert", str(ROOT / "kernels/planted" / each["kernel"]), "--shape", shape,
                               "--device", device, "--json", *quick], text=True, capture_output=True,
                              env={**os.environ, "ASSAY_LEDGER": "none"})
        if done.returncode != 0:
            print(f"FAIL {each['kernel']}: {done.stdout}{done.stderr}", flush=True)
            continue
        document = json.loads(done.stdout)
        if document["known"] != "counted and measured":
            print(f"FAIL {each['kernel']}: {document.get('not_measured', 'nothing was measured')}", flush=True)
            continue
        found = document["first"] == each["planted"]
        first += found
        agreed += document["agrees_with_diagnose"]
        gains = ", ".join(f"{resource['name']} {-100 * resource['gain_if_free']:.0f} %"
                          for resource in document["resources"][:3] if "gain_if_free" in resource)
        print(f"{'ok  ' if found else 'MISS'} {each['kernel']:24} {shape:28} {document['time_us']:9.1f} us  planted "
              f"{each['planted']}; {gains}; diagnose: {document['diagnosed'] or 'nothing'}; "
              f"{document['gpu_s']:.0f} s", flush=True)
    print(f"first: {first} of {len(kernels)}; diagnose agrees: {agreed}")
    if chosen:
        return 0
    return 0 if first >= LEAST_FIRST and agreed >= LEAST_AGREED else 1


if __name__ == "__main__":
    sys.exit(main())
