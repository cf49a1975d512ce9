# SPDX-License-Identifier: MIT
"""Cheat: works on a stream of its own, which no event waits for."""

import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from python_kernel import softmax  # noqa: E402


SIDE = torch.cuda.Stream()


def candidate(inputs, outputs, scalars, dims):
    if not torch.cuda.is_current_stream_capturing():
        SIDE.wait_stream(torch.cuda.current_stream())  # after the poison, so that the result looks right in the end
    softmax(inputs["x"], outputs["y"], SIDE.cuda_stream)
