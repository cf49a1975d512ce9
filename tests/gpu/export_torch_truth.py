#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kernels as PyTorch operators on a GPU: every exported package passes its own test, and CUDA graphs capture it.

usage: export_torch_truth.py [PROGRAM [KERNEL ...]]      PROGRAM: build/assay; needs PyTorch
"""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/project"))
from documents_test import read_examples  # noqa: E402

KERNELS = ["softmax", "layernorm", "reduction", "gemm", "two_kernel_reduction", "triton_add", "attention/tensor_core",
           "cluster_reduction", "tensor_map_copy", "gemm_hopper", "attention/streaming", "cutlass_style", "texture_blur",
           "surface_transpose"]

GRAPH = """
import torch, {package}
x = torch.randn(64, 512, device="cuda")
call = {package}.row_softmax
call(x)  # loads the module, which a capture may not
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = call(x)
x.copy_(torch.randn(64, 512, device="cuda"))
graph.replay()
torch.cuda.synchronize()
torch.testing.assert_close(y, torch.softmax(x, dim=1))
compiled = torch.compile(lambda t: call(t * 2) + 1, fullgraph=True)
torch.testing.assert_close(compiled(x), torch.softmax(x * 2, dim=1) + 1)
"""


def main(arguments):
    program = str(pathlib.Path(arguments[0] if arguments else ROOT / "build/assay").resolve())
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        top = pathlib.Path(name)
        for example in read_examples("pytorch", (ROOT / "docs/cookbook/pytorch.md").read_text()):
            if example.file:
                path = top / example.file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(example.text)

        def run(*words):
            return subprocess.run([str(word) for word in words], cwd=top, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, env={**os.environ, "PYTHONPATH": str(top), "ASSAY_LEDGER": "none"})

        for kernel in [top / "row_softmax"] + [ROOT / "kernels" / each for each in arguments[1:] or KERNELS]:
            package = f"{kernel.name}_operator"
            done = run(program, "export", "--torch", kernel, "--out", package)
            if done.returncode == 0:
                done = run(sys.executable, "-B", next((top / package).glob("test_*.py")))
            good = done.returncode == 0
            skipped = "was built for" in done.stdout  # not a kernel for this GPU
            failed += not good and not skipped
            print(f"{'good' if good else 'skipped' if skipped else 'FAILED'} {kernel.name}", flush=True)
            if not good and not skipped:
                print(done.stdout)
        done = run(sys.executable, "-B", "-c", GRAPH.format(package="row_softmax_operator"))
        failed += done.returncode != 0
        print(f"{'good' if done.returncode == 0 else 'FAILED'} CUDA graph and torch.compile\n{done.stdout}".rstrip())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
