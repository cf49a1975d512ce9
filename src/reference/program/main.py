# SPDX-License-Identifier: MIT
"""Reads the problem, calls the function of the user's file, writes what it returned. As main.cc does for C++.

    program.py SOURCE ROLE REQUEST RESPONSE

ROLE is the function's name: reference, compare or input. It gets what it names among its parameters: tensors as
arrays of float64, those of i64 and u64 as arrays of int64 and uint64; scalars and the shape as numbers.
"""
import importlib.util
import inspect
import os
import struct
import sys

import numpy


ELEMENTS = {0: "<f8", 1: "<i8", 2: "<u8"}  # by what the request says that the elements of a tensor are


class Refusal(Exception):
    """The problem makes no sense to the function, or its outputs are wrong."""


def read_problem(file):
    def count():
        return struct.unpack("<Q", file.read(8))[0]

    def text():
        return file.read(count()).decode()

    tensors, outputs = {}, {}
    for _ in range(count()):
        name = text()
        is_output = count() == 1
        has_values = count() == 1
        dtype = numpy.dtype(ELEMENTS[count()])
        shape = tuple(struct.unpack("<q", file.read(8))[0] for _ in range(count()))
        elements = count()
        values = numpy.frombuffer(file.read(8 * elements), dtype=dtype).reshape(shape)
        if has_values:
            tensors[name] = values
        if is_output:
            outputs[name] = shape, dtype
    numbers = {}
    for _ in range(2):  # scalars, then the shape's variables; a scalar goes before a variable of its name
        for _ in range(count()):
            name = text()
            if count() == 1:
                numbers.setdefault(name, struct.unpack("<q", file.read(8))[0])
                continue
            value = struct.unpack("<d", file.read(8))[0]
            numbers.setdefault(name, int(value) if value.is_integer() else value)
    return tensors, outputs, numbers


def load(source, role):
    sys.path.insert(0, os.path.dirname(source))
    specification = importlib.util.spec_from_file_location("user_functions", source)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    function = getattr(module, role, None)
    if not callable(function):
        raise Refusal(f"the file defines no function {role}(...)")
    return function


def call(function, role, tensors, outputs, numbers):
    known = dict(numbers)
    known.update(tensors)
    parameters = inspect.signature(function).parameters
    takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    wanted = [p for p in parameters.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    missing = [p.name for p in wanted if p.name not in known and p.default is p.empty]
    if missing:
        raise Refusal(f"{role}() asks for {', '.join(missing)}; there are: {', '.join(sorted(known)) or 'none'}")
    names = known if takes_all else [p.name for p in wanted if p.name in known]
    return function(**{name: known[name] for name in names})


def as_integers(array, dtype):
    """The same integers in this type, or nothing: not integers, or some that the type does not hold."""
    if dtype.kind == "f" or array.size == 0:
        return None
    if array.dtype == object:  # Python's own, of any size
        if not all(isinstance(value, (int, numpy.integer)) for value in array.flat):
            return None
    elif array.dtype.kind not in "iub":
        return None
    limits = numpy.iinfo(dtype)
    if int(array.min()) < limits.min or int(array.max()) > limits.max:
        return None
    return array.astype(dtype)


def as_array(name, value, shape, dtype):
    if hasattr(value, "detach"):  # a tensor of PyTorch
        value = value.detach().cpu().numpy()
    array = numpy.asarray(value)
    if numpy.iscomplexobj(array):
        array = numpy.stack([array.real, array.imag], axis=-1)
    integers = as_integers(array, dtype)
    array = numpy.ascontiguousarray(array, dtype="<f8") if integers is None else numpy.ascontiguousarray(integers)
    if array.shape != shape:
        raise Refusal(f"'{name}' has the shape {list(array.shape)}; expected {list(shape)}")
    return array


def arrays_of(result, outputs):
    if not isinstance(result, dict):
        if len(outputs) != 1:
            raise Refusal(f"expected a dictionary with {', '.join(outputs)}; the function returned "
                          f"{type(result).__name__}")
        result = {next(iter(outputs)): result}
    absent = [name for name in outputs if name not in result]
    if absent:
        raise Refusal(f"the function returned nothing for {', '.join(absent)}")
    return [as_array(name, result[name], *outputs[name]) for name in outputs]


def main():
    source, role, request, response = sys.argv[1:]
    with open(request, "rb") as file:
        tensors, outputs, numbers = read_problem(file)
    arrays, message = [], None
    process = os.getpid()
    try:
        result = call(load(source, role), role, tensors, outputs, numbers)
        if role == "compare":
            if isinstance(result, str):
                raise Refusal(result)
            if result is False or isinstance(result, numpy.bool_) and not result:
                raise Refusal("the comparison says that the outputs are wrong")
        else:
            arrays = arrays_of(result, outputs)
    except Refusal as refusal:
        message = str(refusal).encode()
    if os.getpid() != process:
        return  # a copy that the function made of this process: one of them answers
    with open(response, "wb") as file:
        if message is not None:
            file.write(struct.pack("<QQ", 1, len(message)) + message)
            return
        file.write(struct.pack("<Q", 0))
        for array in arrays:
            file.write(struct.pack("<QQ", 0 if array.dtype.kind == "f" else 1, array.size))
            file.write(array.tobytes())


main()
