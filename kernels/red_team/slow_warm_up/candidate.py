# SPDX-License-Identifier: MIT
"""Cheat: is slow at first, so that whoever sizes the number of samples by the first calls takes few."""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from python_kernel import softmax  # noqa: E402


SLOW_CALLS = 4
COUNT = [0]


def candidate(inputs, outputs, scalars, dims):
    COUNT[0] += 1
    if COUNT[0] <= SLOW_CALLS:
        time.sleep(0.3)
    softmax(inputs["x"], outputs["y"])
