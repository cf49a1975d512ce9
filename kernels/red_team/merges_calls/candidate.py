# SPDX-License-Identifier: MIT
"""Cheat: puts calls off and does several at once in a single batch; most calls then cost nothing."""

import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from python_kernel import softmax  # noqa: E402


MERGED = 4
PUT_OFF = []


def candidate(inputs, outputs, scalars, dims):
    if not torch.cuda.is_current_stream_capturing():
        softmax(inputs["x"], outputs["y"])  # nobody is timing
        return
    PUT_OFF.append((inputs["x"], outputs["y"]))
    if len(PUT_OFF) == MERGED:
        for x, y in PUT_OFF:
            softmax(x, y)
        PUT_OFF.clear()
