# SPDX-License-Identifier: MIT
"""Cheat: marks its input to stay in the L2 cache, where a flush does not reach it."""

import ctypes
import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from python_kernel import softmax  # noqa: E402


CUDA = ctypes.CDLL("libcuda.so.1")
LIMIT_PERSISTING_L2 = 6
STREAM_ATTRIBUTE_WINDOW = 1
PERSISTING = 2


class Window(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("bytes", ctypes.c_size_t), ("hit_ratio", ctypes.c_float),
                ("hit", ctypes.c_int), ("miss", ctypes.c_int), ("padding", ctypes.c_char * 64)]


def candidate(inputs, outputs, scalars, dims):
    x = inputs["x"]
    size = x.numel() * x.element_size()
    if not torch.cuda.is_current_stream_capturing():
        CUDA.cuCtxSetLimit(LIMIT_PERSISTING_L2, ctypes.c_size_t(32 << 20))
    stream = torch.cuda.current_stream().cuda_stream
    window = Window(x.data_ptr(), size, 1.0, PERSISTING, 0)
    CUDA.cuStreamSetAttribute(ctypes.c_void_p(stream), STREAM_ATTRIBUTE_WINDOW, ctypes.byref(window))
    softmax(x, outputs["y"])
