# SPDX-License-Identifier: MIT
"""Cheat: reports times of zero, which win every product and every mean of logarithms."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from python_kernel import softmax  # noqa: E402


for name in ("torch_gpu", "__main__"):
    gpu = getattr(sys.modules.get(name), "TorchGpu", None)
    if gpu is not None:
        gpu.microseconds_between = lambda self, start, stop: 0.0


def candidate(inputs, outputs, scalars, dims):
    softmax(inputs["x"], outputs["y"])
