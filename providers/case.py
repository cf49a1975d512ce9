# SPDX-License-Identifier: MIT
"""One case as `prepare` describes it, checked: arguments, their layout, input files, how to time."""

import dataclasses
import math
import os

from channel import Refusal

ELEMENT_BYTES = {
    "f16": 2, "bf16": 2, "f32": 4, "f64": 8, "i8": 1, "i16": 2, "i32": 4, "i64": 8,
    "u8": 1, "u16": 2, "u32": 4, "u64": 8, "e4m3": 1, "e5m2": 1,
}
ROLES = ("input", "output", "inout", "scalar")


@dataclasses.dataclass(frozen=True)
class Tensor:
    name: str
    role: str
    dtype: str
    shape: tuple
    strides: tuple  # in elements
    bytes: int

    @property
    def is_output(self):
        return self.role in ("output", "inout")

    @property
    def has_contents(self):
        return self.role in ("input", "inout")


@dataclasses.dataclass(frozen=True)
class Gate:
    cycles: int       # for each call behind it, at first
    growth: int       # as long as this many before, at the next try
    most_cycles: int  # behind this one samples are kept as they are
    calls: int        # samples behind one gate


@dataclasses.dataclass(frozen=True)
class Timing:
    protocol: str
    cold: bool
    flush_bytes: int
    calls: int
    delay_cycles: int
    placement: int  # pieces of unused memory before the arguments, which so lie elsewhere
    instruments: str
    gate: Gate
    warm_up_calls: int


@dataclasses.dataclass(frozen=True)
class Case:
    reference: str
    problem_options: dict
    dims: dict
    tensors: dict  # name: Tensor, in the order of the arguments
    scalars: dict  # name: value
    sets: list     # of {name: file}
    options: dict
    timing: Timing

    def outputs(self):
        return [tensor for tensor in self.tensors.values() if tensor.is_output]

    def parameter(self, name, otherwise):
        """A scalar argument, else a dimension, else the default: the rule of the references."""
        return self.scalars.get(name, self.dims.get(name, otherwise))


def whole(value, what, least=0):
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise Refusal(f"{what} is {value!r}; expected a whole number of at least {least}")
    return value


def read_scalar(entry):
    """A number as the type has it: JSON may carry a whole number as 8.0."""
    value, dtype = entry["value"], entry.get("dtype", "f64")
    if isinstance(value, str):
        value = float(value)
    if dtype == "bool":
        return bool(value)
    return int(value) if dtype[0] in "iu" else value


def read_tensor(entry):
    name, dtype = entry["name"], entry["dtype"]
    if dtype not in ELEMENT_BYTES:
        raise Refusal(f"argument '{name}' has the unknown dtype '{dtype}'")
    shape = tuple(whole(n, f"the shape of '{name}'", 1) for n in entry["shape"])
    strides = tuple(whole(n, f"a stride of '{name}'") for n in entry.get("strides", dense_strides(shape)))
    if len(strides) != len(shape):
        raise Refusal(f"argument '{name}' has {len(shape)} dimensions and {len(strides)} strides")
    reach = (1 + sum((n - 1) * stride for n, stride in zip(shape, strides))) * ELEMENT_BYTES[dtype]
    size = whole(entry.get("bytes", reach), f"the size of '{name}'", 1)
    if size < reach or size % ELEMENT_BYTES[dtype]:
        raise Refusal(f"argument '{name}' of {size} bytes does not fit its layout, which needs {reach}")
    return Tensor(name, entry["role"], dtype, shape, strides, size)


def dense_strides(shape):
    return tuple(math.prod(shape[i + 1:]) for i in range(len(shape)))


MOST_CALLS_BEHIND_GATE = 256  # the queue of a stream is finite


def read_gate(entry, protocol):
    gate = Gate(whole(entry["cycles"], "the cycles of the gate", 1), whole(entry["growth"], "the growth of the gate", 2),
                whole(entry["most_cycles"], "the most cycles of the gate"), whole(entry["calls"], "calls behind a gate", 1))
    if gate.calls > MOST_CALLS_BEHIND_GATE:
        raise Refusal(f"{gate.calls} calls behind one gate; expected at most {MOST_CALLS_BEHIND_GATE}")
    if protocol == "graph" and gate.calls != 1:
        raise Refusal(f"{gate.calls} calls behind one gate; a graph stands alone")
    return gate


def read_timing(entry):
    """None of these has a default here: the parent decides how all contenders are timed."""
    for name in ("protocol", "cache", "flush_bytes", "calls", "delay_cycles", "placement", "instruments", "gate",
                 "warm_up_calls"):
        if name not in entry:
            raise Refusal(f"timing has no \"{name}\"")
    for name in ("cycles", "growth", "most_cycles", "calls"):
        if name not in entry["gate"]:
            raise Refusal(f"timing.gate has no \"{name}\"")
    if entry["protocol"] not in ("graph", "event"):
        raise Refusal(f"unknown protocol '{entry['protocol']}'; expected graph or event")
    if entry["cache"] not in ("warm", "cold"):
        raise Refusal(f"unknown cache state '{entry['cache']}'; expected warm or cold")
    return Timing(entry["protocol"], entry["cache"] == "cold", whole(entry["flush_bytes"], "flush_bytes"),
                  whole(entry["calls"], "calls", 1), whole(entry["delay_cycles"], "delay_cycles"),
                  whole(entry["placement"], "placement"), entry["instruments"],
                  read_gate(entry["gate"], entry["protocol"]), whole(entry["warm_up_calls"], "warm_up_calls"))


def read_case(request):
    tensors, scalars = {}, {}
    for entry in request["arguments"]:
        if entry.get("role") not in ROLES:
            raise Refusal(f"argument '{entry.get('name')}' has the unknown role '{entry.get('role')}'")
        if entry["role"] == "scalar":
            scalars[entry["name"]] = read_scalar(entry)
        else:
            tensors[entry["name"]] = read_tensor(entry)
    sets = request["sets"]
    if not sets:
        raise Refusal("a case needs at least one set of inputs")
    for number, files in enumerate(sets):
        for name, tensor in tensors.items():
            if tensor.has_contents and name not in files:
                raise Refusal(f"set {number} has no file for '{name}'")
    problem = request.get("problem", {})
    return Case(problem.get("reference", ""), problem.get("options", {}), request.get("dims", {}), tensors, scalars,
                sets, request.get("options", {}), read_timing(request["timing"]))


def read_contents(tensor, path, memory):
    """Puts the bytes of one argument into `memory`; the file must be exactly as long as the argument."""
    size = os.path.getsize(path)
    if size != tensor.bytes:
        raise Refusal(f"the file for '{tensor.name}' has {size} bytes; expected {tensor.bytes}")
    with open(path, "rb", buffering=0) as file:
        rest = memoryview(memory).cast("B")
        while rest:
            count = file.readinto(rest)
            if not count:
                raise Refusal(f"the file for '{tensor.name}' became shorter while it was read")
            rest = rest[count:]
    return memory
