# SPDX-License-Identifier: MIT
"""The honest twin of the Python cheats: must pass every guard."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from python_kernel import softmax  # noqa: E402


def candidate(inputs, outputs, scalars, dims):
    softmax(inputs["x"], outputs["y"])
