# SPDX-License-Identifier: MIT
"""What a task takes and gives: runs its reference once and describes the tensors.

    task_probe.py REQUEST RESPONSE

Both are files of JSON. Request: {"style", "task", "case"}. Response: {"inputs": [{"name", "dtype", "shape", "strides",
"destination"}], "outputs": [...], "input_structure", "output_structure"}, or {"error": "..."}. A destination is an
input that the reference returns: memory for the result.
"""

import json
import sys
import traceback

from cuda_task import CudaTaskError, NoCompiler, is_array
from task_module import BadTask, dtype_name, import_torch, open_task, take_apart

MOST_DIMENSIONS = 8


def describe(name, tensor):
    shape = [int(n) for n in tensor.shape]
    if len(shape) > MOST_DIMENSIONS:
        raise BadTask(f"{name} has {len(shape)} dimensions; at most {MOST_DIMENSIONS} are supported")
    if any(n == 0 for n in shape):
        raise BadTask(f"{name} has no elements")
    strides = [n // tensor.itemsize for n in tensor.strides] if is_array(tensor) else tensor.stride()
    return {"name": name, "dtype": dtype_name(tensor), "shape": shape, "strides": [int(n) for n in strides]}


def address(tensor):
    return tensor.ctypes.data if is_array(tensor) else tensor.data_ptr()


def probe(request):
    torch = import_torch(request["style"])
    task = open_task(request)
    data = task.make_inputs(torch, 1)
    input_structure, inputs = take_apart(data, task.input_names(data))
    result = task.reference(torch, lambda model: model)(data)
    names = ["output"] if not isinstance(result, (tuple, list)) else [f"output_{i}" for i in range(len(result))]
    output_structure, outputs = take_apart(result, names)
    if not outputs:
        raise BadTask("the reference returns no tensor")
    places = {address(tensor): name for name, tensor in outputs.items()}
    described = []
    for name, tensor in inputs.items():
        described.append({**describe(name, tensor), "destination": places.get(address(tensor), "")})
    return {"inputs": described, "outputs": [describe(name, tensor) for name, tensor in outputs.items()],
            "input_structure": input_structure, "output_structure": output_structure}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    try:
        response = probe(request)
    except ImportError as error:
        response = {"error": f"{error}", "environment": True, "hint": "ASSAY_PYTHON names the Python that has PyTorch"}
    except NoCompiler as error:
        response = {"error": f"{error}", "environment": True}
    except (BadTask, CudaTaskError) as error:
        response = {"error": f"{error}"}
    except (Exception, SystemExit) as error:  # the task's own code may fail in any way
        last = traceback.extract_tb(error.__traceback__)[-1]
        response = {"error": f"{type(error).__name__}: {error} ({last.filename}:{last.lineno})"}
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(response, file)


if __name__ == "__main__":
    main()
