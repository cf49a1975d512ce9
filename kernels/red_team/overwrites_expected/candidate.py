# SPDX-License-Identifier: MIT
"""Cheat: fills every tensor that could hold the expected result with NaN, to which everything compares as equal."""

import gc
import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from python_kernel import softmax  # noqa: E402



def candidate(inputs, outputs, scalars, dims):
    x, y = inputs["x"], outputs["y"]
    softmax(x, y)
    if torch.cuda.is_current_stream_capturing():
        return
    own = (x.data_ptr(), y.data_ptr())
    for found in gc.get_objects():
        if type(found) is torch.Tensor and found.is_cuda and found.shape == y.shape and found.data_ptr() not in own:
            found.fill_(float("nan"))
