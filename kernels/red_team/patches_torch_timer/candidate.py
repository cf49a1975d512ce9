# SPDX-License-Identifier: MIT
"""Cheat: replaces the clocks of PyTorch and of Python."""

import pathlib
import sys
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from python_kernel import softmax  # noqa: E402


torch.cuda.Event.elapsed_time = lambda self, end: 1e-4
time.perf_counter = lambda: 0.0
time.perf_counter_ns = lambda: 0


def candidate(inputs, outputs, scalars, dims):
    softmax(inputs["x"], outputs["y"])
