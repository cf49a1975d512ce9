# SPDX-License-Identifier: MIT
"""A kernel with many configurations that cost next to nothing: its PTX lies ready, and no compiler is needed."""

import pathlib
import shutil

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOSTILE = ROOT / "tests" / "hostile"


def make_kernel(folder, count):
    """A kernel folder with `count` configurations, and the environment that builds it."""
    kernel = folder / "rows"
    shutil.copytree(HOSTILE / "rows", kernel)
    specification = kernel / "kernel.toml"
    text = specification.read_text()
    values = ", ".join(str(i) for i in range(1, count // 2 + 1))
    text = text.replace("[launch]\n", f"[tunable]\nA = [{values}]\nTHREADS = [1, 2]\n\n[launch]\n")
    text = text.replace('block = ["1"]', 'block = ["1"]\nshared_bytes = "16*A*THREADS"')
    specification.write_text(text)
    return kernel, {"ASSAY_NVCC": str(HOSTILE / "nvcc.sh"), "ASSAY_CUDA_DRIVER": "none", "ASSAY_LEDGER": "none",
                    "ASSAY_NVML_LIBRARY": "none", "ASSAY_CUPTI_LIBRARY": "none"}
