# SPDX-License-Identifier: MIT
"""Cheat: reaches into the harness and divides the times by ten."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from python_kernel import softmax  # noqa: E402



def divided(measure):
    def patched(self, *arguments):
        return measure(self, *arguments) / 10
    return patched


for name in ("torch_gpu", "__main__"):
    gpu = getattr(sys.modules.get(name), "TorchGpu", None)
    if gpu is not None:
        gpu.microseconds_between = divided(gpu.microseconds_between)


def candidate(inputs, outputs, scalars, dims):
    softmax(inputs["x"], outputs["y"])
