# SPDX-License-Identifier: MIT
"""As much of PyTorch as the tests of assay judge need, on NumPy: every operation takes the time that it says."""

import time

import numpy

from . import nn  # noqa: F401

__version__ = "0.fake"
OPERATION_US = 120.0
_random = numpy.random.default_rng(0)


class dtype:
    def __init__(self, name, array_type):
        self.name, self.array_type, self.itemsize = name, array_type, numpy.dtype(array_type).itemsize

    def __str__(self):
        return f"torch.{self.name}"


float32, float64 = dtype("float32", numpy.float32), dtype("float64", numpy.float64)
int64, int32 = dtype("int64", numpy.int64), dtype("int32", numpy.int32)
_TYPES = {numpy.dtype(each.array_type): each for each in (float32, float64, int64, int32)}


def work(us):
    end = time.perf_counter() + us * 1e-6
    while time.perf_counter() < end:
        pass


class Tensor:
    def __init__(self, array):
        self.array = array

    shape = property(lambda self: self.array.shape)
    dtype = property(lambda self: _TYPES[self.array.dtype])

    def stride(self):
        return tuple(n // self.array.itemsize for n in self.array.strides)

    def data_ptr(self):
        return self.array.ctypes.data

    def numpy(self):
        return self.array

    def cpu(self):
        return self

    cuda = cpu

    def double(self):
        return Tensor(self.array.astype(numpy.float64))

    def reshape(self, *shape):
        return Tensor(self.array.reshape(*shape))

    def sum(self, axis):
        work(OPERATION_US)
        return Tensor(self.array.sum(axis, dtype=self.array.dtype))

    def __mul__(self, factor):
        work(OPERATION_US)
        return Tensor((self.array * factor).astype(self.array.dtype))

    def copy_(self, other):
        work(OPERATION_US)
        self.array[...] = other.array
        return self


def scaled_row_sum(x, factor):
    """What a fused kernel would do: one operation instead of two."""
    work(OPERATION_US)
    return Tensor((x.array.sum(1, dtype=x.array.dtype) * factor).astype(x.array.dtype))


def manual_seed(seed):
    global _random
    _random = numpy.random.default_rng(int(seed) % 2**32)


def rand(*shape):
    return Tensor(_random.random(shape).astype(numpy.float32))


def zeros(shape, dtype=float32):
    return Tensor(numpy.zeros(shape, dtype.array_type))


def from_numpy(array):
    return Tensor(array)


def set_grad_enabled(enabled):
    pass


def compile(function, dynamic=None):
    return function
