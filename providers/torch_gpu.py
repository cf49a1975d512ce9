# SPDX-License-Identifier: MIT
"""The device as the harness needs it: memory through PyTorch's allocator, what is timed through the driver."""

import collections
import contextlib
import ctypes
import struct
import sys

from channel import Refusal
from cuda_driver import Driver
from gpu_state import open_gpu_state

Buffer = collections.namedtuple("Buffer", "address bytes flat view")  # flat: all bytes; view: shape, strides, dtype

PLACEMENT_BYTES = 2 << 20
FILL_BLOCKS, FILL_THREADS = 264, 256  # enough to fill the largest GPUs; the kernels take any number


def import_torch():
    try:
        import torch
    except ImportError as error:
        raise Refusal(f"PyTorch cannot be imported by {sys.executable}: {error}",
                      "install it for this Python, or choose another one") from None
    if not torch.cuda.is_available():
        raise Refusal("PyTorch sees no CUDA device", "check nvidia-smi, and that this PyTorch is a CUDA build")
    return torch


class TorchGpu:
    def __init__(self, device):
        self._torch = torch = import_torch()
        if not 0 <= device < torch.cuda.device_count():
            raise Refusal(f"there is no device {device}; PyTorch sees {torch.cuda.device_count()}")
        torch.cuda.set_device(device)
        torch.zeros(1, device="cuda").item()  # makes the context current on this thread
        torch.set_grad_enabled(False)
        self._dtypes = {
            "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64, "i8": torch.int8,
            "i16": torch.int16, "i32": torch.int32, "i64": torch.int64, "u8": torch.uint8, "u16": torch.uint16,
            "u32": torch.uint32, "u64": torch.uint64, "e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2,
        }
        self.torch = torch
        self.driver = Driver()
        self.driver.reset_persisting_l2()  # what is set aside for persisting lines from now on is the candidate's doing
        self.state = open_gpu_state(self.driver.pci_bus_id(device))
        self.name = torch.cuda.get_device_name(device)
        self._own_stream = torch.cuda.Stream()
        self.choose_stream(False)
        self._flushed = None
        self._staging = None
        self._capturing = False
        self.unpoisoned = 0  # results that did not land in the memory that was poisoned for them
        self._expected_at = set()

    def versions(self):
        torch = self._torch
        found = {"torch": torch.__version__, "cuda": torch.version.cuda or "", "driver": self.driver.version()}
        if torch.backends.cudnn.is_available():
            found["cudnn"] = str(torch.backends.cudnn.version())
        return found

    # Memory

    def dtype(self, name):
        return self._dtypes[name]

    def allocate(self, tensor):
        flat = self._torch.zeros(tensor.bytes, dtype=self._torch.uint8, device="cuda")
        view = flat.view(self._dtypes[tensor.dtype]).as_strided(tensor.shape, tensor.strides)
        return Buffer(flat.data_ptr(), tensor.bytes, flat, view)

    def pad(self, pieces):
        """Memory that nobody uses; what is allocated after it lies elsewhere. The caller keeps it."""
        return self._torch.empty(pieces * PLACEMENT_BYTES, dtype=self._torch.uint8, device="cuda")

    def staging(self, count):
        """Host memory of so many bytes that the GPU copies from and to directly, on its way from or to a file. There is
        one piece of it: what it held is gone at the next call."""
        if self._staging is None or self._staging.numel() < count:
            self._staging = self._torch.empty(count, dtype=self._torch.uint8, pin_memory=True)
        return (ctypes.c_ubyte * count).from_address(self._staging.data_ptr())

    def upload(self, buffer, contents):
        buffer.flat.copy_(self._torch.frombuffer(contents, dtype=self._torch.uint8))
        self.synchronize()

    def download(self, buffer):
        contents = self.staging(buffer.bytes)
        self.synchronize()
        self._torch.frombuffer(contents, dtype=self._torch.uint8).copy_(buffer.flat)
        return contents

    def copy(self, source, target):
        target.flat.copy_(source.flat, non_blocking=True)

    def fill(self, address, byte, count):
        self.driver.fill(address, byte, count, self.stream)

    def release(self):
        self._torch.cuda.synchronize()
        self._torch.cuda.empty_cache()

    def allocated_bytes(self):
        """By PyTorch's allocator, now. What a library takes from the driver by itself is not in it."""
        return self._torch.cuda.memory_allocated()

    def watch_memory(self):
        """What is allocated now; `peak_bytes` begins with it."""
        self._torch.cuda.reset_peak_memory_stats()
        return self.allocated_bytes()

    def peak_bytes(self):
        return self._torch.cuda.max_memory_allocated()

    @staticmethod
    def result_bytes(result):
        return result.untyped_storage().nbytes()

    # Results that a problem allocated

    @staticmethod
    def layout(result):
        return tuple(result.shape), tuple(result.stride()), result.dtype

    def poison_result(self, result, byte):
        storage = result.untyped_storage()
        self.fill(storage.data_ptr(), byte, storage.nbytes())

    def poison_free_memory(self, layouts, byte):
        torch = self._torch
        spare = [torch.empty_strided(shape, strides, dtype=dtype, device="cuda") for shape, strides, dtype in layouts]
        self._expected_at = {tensor.untyped_storage().data_ptr() for tensor in spare}
        for tensor in spare:
            self.poison_result(tensor, byte)

    def note_results(self, returned):
        if returned and self._expected_at:
            addresses = {result.untyped_storage().data_ptr() for result in returned.values()}
            self.unpoisoned += not addresses <= self._expected_at
            self._expected_at = set()

    def store(self, result, tensor, buffer):
        if tuple(result.shape) != tensor.shape or result.dtype != self._dtypes[tensor.dtype]:
            raise Refusal(f"the call returned '{tensor.name}' as {tuple(result.shape)} {result.dtype}; expected "
                          f"{tensor.shape} {tensor.dtype}")
        buffer.view.copy_(result, non_blocking=True)

    # Time

    def choose_stream(self, default):
        """The one stream on which everything is enqueued: ours, or the default one, where `kernel<<<grid, block>>>`
        lands and which no graph captures."""
        self._stream = self._torch.cuda.default_stream() if default else self._own_stream
        self.stream = self._stream.cuda_stream

    def on_stream(self):
        return self._torch.cuda.stream(self._stream)

    def synchronize(self):
        self.driver.synchronize()

    def make_event(self):
        return self.driver.make_event()

    def drop_event(self, event):
        self.driver.drop_event(event)

    def record(self, event):
        self.driver.record(event, self.stream, self._capturing)

    def has_passed(self, event):
        return self.driver.has_passed(event)

    def microseconds_between(self, start, stop):
        return self.driver.microseconds_between(start, stop)

    @contextlib.contextmanager
    def _capture_mark(self):
        self._capturing = True
        try:
            yield
        finally:
            self._capturing = False

    def capture(self, function):
        """A graph of what the function enqueues, ready to replay."""
        graph = self._torch.cuda.CUDAGraph()
        self._capture_into(graph, function)
        return graph

    def names_in_call(self, function):
        """Names of what the function enqueues, which is captured and never runs; None if unknown, as with PyTorch before
        2.8, which keeps no graph that could be asked."""
        try:
            graph = self._torch.cuda.CUDAGraph(keep_graph=True)
        except TypeError:
            return None
        self._capture_into(graph, function)
        return self.driver.names_in(graph.raw_cuda_graph())

    def _capture_into(self, graph, function):
        if self._stream is not self._own_stream:
            raise Refusal("the default stream cannot be captured as a CUDA graph")
        try:
            with self._torch.cuda.graph(graph, stream=self._stream), self._capture_mark():
                function()
        except Refusal:
            raise
        except RuntimeError as error:
            raise Refusal(f"the call cannot be captured as a CUDA graph: {str(error).splitlines()[0]}",
                          "a call that allocates by itself, synchronises, or leaves work on another stream cannot; "
                          "protocol = \"event\" times it all the same") from error

    def captured_nodes(self):
        return self.driver.working_nodes(self.stream) if self._capturing else None

    # Instruments

    def load_instruments(self, path):
        self.driver.load_instruments(path)

    def make_slots(self, count):
        return Slots(self, count)

    def fingerprint(self, address, count, slot):
        blocks = max(1, min(FILL_BLOCKS, -(-count // (4 * FILL_THREADS))))
        self.driver.launch("assay_fingerprint", blocks, FILL_THREADS, self.stream, address, count, slot)

    def spin(self, cycles):
        self.driver.launch("assay_spin", 1, 1, self.stream, cycles)

    def flush(self, count):
        if self._flushed is None or self._flushed.numel() < count:
            self._flushed = self._torch.zeros(count, dtype=self._torch.uint8, device="cuda")
        self.driver.launch("assay_flush", FILL_BLOCKS, FILL_THREADS, self.stream, self._flushed.data_ptr(), count)

    def reset_persisting_l2(self):
        return self.driver.reset_persisting_l2()

    def persisting_l2_bytes(self):
        return self.driver.persisting_l2_bytes()

    def clock_mhz(self):
        return (self.state.clock_mhz() if self.state else None) or 0

    def throttled(self):
        return bool(self.state.throttled()) if self.state else False


class Slots:
    """64-bit sums in device memory, one for each sample."""

    def __init__(self, gpu, count):
        self._gpu = gpu
        self._memory = gpu.torch.zeros(8 * count, dtype=gpu.torch.uint8, device="cuda")
        self._count = count

    def address(self, index):
        return self._memory.data_ptr() + 8 * index

    def clear(self, first=0, count=None):
        self._gpu.fill(self.address(first), 0, 8 * (self._count if count is None else count))

    def read(self):
        values = bytes(self._memory.cpu().tolist())
        return struct.unpack(f"<{self._count}Q", values)
