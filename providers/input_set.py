# SPDX-License-Identifier: MIT
"""One set of inputs with outputs of its own, in device memory, and what happens to them around a call.

A problem either writes into the outputs that it is given, or returns tensors that it allocated (PyTorch's functions
do). Returned tensors are copied to the set's outputs after the timed part, so that `read` and the fingerprint see the
layout that the argument has; and it is they that are poisoned before the call, since they are what it must write.
"""

from channel import Refusal
from case import read_contents


class InputSet:
    def __init__(self, gpu, case, files):
        self._gpu = gpu
        self._case = case
        self.buffers = {name: gpu.allocate(tensor) for name, tensor in case.tensors.items()}
        # What an inout argument holds before each call: the call itself changes it.
        self._originals = {name: gpu.allocate(t) for name, t in case.tensors.items() if t.role == "inout"}
        self.returned = None  # by the last call that was not captured
        for name, path in files.items():
            self.write(name, path)

    def inputs(self):
        return {name: self.buffers[name].view for name, t in self._case.tensors.items() if t.has_contents}

    def outputs(self):
        return {tensor.name: self.buffers[tensor.name].view for tensor in self._case.outputs()}

    def write(self, name, path):
        tensor = self._tensor(name)
        contents = read_contents(tensor, path, self._gpu.staging(tensor.bytes))
        self._gpu.upload(self.buffers[name], contents)
        if name in self._originals:
            self._gpu.upload(self._originals[name], contents)

    def read(self, name, path):
        self._tensor(name)
        with open(path, "wb") as file:
            file.write(self._gpu.download(self.buffers[name]))

    def _tensor(self, name):
        if name not in self._case.tensors:
            raise Refusal(f"there is no tensor argument '{name}'", "expected one of " + ", ".join(self._case.tensors))
        return self._case.tensors[name]

    def ready(self, poison, returned=None):
        """Poisons what the next call must write, and restores what it changes. `returned`: the tensors at whose
        addresses a captured call puts its results; without them, those of the last call are given back and their memory
        poisoned, which the allocator then hands to the next call."""
        for tensor in self._case.outputs():
            buffer = self.buffers[tensor.name]
            if tensor.role == "inout":
                self._gpu.copy(self._originals[tensor.name], buffer)
            else:
                self._gpu.fill(buffer.address, poison, tensor.bytes)
        if returned:
            for result in returned.values():
                self._gpu.poison_result(result, poison)
        elif self.returned:
            layouts = [self._gpu.layout(result) for result in self.returned.values()]
            self.returned = None
            self._gpu.poison_free_memory(layouts, poison)

    def collect(self, returned):
        """Puts results that the problem allocated into the outputs. Not part of the timed call."""
        if returned is None:
            return
        for tensor in self._case.outputs():
            if tensor.name not in returned:
                raise Refusal(f"the call returned no '{tensor.name}'")
            self._gpu.store(returned[tensor.name], tensor, self.buffers[tensor.name])

    def fingerprint(self, slot):
        for tensor in self._case.outputs():
            self._gpu.fingerprint(self.buffers[tensor.name].address, tensor.bytes, slot)
