# SPDX-License-Identifier: MIT
"""Reads the problem, calls the function of the user's file, writes what it returned. As main.cc does for C++.

    program.py SOURCE ROLE REQUEST RESPONSE

ROLE is the function's name: reference, compare or input. It gets what it names among its parameters: tensors as
float64 arrays, scalars and the shape as numbers.
"""
import importlib.util
import inspect
import os
import struct
import sys

import numpy


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
        shape = tuple(struct.unpack("<q", file.read(8))[0] for _ in range(count()))
        elements = count()
        values = numpy.frombuffer(file.read(8 * elements), dtype="<f8").reshape(shape)
        tensors[name] = values
        if is_output:
            outputs[name] = shape
    numbers = {}
    for _ in range(2):  # scalars, then the shape's variables; a scalar goes before a variable of its name
        for _ in range(count()):
            name = text()
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
    known.update(tensors if role == "compare" else {name: tensors[name] for name in tensors if name not in outputs or
                 not is_unwritten(tensors[name])})
    parameters = inspect.signature(function).parameters
    takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    wanted = [p for p in parameters.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    missing = [p.name for p in wanted if p.name not in known and p.default is p.empty]
    if missing:
        raise Refusal(f"{role}() asks for {', '.join(missing)}; there are: {', '.join(sorted(known)) or 'none'}")
    names = known if takes_all else [p.name for p in wanted if p.name in known]
    return function(**{name: known[name] for name in names})


UNWRITTEN = 0x7FF8A55AC3C35AA5


def is_unwritten(values):
    return values.size > 0 and numpy.all(values.view("<u8") == UNWRITTEN)


def as_array(name, value, shape):
    if hasattr(value, "detach"):  # a tensor of PyTorch
        value = value.detach().cpu().numpy()
    array = numpy.asarray(value)
    if numpy.iscomplexobj(array):
        array = numpy.stack([array.real, array.imag], axis=-1)
    array = numpy.ascontiguousarray(array, dtype="<f8")
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
    return [as_array(name, result[name], shape) for name, shape in outputs.items()]


def main():
    source, role, request, response = sys.argv[1:]
    with open(request, "rb") as file:
        tensors, outputs, numbers = read_problem(file)
    arrays, message = [], None
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
    with open(response, "wb") as file:
        if message is not None:
            file.write(struct.pack("<QQ", 1, len(message)) + message)
            return
        file.write(struct.pack("<Q", 0))
        for array in arrays:
            file.write(struct.pack("<Q", array.size))
            file.write(array.tobytes())


main()
