# SPDX-License-Identifier: MIT
"""The few functions of the CUDA driver library that timing needs, called directly.

PyTorch has most of them too. We do not use its own, because code that is timed runs in this process and may replace
methods of PyTorch's classes, by accident or not; and because events inside a captured graph must be external ones.
Handles are plain integers. Every function works on the context that is current, which PyTorch has made.
"""

import ctypes

from channel import Refusal

EVENT_RECORD_EXTERNAL = 1
LIMIT_PERSISTING_L2 = 0x06
KERNEL, COPY, FILL, GRAPH, CONDITIONAL = 0, 1, 2, 4, 13  # kinds of nodes of a graph
# Nodes of a captured graph that do work; events and empty nodes do none.
WORKING_NODES = (KERNEL, COPY, FILL)


class KernelNode(ctypes.Structure):
    """CUDA_KERNEL_NODE_PARAMS_v2"""
    _fields_ = [("function", ctypes.c_void_p), ("shape", ctypes.c_uint * 7), ("parameters", ctypes.c_void_p),
                ("extra", ctypes.c_void_p), ("kernel", ctypes.c_void_p), ("context", ctypes.c_void_p)]


def open_library(name="libcuda.so.1"):
    try:
        return ctypes.CDLL(name)
    except OSError as error:
        raise Refusal(f"the CUDA driver library cannot be opened: {error}", "install an NVIDIA driver") from None


class Driver:
    def __init__(self, library=None):
        self._cuda = library or open_library()
        self._kernels = {}

    def _call(self, name, *arguments):
        code = getattr(self._cuda, name)(*arguments)
        if code != 0:
            text = ctypes.c_char_p()
            self._cuda.cuGetErrorString(code, ctypes.byref(text))
            raise RuntimeError(f"{name}: {text.value.decode() if text.value else f'error {code}'}")

    # Instruments

    def load_instruments(self, path):
        with open(path, "rb") as file:
            text = file.read() + b"\0"
        module = ctypes.c_void_p()
        self._call("cuModuleLoadData", ctypes.byref(module), text)
        for name in ("assay_fingerprint", "assay_spin", "assay_flush"):
            kernel = ctypes.c_void_p()
            self._call("cuModuleGetFunction", ctypes.byref(kernel), module, name.encode())
            self._kernels[name] = kernel

    def launch(self, name, blocks, threads, stream, *values):
        """One of the instruments; all their parameters have 64 bits."""
        held = [ctypes.c_uint64(value) for value in values]
        pointers = (ctypes.c_void_p * len(held))(*[ctypes.addressof(value) for value in held])
        self._call("cuLaunchKernel", self._kernels[name], blocks, 1, 1, threads, 1, 1, 0, ctypes.c_void_p(stream),
                   pointers, None)

    # Memory and streams

    def fill(self, address, byte, count, stream):
        self._call("cuMemsetD8Async", ctypes.c_uint64(address), ctypes.c_ubyte(byte),
                   ctypes.c_size_t(count), ctypes.c_void_p(stream))

    def synchronize(self):
        self._call("cuCtxSynchronize")

    # Events

    def make_event(self):
        event = ctypes.c_void_p()
        self._call("cuEventCreate", ctypes.byref(event), 0)
        return event.value

    def drop_event(self, event):
        self._call("cuEventDestroy_v2", ctypes.c_void_p(event))

    def record(self, event, stream, in_capture):
        flags = EVENT_RECORD_EXTERNAL if in_capture else 0
        self._call("cuEventRecordWithFlags", ctypes.c_void_p(event), ctypes.c_void_p(stream), flags)

    def has_passed(self, event):
        return self._cuda.cuEventQuery(ctypes.c_void_p(event)) == 0

    def microseconds_between(self, start, stop):
        milliseconds = ctypes.c_float()
        self._call("cuEventElapsedTime", ctypes.byref(milliseconds), ctypes.c_void_p(start), ctypes.c_void_p(stop))
        return milliseconds.value * 1e3

    # Facts

    def working_nodes(self, stream):
        """How many nodes that do work the capture on this stream holds so far; None if unknown."""
        status, identity, graph = ctypes.c_int(), ctypes.c_uint64(), ctypes.c_void_p()
        if not hasattr(self._cuda, "cuStreamGetCaptureInfo_v2"):
            return None
        self._call("cuStreamGetCaptureInfo_v2", ctypes.c_void_p(stream), ctypes.byref(status), ctypes.byref(identity),
                   ctypes.byref(graph), None, None)
        return sum(kind in WORKING_NODES for _, kind in self._nodes_of(graph)) if graph.value else None

    def names_in(self, graph):
        """Names of a graph's kernels, as the linker calls them, its copies and fills; None if one has none: with drivers
        before CUDA 12.3, or where a graph is within the graph. Not while it is captured: these questions end a capture."""
        if not all(hasattr(self._cuda, name) for name in ("cuGraphKernelNodeGetParams_v2", "cuFuncGetName")):
            return None
        nodes = self._nodes_of(ctypes.c_void_p(graph))
        if any(kind in (GRAPH, CONDITIONAL) for _, kind in nodes):
            return None
        names = [self._name_of(self._about(node)) if kind == KERNEL else {COPY: "memcpy", FILL: "memset"}[kind]
                 for node, kind in nodes if kind in WORKING_NODES]
        return None if None in names else names

    def _nodes_of(self, graph):
        """(node, kind) of all that it holds."""
        count = ctypes.c_size_t()
        self._call("cuGraphGetNodes", graph, None, ctypes.byref(count))
        nodes = (ctypes.c_void_p * max(1, count.value))()
        self._call("cuGraphGetNodes", graph, nodes, ctypes.byref(count))
        found = []
        for node in nodes[:count.value]:
            kind = ctypes.c_int()
            self._call("cuGraphNodeGetType", ctypes.c_void_p(node), ctypes.byref(kind))
            found.append((node, kind.value))
        return found

    def _about(self, node):
        about = KernelNode()
        self._call("cuGraphKernelNodeGetParams_v2", ctypes.c_void_p(node), ctypes.byref(about))
        return about

    def _name_of(self, about):
        text = ctypes.c_char_p()
        if about.function:
            self._call("cuFuncGetName", ctypes.byref(text), ctypes.c_void_p(about.function))
        elif about.kernel and hasattr(self._cuda, "cuKernelGetName"):
            self._call("cuKernelGetName", ctypes.byref(text), ctypes.c_void_p(about.kernel))
        return text.value.decode(errors="replace") if text.value else None

    def reset_persisting_l2(self):
        """Lets the cache forget lines that were marked to stay. Answers how many bytes were set aside for them."""
        held = ctypes.c_size_t()
        if self._cuda.cuCtxGetLimit(ctypes.byref(held), LIMIT_PERSISTING_L2) != 0:
            return 0  # a device without this feature
        if held.value:
            self._call("cuCtxSetLimit", LIMIT_PERSISTING_L2, ctypes.c_size_t(0))
        self._call("cuCtxResetPersistingL2Cache")
        return held.value

    def persisting_l2_bytes(self):
        held = ctypes.c_size_t()
        return held.value if self._cuda.cuCtxGetLimit(ctypes.byref(held), LIMIT_PERSISTING_L2) == 0 else 0

    def pci_bus_id(self, device):
        text = ctypes.create_string_buffer(32)
        self._call("cuDeviceGetPCIBusId", text, 32, device)
        return text.value.decode()

    def version(self):
        number = ctypes.c_int()
        self._call("cuDriverGetVersion", ctypes.byref(number))
        return f"{number.value // 1000}.{number.value % 1000 // 10}"
