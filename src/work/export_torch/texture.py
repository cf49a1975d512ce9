# SPDX-License-Identifier: MIT
"""Textures and surfaces over tensors. An array is a copy of a tensor: it is filled before the launches and, if a surface
is over it, copied back behind them, on the stream of the call.

Arrays and objects are kept for the next call of the same shape on the same stream: a launch may still use them, and so
may a CUDA graph that has captured the call."""

import collections
import ctypes

FORMATS = {"u8": (0x01, 1), "u16": (0x02, 2), "u32": (0x03, 4), "i8": (0x08, 1), "i16": (0x09, 2), "i32": (0x0a, 4),
           "f16": (0x10, 2), "f32": (0x20, 4)}  # CUarray_format, bytes
LAYERED, SURFACE, CUBEMAP, GATHER = 1, 2, 4, 8  # CUDA_ARRAY3D_*
ARRAY, MIPMAP, LINEAR, PITCH = 0, 1, 2, 3       # CUresourcetype
DEVICE_MEMORY, ARRAY_MEMORY = 2, 3              # CUmemorytype
MODES = {"wrap": 0, "clamp": 1, "mirror": 2, "border": 3}
READ_AS_INTEGER, NORMALISED, SRGB = 1, 2, 16    # CU_TRSF_*

Layout = collections.namedtuple("Layout", "shape width height slices")
size_t, pointer, c_int, c_uint = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint


class ArrayDescription(ctypes.Structure):
    _fields_ = [("width", size_t), ("height", size_t), ("depth", size_t), ("format", c_int), ("channels", c_uint),
                ("flags", c_uint)]


class Linear(ctypes.Structure):
    _fields_ = [("address", ctypes.c_uint64), ("format", c_int), ("channels", c_uint), ("bytes", size_t)]


class Pitched(ctypes.Structure):
    _fields_ = [("address", ctypes.c_uint64), ("format", c_int), ("channels", c_uint), ("width", size_t),
                ("height", size_t), ("pitch", size_t)]


class Memory(ctypes.Union):
    _fields_ = [("array", pointer), ("linear", Linear), ("pitched", Pitched), ("reserved", c_int * 32)]


class Resource(ctypes.Structure):
    _fields_ = [("kind", c_int), ("memory", Memory), ("flags", c_uint)]


class TextureDescription(ctypes.Structure):
    _fields_ = [("modes", c_int * 3), ("filter", c_int), ("flags", c_uint), ("anisotropy", c_uint), ("mipmap", c_int),
                ("levels", ctypes.c_float * 3), ("border", ctypes.c_float * 4), ("reserved", c_int * 12)]


class Copy(ctypes.Structure):
    _fields_ = [(f"{side}_{name}", kind) for side in ("source", "target") for name, kind in (
        ("x", size_t), ("y", size_t), ("z", size_t), ("level", size_t), ("memory", c_int), ("host", pointer),
        ("device", ctypes.c_uint64), ("array", pointer), ("reserved", pointer), ("pitch", size_t), ("height", size_t))] + \
        [("width", size_t), ("height", size_t), ("depth", size_t)]


def layout(argument, shape):
    """What the dimensions of the tensor are to the texture."""
    sizes = list(reversed(shape))
    if argument.channels > 1:
        if not sizes or sizes[0] != argument.channels:
            raise ValueError(f"{argument.name} has {argument.channels} channels; expected the last dimension of "
                             f"{argument.of} to be as long")
        sizes = sizes[1:]
    rank = len(sizes)
    if argument.memory != "array":
        kind, wanted = argument.memory, 1 if argument.memory == "linear" else 2
    elif argument.cube:
        kind, wanted = "acube" if argument.layered else "cube", 3
    elif argument.layered:
        kind, wanted = {2: "a1d", 3: "a2d"}.get(rank), rank
    else:
        kind, wanted = {1: "1d", 2: "2d", 3: "3d"}.get(rank), rank
    if kind is None or rank != wanted:
        raise ValueError(f"{argument.name} cannot be a texture of {argument.of}, which has {rank} dimensions beside channels")
    if kind == "a1d":
        return Layout(kind, sizes[0], 1, sizes[1])
    return Layout(kind, sizes[0], sizes[1] if rank > 1 else 1, sizes[2] if rank > 2 else 1)


class Array:
    """Memory of the GPU that textures and surfaces read."""

    def __init__(self, driver, handle, row_bytes, rows, slices):
        self.driver, self.handle, self.row_bytes, self.rows, self.slices = driver, handle, row_bytes, rows, slices

    def copy(self, address, into, stream):
        copy = Copy(width=self.row_bytes, height=self.rows, depth=self.slices)
        plain, own = ("source", "target") if into else ("target", "source")
        for side, values in ((plain, {"memory": DEVICE_MEMORY, "device": address, "pitch": self.row_bytes,
                                      "height": self.rows}), (own, {"memory": ARRAY_MEMORY, "array": self.handle.value})):
            for name, value in values.items():
                setattr(copy, f"{side}_{name}", value)
        self.driver.call("cuMemcpy3DAsync_v2", ctypes.byref(copy), pointer(stream))


