# SPDX-License-Identifier: MIT
"""The provider of an answer to a task of KernelBench (class ModelNew) or GPU MODE (custom_kernel), and of the task's own
reference beside it.

Options: `description`, a file of JSON as task_probe.py writes it with style, task and case; `role`: answer, eager or
compile; `submission`, the answer's file: Python, or CUDA C++ with a pybind11 module (`forward` or `custom_kernel`). To a
task of C++ (cuda_task.py) the answer is CUDA C++ with output_t custom_kernel(input_t).
"""

import json
import os
import sys

from channel import Refusal, one_line
from cuda_task import ENDINGS, STYLE, Bridge, CudaTaskError, tensors_of
from harness import main
from task_module import GPU_MODE, MODEL, BadTask, load_module, make_model, open_task, put_together, take_apart


def load_cuda(path):
    """A source with a pybind11 module, compiled as PyTorch's extensions are."""
    from torch.utils.cpp_extension import load
    name = "".join(c if c.isalnum() else "_" for c in os.path.basename(path))
    module = load(name=f"assay_{name}", sources=[path], verbose=False)
    for entry in ("custom_kernel", "forward"):
        if hasattr(module, entry):
            return getattr(module, entry)
    raise Refusal(f"{os.path.basename(path)} exports neither custom_kernel nor forward",
                  "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"forward\", ...); }")


class HostCalls:
    """Calls of a function of C++ in the host's memory: what is timed is that function alone. Inputs come from the device's
    memory before it, and results go there behind it, so that they are drawn, poisoned and compared as all others are."""

    def __init__(self, torch, task, answer, sets, outputs):
        self._torch, self._answer, self._sets, self._outputs = torch, answer, sets, outputs
        self._bridges = [task.bridge(answer) for _ in sets]
        self._prepared = set()

    def ready(self, number):
        bridge = self._bridges[number]
        bridge.set_input(tensors_of(self._sets[number]))
        bridge.ready()
        self._prepared.add(number)

    def call(self, number):
        alone = number not in self._prepared
        if alone:
            self.ready(number)
        bridge = self._bridges[number]
        if not self._answer:
            bridge.reference()
        elif bridge.call():
            raise Refusal(f"custom_kernel: {one_line(bridge.problem())}", "", "contract")
        if alone:
            self.done(number)

    def done(self, number):
        self._prepared.discard(number)
        if self._answer:
            self._bridges[number].answered()
        found = [self._torch.from_numpy(each) for each in tensors_of(self._bridges[number].arrays(Bridge.OUTPUT))]
        given = list(self._outputs[number].values())
        if [tuple(each.shape) for each in found] != [tuple(each.shape) for each in given]:
            raise Refusal(f"the answer gives {[tuple(each.shape) for each in found]}; expected "
                          f"{[tuple(each.shape) for each in given]}", "return what the reference returns", "contract")
        for tensor, to in zip(found, given):
            to.copy_(tensor)


class Submission:
    name = "submission"

    def __init__(self):
        self._function = None
        self._key = None
        self._host = None

    def versions(self, gpu):
        return {}

    def prepare(self, case, gpu, sets):
        with open(case.options["description"], encoding="utf-8") as file:
            self._description = json.load(file)
        role, path = case.options["role"], case.options.get("submission", "")
        if self._description["style"] == STYLE:
            return self._prepare_host(gpu, sets, role, path)
        key = (role, path, case.options["description"])
        if key != self._key:
            self._function = self._load(gpu.torch, role, path)
            self._key = key
        self._data = [self._data_of(own) for own in sets]
        self._given = [own.outputs() for own in sets]
        self._outputs = [entry["name"] for entry in self._description["outputs"]]
        # Checked here once: a wrong shape is the answer's fault and has nothing to do with timing.
        self._check(self._results(0))
        gpu.synchronize()
        return os.path.basename(path) if role == "answer" else f"the task's reference, {role}"

    def _prepare_host(self, gpu, sets, role, path):
        name = os.path.basename(path)
        if role == "answer" and not path.endswith(ENDINGS):
            raise Refusal(f"{name} is no CUDA C++", "the task is of C++: its answers define output_t custom_kernel(input_t)")
        outputs = [{each["name"]: own.outputs()[each["name"]] for each in self._description["outputs"]} for own in sets]
        try:
            self._host = HostCalls(gpu.torch, open_task(self._description), path if role == "answer" else None,
                                   [self._data_of(own) for own in sets], outputs)
            self._host.call(0)
        except CudaTaskError as error:
            raise Refusal(f"{name if role == 'answer' else 'the task'} cannot be used: {one_line(error)}") from None
        gpu.synchronize()
        return name if role == "answer" else "the task's reference, on the host"

    @property
    def ready(self):
        return self._host.ready if self._host else None

    @property
    def done(self):
        return self._host.done if self._host else None

    def _load(self, torch, role, path):
        description = self._description
        try:
            task = open_task(description)
            if role != "answer":
                function = task.reference(torch, lambda model: model.cuda())
                return torch.compile(function, dynamic=False) if role == "compile" else function
            if path.endswith((".cu", ".cuh", ".cpp")):
                compiled = load_cuda(path)
                return (lambda data: compiled(*data)) if description["style"] == MODEL else compiled
            module = load_module(path, "assay_submission")
            if description["style"] == GPU_MODE:
                if not callable(getattr(module, "custom_kernel", None)):
                    raise Refusal(f"{os.path.basename(path)} has no function custom_kernel")
                return module.custom_kernel
            if not hasattr(module, "ModelNew"):
                raise Refusal(f"{os.path.basename(path)} has no class ModelNew")
            model = make_model(torch, module, "ModelNew", task.init_inputs()).cuda()
            return lambda data: model(*data)
        except Refusal:
            raise
        except (Exception, SystemExit) as error:
            what = f"{type(error).__name__}: {one_line(error)}"
            raise Refusal(f"{os.path.basename(path) or 'the task'} cannot be loaded: {what}") from error

    def _data_of(self, own):
        tensors = {}
        inputs, outputs = own.inputs(), own.outputs()
        for entry in self._description["inputs"]:
            name = entry["name"]
            own_tensor = outputs[entry["destination"]] if entry["destination"] else inputs[name]
            tensors[name] = own_tensor if entry["shape"] else own_tensor.reshape(())
        return put_together(self._description["input_structure"], tensors)

    def _results(self, number):
        result = self._function(self._data[number])
        try:
            _, found = take_apart(result, self._outputs)
        except BadTask as error:
            raise Refusal(str(error), "return tensors, as the reference does", "contract") from None
        return found

    def _check(self, found):
        for entry in self._description["outputs"]:
            name = entry["name"]
            if name not in found:
                raise Refusal(f"the answer gives no '{name}'", "return what the reference returns", "contract")
            if [int(n) for n in found[name].shape] != entry["shape"]:
                raise Refusal(f"'{name}' has the shape {[int(n) for n in found[name].shape]}; expected {entry['shape']}",
                              "return what the reference returns", "contract")

    def call(self, number):
        if self._host:
            self._host.call(number)
            return None  # in place
        found = self._results(number)
        given = self._given[number]
        if all(found[name].data_ptr() == given[name].data_ptr() for name in self._outputs):
            return None  # written in place
        return {name: found[name] if found[name].shape else found[name].reshape(1) for name in self._outputs}


if __name__ == "__main__":
    sys.exit(main(Submission()))
