# SPDX-License-Identifier: MIT
"""Every kernel of docs/kernel_toml.md, and the shipped ones that use what it describes, on a GPU: correct there as on a
virtual one, and timed as one call.

    python3 tests/gpu/described_kernels.py build/assay cuda:0
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHIPPED = ("two_kernel_reduction", "triton_add", "ready_cubin", "cutlass_style", "file_inputs")


def page_files():
    text = (ROOT / "docs/kernel_toml.md").read_text()
    return re.findall(r"^```\w+ file=(\S+)\n(.*?)^```$", text, re.S | re.M)


def main():
    program, device = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2]
    failures = 0

    def assay(*words, expected=0, needle=""):
        nonlocal failures
        done = subprocess.run([program, *map(str, words)], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={**os.environ, "ASSAY_LEDGER": "none"})
        good = done.returncode == expected and needle in done.stdout
        failures += not good
        lines = [line for line in done.stdout.splitlines() if not re.match(r"(check|building|bench) \d", line)]
        print("ok  " if good else "FAIL", *words, "" if good else f"\n{done.stdout}", flush=True)
        if good and lines:
            print("      " + lines[0])

    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for name, content in page_files():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content)
        for spec in sorted(folder.glob("*/kernel.toml")):
            assay("check", spec.parent, "--device", device)
        for name in SHIPPED:
            assay("check", ROOT / "kernels" / name, "--device", device)
            assay("bench", ROOT / "kernels" / name, "--device", device)
        assay("check", ROOT / "tests/cli/cubin", "--device", device)  # machine code alone
        too_large = folder / "grid_sum/kernel.toml"
        too_large.write_text(too_large.read_text().replace("BLOCKS = [8, 16]", "BLOCKS = [100000]"))
        assay("check", too_large, "--device", device, expected=5, needle="the cooperative grid of 'grid_sum' has 100000 blocks")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