class Textures:
    """The arrays and objects of one device."""

    def __init__(self, driver):
        self.driver, self.arrays, self.objects = driver, {}, {}

    def array(self, argument, form, code, row_bytes, stream):
        kind = form.shape
        flags = SURFACE | (LAYERED if kind[0] == "a" else 0) | (CUBEMAP if kind.endswith("cube") else 0) | \
            (GATHER if kind == "2d" else 0)
        description = ArrayDescription(form.width, 0 if kind in ("1d", "a1d") else form.height,
                                       form.slices if kind not in ("1d", "2d") else 0, code, argument.channels, flags)
        key = (stream, argument.of, form, code, argument.channels)  # a texture and a surface over one tensor share it
        if key not in self.arrays:
            handle = pointer()
            self.driver.call("cuArray3DCreate_v2", ctypes.byref(handle), ctypes.byref(description))
            self.arrays[key] = Array(self.driver, handle, row_bytes, form.height, form.slices)
        return self.arrays[key]

    def mipmap(self, argument, form, code, texel_bytes, stream):
        """The handle of a mipmap, and the arrays of its levels, each half as wide and high as the one before it."""
        kind, levels = form.shape, 1 + len(argument.mipmap["levels"])
        key = (stream, argument.of, tuple(argument.mipmap["levels"]), form, code, argument.channels)
        if key in self.arrays:
            return self.arrays[key]
        flags = (LAYERED if kind[0] == "a" else 0) | (CUBEMAP if kind.endswith("cube") else 0)
        description = ArrayDescription(form.width, 0 if kind in ("1d", "a1d") else form.height,
                                       form.slices if kind not in ("1d", "2d") else 0, code, argument.channels, flags)
        whole, arrays, sizes = pointer(), [], list(form[1:])
        self.driver.call("cuMipmappedArrayCreate", ctypes.byref(whole), ctypes.byref(description), c_uint(levels))
        for level in range(levels):
            handle = pointer()
            self.driver.call("cuMipmappedArrayGetLevel", ctypes.byref(handle), whole, c_uint(level))
            arrays.append(Array(self.driver, handle, sizes[0] * texel_bytes, sizes[1], sizes[2]))
            sizes = [max(1, size // 2) if i < 2 or kind == "3d" else size for i, size in enumerate(sizes)]
        self.arrays[key] = (whole, arrays)
        return self.arrays[key]

    def make(self, argument, dtype, shape, address, stream):
        """The object, and the arrays behind it: of a mipmap one for each level, of the tensor's own memory none."""
        if dtype not in FORMATS:
            raise TypeError(f"{argument.name}: there are no textures of {dtype}")
        form, (code, size) = layout(argument, shape), FORMATS[dtype]
        row_bytes = form.width * argument.channels * size
        resource, arrays = Resource(kind=ARRAY), []
        if argument.memory == "linear":
            resource.kind = LINEAR
            resource.memory.linear = Linear(address, code, argument.channels, row_bytes)
        elif argument.memory == "pitch":
            resource.kind = PITCH
            resource.memory.pitched = Pitched(address, code, argument.channels, form.width, form.height, row_bytes)
        elif argument.mipmap:
            whole, arrays = self.mipmap(argument, form, code, argument.channels * size, stream)
            resource.kind, resource.memory.array = MIPMAP, whole.value
        else:
            arrays = [self.array(argument, form, code, row_bytes, stream)]
            resource.memory.array = arrays[0].handle.value
        key = (argument.name, arrays[0] if arrays else (address, form))
        if key not in self.objects:
            self.objects[key] = self.object(argument, dtype, form, resource)
        return self.objects[key], arrays

    def object(self, argument, dtype, form, resource):
        made = ctypes.c_uint64()
        if argument.surface:
            self.driver.call("cuSurfObjectCreate", ctypes.byref(made), ctypes.byref(resource))
            return made.value
        axes = 3 if form.shape == "3d" else 1 if form.shape in ("1d", "a1d", "linear") else 2
        modes = argument.address or ["clamp"]
        modes = modes * 3 if len(modes) == 1 else modes + ["clamp"] * (3 - len(modes))
        border = argument.border * 4 if len(argument.border) == 1 else argument.border
        integers = dtype[0] != "f" and not argument.fractions
        description = TextureDescription(filter=int(argument.linear), flags=(READ_AS_INTEGER if integers else 0) |
                                         (NORMALISED if argument.normalised else 0) | (SRGB if argument.srgb else 0))
        if argument.mipmap:
            description.mipmap = int(argument.mipmap["linear"])
            description.levels[:] = [argument.mipmap[name] for name in ("bias", "first", "last")]
        # An axis that the texture does not have is read too, at 0: a border there would be mixed in.
        description.modes[:] = [MODES[modes[i]] if i < axes else MODES["clamp"] for i in range(3)]
        description.border[:] = (list(border) + [0.0] * 4)[:4]
        self.driver.call("cuTexObjectCreate", ctypes.byref(made), ctypes.byref(resource), ctypes.byref(description), None)
        return made.value
