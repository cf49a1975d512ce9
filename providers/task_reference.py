# SPDX-License-Identifier: MIT
"""A task's reference in float64 (a reference in C++: in its own types), and its inputs, for the files of a kernel folder that call them."""

import numpy

from cuda_task import is_array
from task_module import import_torch, open_task, put_together, take_apart

FLOATING = ("f16", "bf16", "f32", "f64", "e4m3", "e5m2")


def as_tensors(torch, arrays, inputs):
    """Arrays come in float64, 64-bit integers as they are; what is whole in the task is whole again."""
    tensors = {}
    for entry in inputs:
        if entry["destination"]:
            array = numpy.zeros(entry["shape"])
        else:
            wide = numpy.float64 if entry["dtype"] in FLOATING else numpy.int64
            array = numpy.array(arrays[entry["name"]], dtype=wide).reshape(entry["shape"])  # one copy
        tensors[entry["name"]] = torch.from_numpy(array) if torch else array
    return tensors


def as_numbers(tensor):
    """In float64, but integers as they are: float64 does not hold all of them."""
    if is_array(tensor):
        return numpy.atleast_1d(tensor if tensor.dtype.kind in "iu" else tensor.astype(numpy.float64))
    whole = "int" in str(tensor.dtype)
    return numpy.atleast_1d((tensor if whole else tensor.double()).cpu().numpy())


def reference(description, arrays):
    torch = import_torch(description["style"])
    task = open_task(description)
    data = put_together(description["input_structure"], as_tensors(torch, arrays, description["inputs"]))
    result = task.reference(torch, lambda model: model.double())(data)
    names = [entry["name"] for entry in description["outputs"]]
    _, outputs = take_apart(result, names)
    return {name: as_numbers(outputs[name]) for name in names}


def make_input(description, name, seed):
    torch = import_torch(description["style"])
    task = open_task(description)
    data = task.make_inputs(torch, int(seed))
    _, tensors = take_apart(data, task.input_names(data))
    return as_numbers(tensors[name])
