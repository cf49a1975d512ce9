# SPDX-License-Identifier: MIT
"""Tasks of KernelBench and GPU MODE: what they are called with, taken apart into tensors and put together again.

A structure says how tensors lie in what a task passes on: {"kind": "tensor", "name": NAME}, {"kind": "value", "value":
V}, {"kind": "tuple" or "list", "items": [...]}, {"kind": "dict", "items": {...}}.
"""

import importlib.util
import inspect
import os
import sys

import cuda_task

DTYPES = {
    "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "int8": "i8", "int16": "i16",
    "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2",
}
MODEL, GPU_MODE = "model", "ref_kernel"
WEIGHTS_SEED = 42  # a model draws its weights when it is made: reference and answer draw the same


class BadTask(Exception):
    """What a task or an answer does that cannot be judged, in words."""


def load_module(path, name):
    """The module of a file; files beside it can be imported by it."""
    folder = os.path.dirname(os.path.abspath(path))
    if folder not in sys.path:
        sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def is_tensor(value):
    return cuda_task.is_array(value) or hasattr(value, "data_ptr") and hasattr(value, "dtype")


def import_torch(style):
    """PyTorch, or None for a task of C++, which does without."""
    if style == cuda_task.STYLE:
        return None
    import torch
    torch.set_grad_enabled(False)
    return torch


def dtype_name(tensor):
    name = str(tensor.dtype).replace("torch.", "")
    if name not in DTYPES:
        raise BadTask(f"tensors of type {name} are not supported")
    return DTYPES[name]


def take_apart(data, names=None):
    """The structure of `data`, and its tensors by name in order. `names` are for the elements of a tuple."""
    tensors = {}

    def walk(value, name):
        if is_tensor(value):
            if name in tensors:
                raise BadTask(f"two tensors are called {name}")
            tensors[name] = value
            return {"kind": "tensor", "name": name}
        if isinstance(value, (tuple, list)):
            kind = "tuple" if isinstance(value, tuple) else "list"
            return {"kind": kind, "items": [walk(each, f"{name}_{i}") for i, each in enumerate(value)]}
        if isinstance(value, dict):
            return {"kind": "dict", "items": {str(key): walk(each, f"{name}_{key}") for key, each in value.items()}}
        if value is None or isinstance(value, (bool, int, float, str)):
            return {"kind": "value", "value": value}
        raise BadTask(f"a {type(value).__name__} among the inputs or outputs is neither a tensor nor a number")

    if names is not None and isinstance(data, (tuple, list)) and len(names) == len(data):
        kind = "tuple" if isinstance(data, tuple) else "list"
        structure = {"kind": kind, "items": [walk(each, name) for name, each in zip(names, data)]}
    elif names is not None and len(names) == 1:
        structure = walk(data, names[0])
    else:
        structure = walk(data, "data")
    return structure, tensors


def put_together(structure, tensors):
    kind = structure["kind"]
    if kind == "tensor":
        return tensors[structure["name"]]
    if kind == "value":
        return structure["value"]
    if kind == "dict":
        return {key: put_together(each, tensors) for key, each in structure["items"].items()}
    items = [put_together(each, tensors) for each in structure["items"]]
    return tuple(items) if kind == "tuple" else items


def open_task(description):
    """The task that a description or a request names."""
    if description["style"] == cuda_task.STYLE:
        cache = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cuda_tasks")
        return cuda_task.CudaTask(description, cache)
    return Task(description["style"], description["task"], description.get("case", {}))


class Task:
    """A task at one case: its inputs, and the reference as a function of them."""

    def __init__(self, style, path, case):
        self.style, self.case = style, dict(case)
        self.module = load_module(path, "assay_task")
        wanted = ("Model", "get_inputs") if style == MODEL else ("generate_input", "ref_kernel")
        for name in wanted:
            if not hasattr(self.module, name):
                raise BadTask(f"{os.path.basename(path)} has no {name}")

    def make_inputs(self, torch, seed):
        torch.manual_seed(seed)
        if self.style == MODEL:
            return list(self.module.get_inputs())
        case = dict(self.case)
        if "seed" in case:
            case["seed"] = seed % 2**31
        return self.module.generate_input(**case)

    def input_names(self, data):
        if self.style != MODEL:
            return None
        names = [name for name in inspect.signature(self.module.Model.forward).parameters if name != "self"]
        return names[:len(data)] if len(names) >= len(data) else None

    def reference(self, torch, move):
        """A function of the data; `move` puts a model where it is to run."""
        if self.style != MODEL:
            return self.module.ref_kernel
        model = make_model(torch, self.module, "Model", self.init_inputs())
        model = move(model)
        return lambda data: model(*data)

    def init_inputs(self):
        return list(self.module.get_init_inputs()) if hasattr(self.module, "get_init_inputs") else []


def make_model(torch, module, name, init_inputs):
    torch.manual_seed(WEIGHTS_SEED)
    return getattr(module, name)(*init_inputs)
