# SPDX-License-Identifier: MIT
"""Cheat: enqueues work only in the first call that is captured."""

import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from python_kernel import softmax  # noqa: E402


SEEN = []


def candidate(inputs, outputs, scalars, dims):
    if torch.cuda.is_current_stream_capturing():
        SEEN.append(True)
        if len(SEEN) > 1:
            return
    softmax(inputs["x"], outputs["y"])
