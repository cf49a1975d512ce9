# SPDX-License-Identifier: MIT
"""Launches through the CUDA driver, opened at run time. Nothing here is compiled, and nothing knows PyTorch."""

import ctypes
import os
import struct

LIBRARY = os.environ.get("ASSAY_CUDA_DRIVER", "libcuda.so.1")
MAX_DYNAMIC_SHARED, CARVEOUT, NON_PORTABLE_CLUSTER = 8, 9, 14  # CUfunction_attribute
COOPERATIVE, CLUSTER, PROGRAMMATIC, PRIORITY = 2, 4, 6, 8      # CUlaunchAttributeID
JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES = 5, 6
DEFAULT_SHARED = 48 * 1024
MAP_TYPES = {"u8": 0, "i8": 0, "e4m3": 0, "e5m2": 0, "u16": 1, "i16": 1, "u32": 2, "i32": 3, "u64": 4, "i64": 5,
             "f16": 6, "f32": 7, "f64": 8, "bf16": 9}


class Attribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_char * 4), ("value", ctypes.c_int * 16)]


class Config(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint) for name in ("grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z",
                                                   "shared_bytes")] + \
               [("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(Attribute)), ("count", ctypes.c_uint)]


class DriverError(RuntimeError):
    pass


class Driver:
    def __init__(self):
        try:
            self.library = ctypes.CDLL(LIBRARY)
        except OSError as problem:
            raise DriverError(f"there is no CUDA driver ({LIBRARY}): {problem}") from None
        self.contexts = {}
        self.call("cuInit", 0)

    def call(self, name, *arguments):
        result = getattr(self.library, name)(*arguments)
        if result != 0:
            text = ctypes.c_char_p()
            self.library.cuGetErrorName(result, ctypes.byref(text))
            raise DriverError(f"{name}: {text.value.decode() if text.value else result}")

    def enter(self, device):
        """Makes the device's primary context current, which is the one that PyTorch uses."""
        if device not in self.contexts:
            handle, context = ctypes.c_int(), ctypes.c_void_p()
            self.call("cuDeviceGet", ctypes.byref(handle), device)
            self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), handle)
            self.contexts[device] = context
        self.call("cuCtxSetCurrent", self.contexts[device])

    def copy(self, to, source, size, stream):
        self.call("cuMemcpyDtoDAsync_v2", ctypes.c_uint64(to), ctypes.c_uint64(source), ctypes.c_size_t(size),
                  ctypes.c_void_p(stream))

    def tensor_map(self, dtype, address, dims, stride_bytes, box, element_strides, swizzle, interleave, promotion, nan):
        """128 bytes; the driver counts dimensions from the contiguous one. A dictionary for a box: im2col."""
        rank = len(dims)
        memory = ctypes.create_string_buffer(256)
        aligned = (ctypes.addressof(memory) + 127) // 128 * 128
        as_u64 = lambda values: (ctypes.c_uint64 * max(len(values), 1))(*values)  # noqa: E731
        as_u32 = lambda values: (ctypes.c_uint32 * rank)(*values)                 # noqa: E731
        function, moved = "cuTensorMapEncodeTiled", None
        if isinstance(box, dict):
            corner = lambda values: (ctypes.c_int * len(values))(*values[::-1])   # noqa: E731
            function = "cuTensorMapEncodeIm2col"
            moved = [corner(box["lower"]), corner(box["upper"]), ctypes.c_uint32(box["channels"]),
                     ctypes.c_uint32(box["pixels"])]
        self.call(function, ctypes.c_void_p(aligned), MAP_TYPES[dtype], ctypes.c_uint32(rank), ctypes.c_void_p(address),
                  as_u64(dims[::-1]), as_u64(stride_bytes[::-1][1:]), *(moved or [as_u32(box[::-1])]),
                  as_u32(element_strides[::-1]), {0: 0, 16: 1, 32: 2}[interleave], {0: 0, 32: 1, 64: 2, 128: 3}[swizzle],
                  {0: 0, 64: 1, 128: 2, 256: 3}[promotion], int(nan))
        return ctypes.string_at(aligned, 128)


class Module:
    """Machine code or PTX in the current context."""

    def __init__(self, driver, image):
        self.driver, self.functions, self.handle = driver, {}, ctypes.c_void_p()
        log = ctypes.create_string_buffer(8192)
        options = (ctypes.c_int * 2)(JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES)
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
        try:
            driver.call("cuModuleLoadDataEx", ctypes.byref(self.handle), ctypes.c_char_p(image + b"\0"), 2, options, values)
        except DriverError as problem:
            said = log.value.decode(errors="replace").strip()
            raise DriverError(f"{problem}{': ' + said if said else ''}") from None

    def function(self, name):
        if name not in self.functions:
            handle = ctypes.c_void_p()
            self.driver.call("cuModuleGetFunction", ctypes.byref(handle), self.handle, name.encode())
            self.functions[name] = handle
        return self.functions[name]

    def variable(self, name):
        address, size = ctypes.c_uint64(), ctypes.c_size_t()
        self.driver.call("cuModuleGetGlobal_v2", ctypes.byref(address), ctypes.byref(size), self.handle, name.encode())
        return address.value, size.value

    def launch(self, entry, parameters, grid, block, shared_bytes, stream, cluster=None, cooperative=False,
               programmatic=False, priority=None, carveout=None):
        function = self.function(entry)
        if shared_bytes > DEFAULT_SHARED:
            self.driver.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, shared_bytes)
        if carveout is not None:
            self.driver.call("cuFuncSetAttribute", function, CARVEOUT, carveout)
        if cluster and cluster[0] * cluster[1] * cluster[2] > 8:
            self.driver.call("cuFuncSetAttribute", function, NON_PORTABLE_CLUSTER, 1)
        wanted = [(CLUSTER, cluster)] if cluster else []
        wanted += [(COOPERATIVE, (1,))] if cooperative else []
        wanted += [(PROGRAMMATIC, (1,))] if programmatic else []
        wanted += [(PRIORITY, (priority,))] if priority is not None else []
        attributes = (Attribute * max(len(wanted), 1))()
        for attribute, (number, values) in zip(attributes, wanted):
            attribute.id = number
            attribute.value[:len(values)] = values
        config = Config(*grid, *block, shared_bytes, stream, attributes, len(wanted))
        buffers = [ctypes.create_string_buffer(parameter, len(parameter)) for parameter in parameters]
        pointers = (ctypes.c_void_p * max(len(buffers), 1))(*[ctypes.addressof(buffer) for buffer in buffers])
        self.driver.call("cuLaunchKernelEx", ctypes.byref(config), function, pointers, None)


def scalar_bytes(kind, value):
    """A scalar of kernel.toml, little-endian, as its type is in memory."""
    codes = {"i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q", "f16": "e",
             "f32": "f", "f64": "d", "bool": "?"}
    if kind == "bf16":  # the upper half of a float, rounded to even
        bits = struct.unpack("<I", struct.pack("<f", float(value)))[0]
        return struct.pack("<H", (bits + 0x7fff + ((bits >> 16) & 1)) >> 16 & 0xffff)
    if kind not in codes:
        raise DriverError(f"a scalar of type {kind} cannot be passed")
    return struct.pack("<" + codes[kind], float(value) if kind in ("f16", "f32", "f64") else value)
