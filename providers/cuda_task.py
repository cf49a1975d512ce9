# SPDX-License-Identifier: MIT
"""Tasks of GPU MODE with `lang: cu`: output_t custom_kernel(input_t), with types of C++ in the host's memory.

The task's headers, the answer and cuda_bridge.py become one library. Its own evaluation (eval.cu) is not used: inputs,
comparison and clocks are ours. What is timed is the whole call, as there: copies to the device and back are in it.
"""

import ctypes
import fcntl
import functools
import hashlib
import json
import os
import shutil
import subprocess
import tempfile

from cuda_bridge import TEXT

STYLE = "host_cuda"
FLAGS = ("-O3", "-std=c++20", "-Xcompiler", "-fPIC,-fvisibility=hidden")
CAPABILITY_MAJOR, CAPABILITY_MINOR = 75, 76  # of cuDeviceGetAttribute
BUILD_SECONDS = 600
ENDINGS = (".cu", ".cuh")


class CudaTaskError(Exception):
    """What is wrong with a task or an answer, in words."""


class NoCompiler(CudaTaskError):
    """Which is nobody's fault."""


def find_nvcc():
    wanted = os.environ.get("ASSAY_NVCC", "")
    if wanted == "none":
        raise NoCompiler("a task of C++ needs nvcc, and ASSAY_NVCC is none")
    found = shutil.which(wanted or "nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if not found:
        raise NoCompiler("a task of C++ needs nvcc, and there is none; ASSAY_NVCC names one")
    return found


@functools.lru_cache(maxsize=None)
def architecture():
    """What nvcc compiles for: the first GPU that this process may use. Machines with different GPUs may share a home,
    so that the name is part of what libraries are kept by; nvcc's own choice where no driver tells."""
    wanted = os.environ.get("ASSAY_CUDA_DRIVER", "") or "libcuda.so.1"
    try:
        driver = ctypes.CDLL(wanted)
        device, major, minor = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
        failed = (driver.cuInit(0) or driver.cuDeviceGet(ctypes.byref(device), 0)
                  or driver.cuDeviceGetAttribute(ctypes.byref(major), CAPABILITY_MAJOR, device)
                  or driver.cuDeviceGetAttribute(ctypes.byref(minor), CAPABILITY_MINOR, device))
    except (OSError, AttributeError):
        return "native"
    return "native" if failed else f"sm_{major.value}{minor.value}"


def flags():
    return (*FLAGS, f"-arch={architecture()}")


def first_errors(text):
    lines = [line.strip() for line in text.splitlines() if "error" in line]
    return "; ".join(lines[:3]) or " ".join(text.split())[-400:]


def run_nvcc(words):
    try:
        done = subprocess.run([find_nvcc(), *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", timeout=BUILD_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise CudaTaskError(f"nvcc took more than {BUILD_SECONDS} s") from None
    if done.returncode != 0:
        raise CudaTaskError(f"nvcc: {first_errors(done.stdout)}")


class Builds:
    """What nvcc made of the same texts before, in a folder that all processes share: each is made once, and whoever
    wants it meanwhile waits."""

    def __init__(self, headers, cache):
        self._headers, self._cache = headers, cache
        os.makedirs(cache, exist_ok=True)

    def library(self, answer):
        """The bridge alone, or with an answer. The bridge takes several times as long to compile as most answers, and is
        the same for all of them."""
        with open(answer or os.devnull, "rb") as file:
            text = file.read()

        def link(folder, to):
            parts = [self._bridge()]
            if answer:
                source = os.path.join(folder, "assay_answer.cu")
                with open(source, "wb") as file:
                    file.write(text)
                parts.append(os.path.join(folder, "assay_answer.o"))
                self._compile(folder, source, parts[-1])
            run_nvcc([*flags(), "-shared", *parts, "-o", to])

        return self._made(".so", (b"answer" if answer else b"") + text, link)

    def _bridge(self):
        def compile_it(folder, to):
            source = os.path.join(folder, "assay_bridge.cu")
            with open(source, "w", encoding="utf-8") as file:
                file.write(TEXT)
            self._compile(folder, source, to)

        return self._made(".o", b"", compile_it)

    def _compile(self, folder, source, to):
        for name, path in self._headers.items():
            shutil.copyfile(path, os.path.join(folder, os.path.basename(name)))
        run_nvcc([*flags(), f"-I{folder}", "-c", source, "-o", to])

    def _made(self, ending, text, make):
        mixed = hashlib.sha256("\n".join((find_nvcc(), *flags(), TEXT, ending, "")).encode())
        for name, path in sorted(self._headers.items()):
            with open(path, "rb") as file:
                mixed.update(name.encode() + b"\0" + file.read() + b"\0")
        mixed.update(text)
        kept = os.path.join(self._cache, mixed.hexdigest()[:32] + ending)
        if os.path.exists(kept):
            return kept
        with open(f"{kept}.lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # until it is closed, however this process ends
            if not os.path.exists(kept):
                with tempfile.TemporaryDirectory(dir=self._cache) as folder:
                    draft = os.path.join(folder, "draft" + ending)
                    make(folder, draft)
                    os.replace(draft, kept)
        return kept


def tensors_of(data):
    """The tensors in what a task passes on, in order."""
    if isinstance(data, (tuple, list)):
        return [tensor for each in data for tensor in tensors_of(each)]
    return [data] if is_array(data) or hasattr(data, "data_ptr") else []


def is_array(data):
    """Of NumPy, which is not imported for it."""
    return type(data).__name__ == "ndarray"


class Bridge:
    """One input of the task in the host's memory, and what was computed of it."""

    INPUT, OUTPUT = 0, 1

    def __init__(self, path, case):
        library = self._library = ctypes.CDLL(path)
        library.assay_open.restype = library.assay_leaf.restype = ctypes.c_void_p
        library.assay_error.restype = library.assay_structure.restype = ctypes.c_char_p
        library.assay_leaves.restype = ctypes.c_size_t
        lines = "".join(f"{name}={int(value) if isinstance(value, bool) else value}\n" for name, value in case.items())
        self._task = ctypes.c_void_p(library.assay_open(lines.encode()))
        if self._problem():
            raise CudaTaskError(f"generate_input: {self._problem()}")

    def __del__(self):
        if getattr(self, "_task", None):
            self._library.assay_close(self._task)

    def _problem(self):
        return self._library.assay_error(self._task).decode(errors="replace")

    def structure(self, which):
        return json.loads(self._library.assay_structure(self._task, which).decode())

    def leaves(self, which):
        """The memory of each tensor."""
        found = []
        for index in range(self._library.assay_leaves(self._task, which)):
            size = ctypes.c_size_t()
            address = self._library.assay_leaf(self._task, which, ctypes.c_size_t(index), ctypes.byref(size))
            found.append((ctypes.c_char * size.value).from_address(address or 0) if size.value else b"")
        return found

    def arrays(self, which):
        """Copies of them, as they lie in the structure. Of NumPy: PyTorch takes seconds to import, and many short
        processes come here."""
        import numpy
        memory = iter(self.leaves(which))

        def walk(entry):
            if entry["kind"] == "tuple":
                return tuple(walk(each) for each in entry["items"])
            if entry["kind"] == "value":
                return entry["value"]
            return numpy.frombuffer(next(memory), self._numpy(entry["dtype"])).copy()

        return walk(self.structure(which))

    @staticmethod
    def _numpy(dtype):
        import numpy
        return numpy.dtype({"f": "float", "i": "int", "u": "uint"}[dtype[0]] + dtype[1:])

    def set_input(self, tensors):
        import numpy
        entries = []

        def walk(entry):
            for each in entry.get("items", ()):
                walk(each)
            if entry["kind"] == "tensor":
                entries.append(entry)

        walk(self.structure(self.INPUT))
        for entry, memory, tensor in zip(entries, self.leaves(self.INPUT), tensors):
            array = (tensor if is_array(tensor) else tensor.cpu().numpy()).reshape(-1)
            dtype = self._numpy(entry["dtype"])
            if array.size * dtype.itemsize != len(memory):
                raise CudaTaskError(f"a tensor has {array.size * dtype.itemsize} bytes; generate_input made {len(memory)}")
            if array.size:
                # Converted where it belongs, 0.3 ms a megabyte. By way of bytes() it is 1.6, and an assignment to
                # ctypes' memory goes from byte to byte: 84.
                numpy.copyto(numpy.frombuffer(memory, dtype), array, casting="unsafe")

    def ready(self):
        self._library.assay_ready(self._task)

    def reference(self):
        if self._library.assay_reference(self._task):
            raise CudaTaskError(f"ref_kernel: {self._problem()}")

    def call(self):
        """custom_kernel on what ready() copied; nothing else happens here, since it is timed."""
        return self._library.assay_call(self._task)

    def answered(self):
        self._library.assay_answered(self._task)

    def problem(self):
        return self._problem()


class CudaTask:
    """As task_module.Task, with arrays of NumPy for tensors."""

    def __init__(self, description, cache):
        self.style, self.case = STYLE, dict(description["case"])
        self._headers, self._cache = dict(description["headers"]), cache
        if "reference.cuh" not in self._headers:
            raise CudaTaskError("the task names no reference.cuh")

    def library(self, answer=None):
        return Builds(self._headers, self._cache).library(answer)

    def bridge(self, answer=None, seed=1):
        case = dict(self.case)
        if "seed" in case:
            case["seed"] = seed % 2**31
        return Bridge(self.library(answer), case)

    def make_inputs(self, torch, seed):
        return self.bridge(seed=seed).arrays(Bridge.INPUT)

    def input_names(self, data):
        return None

    def reference(self, torch, move):
        """In the task's own precision: its types are C++'s."""
        bridge = self.bridge()

        def function(data):
            bridge.set_input(tensors_of(data))
            bridge.ready()
            bridge.reference()
            return bridge.arrays(Bridge.OUTPUT)

        return function
