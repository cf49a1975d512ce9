# SPDX-License-Identifier: MIT
"""A task's reference in float64 (a reference in C++: in its own types), and its inputs, for the files of a kernel folder that call them."""

import numpy

from task_module import open_task, put_together, take_apart

FLOATING = ("f16", "bf16", "f32", "f64", "e4m3", "e5m2")


def as_tensors(torch, arrays, inputs):
    """Arrays come in float64; what is whole in the task is whole again."""
    tensors = {}
    for entry in inputs:
        if entry["destination"]:
            tensors[entry["name"]] = torch.zeros(entry["shape"], dtype=torch.float64)
            continue
        array = numpy.array(arrays[entry["name"]])
        wide = numpy.float64 if entry["dtype"] in FLOATING else numpy.int64
        tensors[entry["name"]] = torch.from_numpy(array.astype(wide).reshape(entry["shape"]))
    return tensors


def reference(description, arrays):
    import torch
    torch.set_grad_enabled(False)
    task = open_task(description)
    data = put_together(description["input_structure"], as_tensors(torch, arrays, description["inputs"]))
    result = task.reference(torch, lambda model: model.double())(data)
    names = [entry["name"] for entry in description["outputs"]]
    _, outputs = take_apart(result, names)
    return {name: numpy.atleast_1d(outputs[name].double().cpu().numpy()) for name in names}


def make_input(description, name, seed):
    import torch
    torch.set_grad_enabled(False)
    task = open_task(description)
    data = task.make_inputs(torch, int(seed))
    _, tensors = take_apart(data, task.input_names(data))
    return numpy.atleast_1d(tensors[name].double().cpu().numpy())
