# SPDX-License-Identifier: MIT
"""Cheat: hopes that freed memory still holds the expected result, and returns that."""

import torch


def candidate(inputs, outputs, scalars, dims):
    outputs["y"].copy_(torch.empty_like(outputs["y"]))
