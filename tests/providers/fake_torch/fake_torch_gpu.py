# SPDX-License-Identifier: MIT
"""The fake device for the fake PyTorch: memory that its tensors lie in, and the host's own clock."""

import os
import sys
import time

import numpy
import torch

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from channel import Refusal  # noqa: E402
from fake_gpu import Buffer, FakeGpu  # noqa: E402

TYPES = {"f32": numpy.float32, "f64": numpy.float64, "i64": numpy.int64, "i32": numpy.int32}


class Again:
    """A graph that does once more what was done when it was captured."""

    def __init__(self, function):
        self.replay = function


class TorchGpu(FakeGpu):
    torch = torch

    # Work takes its time; who advances the clock waits until it is so late.
    @property
    def now_us(self):
        return time.perf_counter() * 1e6

    @now_us.setter
    def now_us(self, value):
        torch.work(value - self.now_us)

    def allocate(self, tensor):
        address = self._take(tensor.bytes)
        memory = self.memory[address]
        view = torch.Tensor(numpy.frombuffer(memory, TYPES[tensor.dtype]).reshape(tensor.shape))
        return Buffer(address, tensor.bytes, memory, view)

    def capture(self, function):
        function()
        return Again(function)

    def captured_nodes(self):
        return None

    def names_in_call(self, function):
        return None

    def fill(self, address, byte, count):
        contents, offset = self._bytes_at(address)
        contents[offset:offset + count] = bytes([byte]) * count

    @staticmethod
    def layout(result):
        return result.array.nbytes

    def poison_result(self, result, byte):
        result.array.view(numpy.uint8)[...] = byte

    def store(self, result, tensor, buffer):
        if tuple(result.shape) != tensor.shape or result.array.dtype != TYPES[tensor.dtype]:
            raise Refusal(f"the call returned '{tensor.name}' as {result.shape} {result.dtype}")
        buffer.flat[:] = result.array.tobytes()
