# SPDX-License-Identifier: MIT
"""The provider `python`: a function of the user's.

Options `file` and `function` (default "candidate"):

  def candidate(inputs, outputs, scalars, dims):    # PyTorch tensors by name, numbers by name
      torch.add(inputs["x"], scalars["bias"], out=outputs["y"])

It enqueues its work on the current stream, writes into the outputs in place and returns None.
"""

import importlib.util
import os
import sys

from channel import Refusal, one_line
from harness import main


def load_function(path, name):
    if not path or not os.path.isfile(path):
        raise Refusal(f"there is no file '{path}'", "option file: the Python file, function: the function in it")
    spec = importlib.util.spec_from_file_location("assay_candidate", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["assay_candidate"] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        what = f"{type(error).__name__}: {one_line(error)}"
        raise Refusal(f"{os.path.basename(path)} cannot be loaded: {what}") from error
    function = getattr(module, name, None)
    if not callable(function):
        raise Refusal(f"{os.path.basename(path)} has no function '{name}'")
    return function


def place(tensor):
    return tensor.data_ptr(), tuple(tensor.shape), tuple(tensor.stride()), tensor.dtype


class PythonFunction:
    name = "python"

    def __init__(self):
        self._loaded = {}  # a file is loaded once, however many cases follow

    def versions(self, gpu):
        return {}

    def prepare(self, case, gpu, sets):
        path, name = case.options.get("file", ""), case.options.get("function", "candidate")
        key = (path, name)
        if key not in self._loaded:
            self._loaded[key] = load_function(path, name)
        self._function = self._loaded[key]
        self._arguments = [(own.inputs(), own.outputs()) for own in sets]
        self._places = [{key: place(tensor) for key, tensor in outputs.items()} for _, outputs in self._arguments]
        self._scalars, self._dims = dict(case.scalars), dict(case.dims)
        return f"{name} of {os.path.basename(path)}"

    def call(self, number):
        inputs, outputs = self._arguments[number]
        given = dict(outputs)
        returned = self._function(dict(inputs), given, dict(self._scalars), dict(self._dims))
        if returned is not None:
            raise Refusal(f"the function returned a {type(returned).__name__}; expected None",
                          "write into the tensors of outputs, for example with out= or copy_", "contract")
        for name, tensor in outputs.items():
            if given.get(name) is not tensor or place(tensor) != self._places[number][name]:
                raise Refusal(f"the function put another tensor in the place of the output '{name}'",
                              "write into the tensor itself, for example with out= or copy_", "contract")
        return None


if __name__ == "__main__":
    sys.exit(main(PythonFunction()))
