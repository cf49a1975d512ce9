# SPDX-License-Identifier: MIT
"""tests/gpu/tune_truth.py on a virtual GPU: it stops, goes on, and writes its tables.

usage: tune_truth_test.py ASSAY
"""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def call(program, folder, budget):
    settings = {**os.environ, "ASSAY_NVCC": "none", "ASSAY_CUDA_DRIVER": "none", "ASSAY_CACHE": folder + "/cache"}
    return subprocess.run([sys.executable, "-B", ROOT / "tests/gpu/tune_truth.py", "--assay", program, "--folder",
                           folder, "--space", ROOT / "tests/cli/strided_rows/kernel.toml", "--device", "vgpu:a100",
                           "--seconds", "60", "--budget", str(budget), "--seeds", "2", "--batch", "2"],
                          env=settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory(prefix="tune truth ") as folder:
        first = call(program, folder, 6)
        assert first.returncode == 0, first.stdout
        assert "6 of 720" in first.stdout, first.stdout
        journal = pathlib.Path(folder, "strided_rows.jsonl").read_text(encoding="utf-8").count("\n")
        second = call(program, folder, 9)
        assert second.returncode == 0, second.stdout
        assert "9 of 720" in second.stdout, second.stdout
        lines = pathlib.Path(folder, "strided_rows.jsonl").read_text(encoding="utf-8").count("\n")
        assert lines == journal + 3, (journal, lines)  # the first six were not evaluated again
        tables = pathlib.Path(folder, "tables.md").read_text(encoding="utf-8")
        for strategy in ("model", "annealing", "random"):
            assert f"| {strategy} |" in tables, tables
        for name in ("strided_rows.svg", "strided_rows.t4.json", "strided_rows.kernel_tuner.json"):
            assert pathlib.Path(folder, name).stat().st_size > 0, name
        # What cannot be measured is said, and the exit code tells.
        broken = subprocess.run([sys.executable, "-B", ROOT / "tests/gpu/tune_truth.py", "--assay", program, "--folder",
                                 folder + "/other", "--space", "no/such/kernel.toml"], stdout=subprocess.PIPE,
                                text=True, env={**os.environ, "ASSAY_CUDA_DRIVER": "none"}, check=False)
        assert broken.returncode == 1 and "ended with 2" in broken.stdout, broken.stdout


if __name__ == "__main__":
    main()
