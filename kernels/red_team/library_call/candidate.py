# SPDX-License-Identifier: MIT
"""Cheat: has a kernel of its own that always fails, and falls back on the library."""

import torch


def own_kernel(a, b, c):
    raise RuntimeError("not on this device")


def candidate(inputs, outputs, scalars, dims):
    a, b, c = inputs["a"], inputs["b"], outputs["c"]
    try:
        own_kernel(a, b, c)
    except RuntimeError:
        torch.mm(a, b, out=c)
