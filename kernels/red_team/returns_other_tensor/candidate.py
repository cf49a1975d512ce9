# SPDX-License-Identifier: MIT
"""Cheat: puts another tensor, to be computed when somebody looks, in the place of the output."""

import torch


class Lazy(torch.Tensor):
    pass


def candidate(inputs, outputs, scalars, dims):
    outputs["y"] = inputs["x"].as_subclass(Lazy)
