# SPDX-License-Identifier: MIT
"""Stands in for PyTorch where there is none: tensors in the host's memory, which is the fake driver's memory too."""

import contextlib
import ctypes
import itertools
import struct
import types


class dtype:  # noqa: N801: as PyTorch calls it
    def __init__(self, name, code):
        self.name, self.code, self.size = name, code, struct.calcsize(code)

    def __repr__(self):
        return f"torch.{self.name}"


for _name, _code in (("float16", "e"), ("float32", "f"), ("float64", "d"), ("int8", "b"), ("int16", "h"), ("int32", "i"),
                     ("int64", "q"), ("uint8", "B"), ("bool", "?")):
    globals()[_name] = dtype(_name, _code)


class device:  # noqa: N801
    def __init__(self, text):
        text = str(text)
        self.type, _, index = text.partition(":")
        self.index = int(index) if index else (0 if self.type == "cuda" else None)

    def __eq__(self, other):
        return str(self) == str(device(other))

    def __hash__(self):
        return hash(str(self))

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"


class Tensor:
    def __init__(self, memory, kind, shape, strides, place):
        self.memory, self.dtype, self.shape, self.strides, self.device = memory, kind, tuple(shape), tuple(strides), place

    def data_ptr(self):
        return ctypes.addressof(self.memory)

    def dim(self):
        return len(self.shape)

    def stride(self):
        return self.strides

    def element_size(self):
        return self.dtype.size

    def numel(self):
        count = 1
        for size in self.shape:
            count *= size
        return count

    def places(self):
        for index in itertools.product(*map(range, self.shape)):
            yield self.dtype.size * sum(i * step for i, step in zip(index, self.strides))

    def tolist(self):
        """All elements in row-major order."""
        return [struct.unpack_from(self.dtype.code, self.memory, place)[0] for place in self.places()]

    def fill(self, values):
        for place, value in zip(self.places(), values):
            struct.pack_into(self.dtype.code, self.memory, place, value)
        return self

    def copy_(self, other):
        return self.fill(other.tolist())

    def as_strided(self, shape, strides):
        return Tensor(self.memory, self.dtype, shape, strides, self.device)

    def to(self, target):
        kind, place = (target, self.device) if isinstance(target, dtype) else (self.dtype, device(target))
        return empty_strided(self.shape, self.strides, kind, place).fill(self.tolist())

    def combine(self, other, work):
        others = other.tolist() if isinstance(other, Tensor) else itertools.repeat(other)
        return empty_strided(self.shape, dense(self.shape), self.dtype, self.device).fill(
            work(a, b) for a, b in zip(self.tolist(), others))

    def __sub__(self, other):
        return self.combine(other, lambda a, b: a - b)

    def __mul__(self, other):
        return self.combine(other, lambda a, b: a * b)

    def __radd__(self, other):
        return self.combine(other, lambda a, b: a + b)

    __rmul__ = __mul__

    def abs(self):
        return self.combine(0, lambda a, b: abs(a))

    def max(self):
        return self.as_strided((), ()).copy_of(max(self.tolist()))

    def copy_of(self, value):
        return empty_strided((), (), self.dtype, self.device).fill([value])

    def item(self):
        return self.tolist()[0]


def dense(shape):
    strides, step = [], 1
    for size in reversed(tuple(shape)):
        strides.insert(0, step)
        step *= max(size, 1)
    return strides


def empty_strided(shape, strides, dtype=None, device="cpu"):  # noqa: A002
    place = globals()["device"](device)
    span = 1 + sum((size - 1) * step for size, step in zip(shape, strides)) if 0 not in tuple(shape) else 0
    memory = (ctypes.c_char * max(span * dtype.size, 1)).from_buffer(bytearray(b"\xaa" * max(span * dtype.size, 1)))
    return Tensor(memory, dtype, shape, strides, place)


def tensor(values, dtype=None, device="cpu"):
    return empty_strided((len(values),), (1,), dtype, device).fill(values)


def frombuffer(data, dtype=None):
    memory = (ctypes.c_char * len(data)).from_buffer(bytearray(data))
    return Tensor(memory, dtype, (len(data) // dtype.size,), (1,), device("cpu"))


def equal(a, b):
    return a.tolist() == b.tolist()


CAPABILITY = [9, 0]
cuda = types.SimpleNamespace(
    device=lambda place: contextlib.nullcontext(),
    current_device=lambda: 0,
    current_stream=lambda place: types.SimpleNamespace(cuda_stream=0),
    get_device_capability=lambda index: tuple(CAPABILITY))


class Operator:
    """What torch.library.custom_op makes: callable, with a fake for the compiler."""

    def __init__(self, name, work, written):
        self.name, self.work, self.written, self.fake = name, work, written, None

    def __call__(self, *arguments, **settings):
        return self.work(*arguments, **settings)

    def register_fake(self, fake):
        self.fake = fake
        return fake


registered = {}


def custom_op(name, mutates_args):
    def register(work):
        registered[name] = Operator(name, work, tuple(mutates_args))
        return registered[name]
    return register


library = types.SimpleNamespace(custom_op=custom_op)
