# SPDX-License-Identifier: MIT
"""Cheat: keeps the result for each address of the input, and copies it when the address comes again."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from python_kernel import softmax  # noqa: E402


SAVED = {}


def candidate(inputs, outputs, scalars, dims):
    x, y = inputs["x"], outputs["y"]
    key = (x.data_ptr(), tuple(x.shape))
    if key in SAVED:
        y.copy_(SAVED[key])
        return
    softmax(x, y)
    SAVED[key] = y.clone()
