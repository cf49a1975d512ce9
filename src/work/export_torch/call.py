# SPDX-License-Identifier: MIT
"""One call of the kernel: the names of its shape from the tensors, then outputs, parameters and launches.

kernel.json says what kernel.toml said. Nothing is compiled: `modules` holds machine code and PTX.
"""

import json
import pathlib

import torch

from .driver import Driver, Module, scalar_bytes
from .expression import Expression, Mistake, expand
from .launch_function import LaunchFunction
from .texture import Textures

FOLDER = pathlib.Path(__file__).resolve().parent
TORCH_NAMES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i8": "int8", "i16": "int16",
               "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
               "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2", "i4": "uint8", "u4": "uint8", "bool": "bool",
               "c64": "complex64", "c128": "complex128"}
POINTER_BYTES, MAP_BYTES, MAP_ALIGNMENT = 8, 128, 64


def torch_type(name):
    kind = getattr(torch, TORCH_NAMES[name], None)
    if kind is None:
        raise TypeError(f"this PyTorch has no type for {name}")
    return kind


def is_packed(dtype):
    return dtype in ("i4", "u4")


def dense(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.insert(0, step)
        step = step * (size if size != 0 else 1)
    return strides


class Argument:
    def __init__(self, entry):
        self.__dict__.update(entry)
        for name in ("shape", "strides", "box", "element_strides"):
            if name in entry:
                setattr(self, name, [Expression(text) for text in entry[name]])
        for name in ("value", "offset", "count", "step"):
            if name in entry:
                setattr(self, name, Expression(entry[name]))

    @property
    def is_given(self):
        return self.kind == "tensor" and self.role in ("input", "inout")


class Tensor:
    """What a tensor of this call must be."""

    def __init__(self, argument, scope):
        self.dtype = expand(argument.dtype, scope)
        self.shape = [size.integer(scope) for size in argument.shape]
        if is_packed(self.dtype) and self.shape:
            self.shape[-1] = (self.shape[-1] + 1) // 2  # two elements in a byte
        self.strides = [step.integer(scope) for step in argument.strides] or dense(self.shape)

    def empty(self, device):
        return torch.empty_strided(tuple(self.shape), tuple(self.strides), dtype=torch_type(self.dtype), device=device)

    def fits(self, tensor):
        return all(size == 1 or has == wanted for size, has, wanted in zip(self.shape, tensor.stride(), self.strides))


class Kernel:
    def __init__(self, description):
        self.description = description
        self.name = description["name"]
        self.arguments = [Argument(entry) for entry in description["arguments"]]
        self.by_name = {argument.name: argument for argument in self.arguments}
        self.lets = [(name, Expression(text)) for name, text in description["lets"]]
        self.constraints = [Expression(text) for text in description["constraints"]]
        self.modules, self.textures = {}, {}
        self.driver = None
        self.function = None
        for stage in description["stages"]:
            for name in ("grid", "block", "cluster"):
                stage[name] = [Expression(text) for text in stage[name]]
            stage["shared_bytes"] = Expression(stage["shared_bytes"])

    # --- names of the shape

    def scope(self, given, settings):
        """Every name that an expression may use, from the tensors and what else was said."""
        scope = dict(self.description["configuration"])
        for name, value in settings.items():
            if value is not None:
                scope[name] = self.type_name(value) if isinstance(value, torch.dtype) else value
        for argument in self.arguments:
            if argument.is_given:
                self.bind(argument, given[argument.name], scope)
        for dimension in self.description["dimensions"]:
            if dimension["name"] not in scope and "default" in dimension:
                scope[dimension["name"]] = dimension["default"]
            if dimension["name"] not in scope:
                raise ValueError(f"{self.name}: nothing says what {dimension['name']} is; give it by name")
        for name, value in self.lets:
            scope[name] = value.value(scope)
        for constraint in self.constraints:
            if not constraint.holds(scope):
                raise ValueError(f"{self.name} is not for this shape: {constraint.text} does not hold")
        return scope

    @staticmethod
    def type_name(kind):
        for name, spelled in TORCH_NAMES.items():
            if getattr(torch, spelled, None) == kind and not is_packed(name):
                return name
        raise TypeError(f"kernels have no type like {kind}")

    def bind(self, argument, tensor, scope):
        if tensor.dim() != len(argument.shape):
            raise ValueError(f"{self.name}: {argument.name} has {tensor.dim()} dimensions; expected {len(argument.shape)}")
        names = {dimension["name"] for dimension in self.description["dimensions"]}
        if argument.dtype.startswith("{") and argument.dtype.endswith("}") and argument.dtype[1:-1] in names:
            self.set(scope, argument.dtype[1:-1], self.type_name(tensor.dtype), argument)
        for at, (size, actual) in enumerate(zip(argument.shape, tensor.shape)):
            if size.text in names:
                packed = is_packed(argument.dtype) and at == len(argument.shape) - 1
                self.set(scope, size.text, 2 * actual if packed else actual, argument)

    def set(self, scope, name, value, argument):
        if name in scope and scope[name] != value:
            raise ValueError(f"{self.name}: {argument.name} says {name} = {value}, others {scope[name]}")
        scope[name] = value

    # --- tensors

    def check(self, argument, wanted, tensor):
        if tensor.dtype != torch_type(wanted.dtype):
            raise TypeError(f"{self.name}: {argument.name} is {tensor.dtype}; expected {torch_type(wanted.dtype)}")
        if list(tensor.shape) != list(wanted.shape):
            raise ValueError(f"{self.name}: {argument.name} is {tuple(tensor.shape)}; expected {tuple(wanted.shape)}")

    def laid_out(self, argument, wanted, tensor):
        """As the kernel reads it; a copy where it lies in memory otherwise."""
        if wanted.fits(tensor):
            return tensor
        if argument.role == "inout":
            raise ValueError(f"{self.name}: {argument.name} has strides {tuple(tensor.stride())}; "
                             f"expected {tuple(wanted.strides)}, and it is written in place")
        copy = wanted.empty(tensor.device)
        copy.copy_(tensor)
        return copy

    def outputs(self, given, settings):
        """Empty ones of the right shape: also what the compiler asks for."""
        scope = self.scope(given, settings)
        device = next((tensor.device for tensor in given.values()), "cuda")
        return [Tensor(argument, scope).empty(device) for argument in self.arguments
                if argument.kind == "tensor" and argument.role == "output"]

    # --- launches

    def run(self, given, settings):
        scope = self.scope(given, settings)
        device = next((tensor.device for tensor in given.values()), torch.device("cuda"))
        if any(tensor.device != device for tensor in given.values()):
            raise ValueError(f"{self.name}: tensors are on different devices")
        if device.type != "cuda":
            raise ValueError(f"{self.name}: tensors are on {device}; expected a GPU")
        tensors = {}
        for argument in self.arguments:
            if argument.kind != "tensor":
                continue
            wanted = Tensor(argument, scope)
            if argument.is_given:
                self.check(argument, wanted, given[argument.name])
                tensors[argument.name] = self.laid_out(argument, wanted, given[argument.name])
            else:
                tensors[argument.name] = wanted.empty(device)
        with torch.cuda.device(device):
            self.launch(Launch(self, scope, tensors, device))
        return [tensors[argument.name] for argument in self.arguments
                if argument.kind == "tensor" and argument.role == "output"]

    def module(self, device):
        index = device.index if device.index is not None else torch.cuda.current_device()
        self.driver = self.driver or Driver()
        self.driver.enter(index)
        if index not in self.modules:
            self.modules[index] = Module(self.driver, self.image(torch.cuda.get_device_capability(index)))
            self.textures[index] = Textures(self.driver)
        return self.modules[index], self.textures[index]

    def image(self, capability):
        """Machine code for this GPU if there is some, else PTX, which the driver compiles."""
        major, minor = capability
        code, text = None, None
        for module in self.description["modules"]:
            number, special = module["number"], module["special"]
            same = number // 10 == major and number % 10 <= minor
            if "cubin" in module and (number == 10 * major + minor if special else same):
                code = max(code or (0, ""), (number, module["cubin"]))
            if "ptx" in module and (number == 10 * major + minor if special else number <= 10 * major + minor):
                text = max(text or (0, ""), (number, module["ptx"]))
        if not code and not text:
            targets = ", ".join(module["target"] for module in self.description["modules"])
            raise RuntimeError(f"{self.name} was built for {targets}; this GPU is sm_{major}{minor}")
        return (FOLDER / (code or text)[1]).read_bytes()

    def launch(self, call):
        module, textures = self.module(call.device)
        call.stream = torch.cuda.current_stream(call.device).cuda_stream
        call.write_variables(module, self.driver)
        call.fill_textures(textures)
        self.launch_by_function(call, module) if "launch" in self.description else self.launch_stages(call, module)
        call.drain_textures()
        call.read_variables(module, self.driver)

    def launch_by_function(self, call, module):
        if self.function is None:
            self.function = LaunchFunction(FOLDER / self.description["launch"]["library"],
                                           self.description["launch"]["names"])
        for entry, grid, block, cluster, shared_bytes, cooperative, programmatic, parameters in \
                self.function.launches(call.request(self.driver)):
            if 0 not in grid:
                module.launch(entry, parameters, grid, block, shared_bytes, call.stream, cluster, cooperative, programmatic)

    def launch_stages(self, call, module):
        for stage in self.description["stages"]:
            grid, block, cluster = (self.extent(stage[name], call.scope) for name in ("grid", "block", "cluster"))
            if 0 in grid:
                continue  # nothing to do
            entry = expand(stage["entry"], call.scope)
            module.launch(self.description["entries"].get(entry, entry), call.parameters(stage["arguments"], self.driver),
                          grid, block, stage["shared_bytes"].integer(call.scope), call.stream,
                          cluster if stage["cluster"] else None, stage["cooperative"], stage["programmatic"],
                          stage.get("priority"), stage.get("shared_carveout"))

    @staticmethod
    def extent(expressions, scope):
        sizes = [expression.integer(scope) for expression in expressions]
        return tuple(sizes + [1] * (3 - len(sizes)))


class Launch:
    """The bytes of every parameter of one call."""

    def __init__(self, kernel, scope, tensors, device):
        self.kernel, self.scope, self.tensors, self.device, self.stream = kernel, scope, tensors, device, 0
        self.kept = []  # arrays of pointers and values of variables: memory that the launches use
        self.objects = {}  # of textures and surfaces, by argument
        self.arrays = {}   # {array: (address of its tensor, whether it is copied back)}

    def address(self, name, offset=0):
        tensor = self.tensors[name]
        size = tensor.element_size() / 2 if is_packed(self.kernel.by_name[name].dtype) else tensor.element_size()
        return tensor.data_ptr() + int(offset * size)

    def in_memory(self, numbers):
        kept = torch.tensor(numbers, dtype=torch.int64, device=self.device)
        self.kept.append(kept)
        return kept.data_ptr()

    def pointers(self, argument):
        if not hasattr(argument, "count"):
            return self.in_memory([self.address(name) for name in argument.of])
        count, step = argument.count.integer(self.scope), argument.step.integer(self.scope)
        return self.in_memory([self.address(argument.of[0], i * step) for i in range(count)])

    def value(self, argument, driver):
        """Bytes, and their alignment."""
        if argument.kind == "scalar":
            kind = expand(argument.type, self.scope)
            number = argument.value.value(self.scope)
            whole = kind in ("f16", "bf16", "f32", "f64")
            encoded = scalar_bytes(kind, number if whole else int(number))
            return encoded, len(encoded)
        if argument.kind == "tensor_map":
            return self.tensor_map(argument, driver), MAP_ALIGNMENT
        if argument.kind == "view":
            offset = argument.offset.integer(self.scope) if hasattr(argument, "offset") else 0
            address = self.address(argument.of, offset)
        elif argument.kind == "pointers":
            address = self.pointers(argument)
        elif argument.kind == "texture":
            address = self.objects[argument.name]
        else:
            address = self.address(argument.name)
        return address.to_bytes(POINTER_BYTES, "little"), POINTER_BYTES

    def tensor_map(self, argument, driver):
        wanted = Tensor(self.kernel.by_name[argument.of], self.scope)
        size = self.tensors[argument.of].element_size()
        ones = [1] * len(wanted.shape)
        box = [extent.integer(self.scope) for extent in argument.box]
        if hasattr(argument, "im2col"):
            number = lambda text: Expression(text).integer(self.scope)  # noqa: E731
            box = {name: [number(text) for text in texts] if isinstance(texts, list) else number(texts)
                   for name, texts in argument.im2col.items()}
        return driver.tensor_map(wanted.dtype, self.address(argument.of), wanted.shape,
                                 [step * size for step in wanted.strides], box,
                                 [step.integer(self.scope) for step in argument.element_strides] or ones,
                                 argument.swizzle, argument.interleave, argument.l2_promotion, argument.out_of_bounds_nan)

    def parameters(self, names, driver):
        """Fields of one structure share a parameter, laid out as C++ does it."""
        parameters, structure, alignment, given = [], None, 1, None

        def close():
            if structure:
                size = max(given or 0, len(parameters[-1]))
                size = size if given else -(-size // alignment) * alignment
                parameters[-1] += bytes(size - len(parameters[-1]))

        for name in names:
            argument = self.kernel.by_name[name]
            encoded, own = self.value(argument, driver)
            if not argument.structure or argument.structure != structure:
                close()
                structure, alignment, given = argument.structure, 1, None
                parameters.append(b"")
            end = len(parameters[-1])
            at = getattr(argument, "at", None)
            at = -(-end // own) * own if at is None else at
            body = parameters[-1] + bytes(max(0, at - end))
            parameters[-1] = body[:at] + encoded + body[at + len(encoded):]
            alignment = max(alignment, own)
            given = getattr(argument, "structure_bytes", None) or given
        close()
        return parameters

    def fill_textures(self, textures):
        for argument in self.kernel.arguments:
            if argument.kind != "texture":
                continue
            wanted, address = Tensor(self.kernel.by_name[argument.of], self.scope), self.address(argument.of)
            self.objects[argument.name], arrays = textures.make(argument, wanted.dtype, wanted.shape, address, self.stream)
            levels = argument.mipmap["levels"] if argument.mipmap else []
            for array, tensor in zip(arrays, [argument.of] + levels):
                _, written = self.arrays.get(array, (None, False))
                self.arrays[array] = (self.address(tensor), written or argument.surface)
        for array, (address, _) in self.arrays.items():
            array.copy(address, True, self.stream)

    def drain_textures(self):
        for array, (address, written) in self.arrays.items():
            if written:
                array.copy(address, False, self.stream)

    def request(self, driver):
        """What a launch function may ask for, as lines."""
        lines = [f"number {name} {float(value):.17g}" for name, value in self.scope.items() if not isinstance(value, str)]
        for argument in self.kernel.arguments:
            if argument.kind == "scalar":
                lines.append(f"number {argument.name} {float(argument.value.value(self.scope)):.17g}")
            if argument.kind == "tensor" and not argument.variable:
                lines.append(f"pointer {argument.name} {self.address(argument.name):x}")
            if argument.kind == "pointers":
                lines.append(f"pointer {argument.name} {self.pointers(argument):x}")
            if argument.passed and not argument.structure and not argument.variable:
                lines.append(f"bytes {argument.name} {self.value(argument, driver)[0].hex()}")
        return "\n".join(lines) + "\n"

    def variables(self):
        return [argument for argument in self.kernel.arguments if getattr(argument, "variable", "")]

    def write_variables(self, module, driver):
        for argument in self.variables():
            address, size = module.variable(argument.variable)
            if argument.kind == "tensor":
                if argument.role in ("input", "inout"):
                    tensor = self.tensors[argument.name]
                    driver.copy(address, tensor.data_ptr(), min(size, tensor.numel() * tensor.element_size()), self.stream)
                continue
            encoded, _ = self.value(argument, driver)
            kept = torch.tensor(list(encoded), dtype=torch.uint8, device=self.device)
            self.kept.append(kept)
            driver.copy(address, kept.data_ptr(), min(size, len(encoded)), self.stream)

    def read_variables(self, module, driver):
        for argument in self.variables():
            if argument.kind == "tensor" and argument.role in ("output", "inout"):
                address, size = module.variable(argument.variable)
                tensor = self.tensors[argument.name]
                driver.copy(tensor.data_ptr(), address, min(size, tensor.numel() * tensor.element_size()), self.stream)


def load():
    return Kernel(json.loads((FOLDER / "kernel.json").read_text()))


__all__ = ["Kernel", "Mistake", "load"]
