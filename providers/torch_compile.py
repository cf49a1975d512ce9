# SPDX-License-Identifier: MIT
"""The provider `torch_compile`: a built-in problem, written in plain PyTorch and compiled by torch.compile.

Option `mode`: max-autotune-no-cudagraphs (the default), default, or another mode of torch.compile. Graphs are captured
by the harness, not by torch.compile: its own would copy inputs, and be timed otherwise than the candidate.
"""

import contextlib
import fcntl
import math
import os
import sys
import tempfile

from channel import Refusal
from harness import main

# Those in which torch.compile tries many variants of matrix products, and compiles them in processes of its own.
WITH_PRODUCTS = ("attention_forward", "gemm")
CUDAGRAPH_MODES = {"reduce-overhead": "default", "max-autotune": "max-autotune-no-cudagraphs"}


def attention_forward(torch, case):
    scale = float(case.parameter("scale", 1.0 / math.sqrt(case.tensors["q"].shape[-1])))
    causal = bool(case.parameter("causal", False))

    def compute(q, k, v):
        if q.dim() >= 3 and q.shape[-3] != k.shape[-3]:
            k = k.repeat_interleave(q.shape[-3] // k.shape[-3], dim=-3)
            v = v.repeat_interleave(q.shape[-3] // v.shape[-3], dim=-3)
        scores = torch.matmul(q, k.transpose(-2, -1)).float() * scale
        if not causal:
            return torch.matmul(torch.softmax(scores, dim=-1).to(v.dtype), v)
        rows = torch.arange(q.shape[-2], device=q.device)[:, None] + (k.shape[-2] - q.shape[-2])
        hidden = torch.arange(k.shape[-2], device=q.device)[None, :] > rows  # aligned to the bottom right
        weights = torch.softmax(scores.masked_fill(hidden, -math.inf), dim=-1)
        weights = weights.masked_fill(hidden, 0.0)  # a row that sees no key is zero, not NaN
        return torch.matmul(weights.to(v.dtype), v)

    return compute, ("q", "k", "v"), "o"


def gemm(torch, case):
    alpha, beta = float(case.parameter("alpha", 1.0)), float(case.parameter("beta", 0.0))

    def scaled(product, *old):
        product = product if alpha == 1.0 else product * alpha
        return product + beta * old[0] if old else product

    names = ("a", "b", "c") if beta != 0.0 else ("a", "b")
    return lambda a, b, *old: scaled(torch.matmul(a, b), *old), names, "c"


def layer_norm(torch, case):
    eps = float(case.parameter("eps", 1e-5))
    given = [name for name in ("weight", "bias") if name in case.tensors]

    def compute(x, *columns):
        found = dict(zip(given, columns))
        wide = x.float() if x.dtype.itemsize < 4 else x
        mean = wide.mean(dim=-1, keepdim=True)
        variance = (wide - mean).square().mean(dim=-1, keepdim=True)
        result = (wide - mean) * torch.rsqrt(variance + eps)
        if "weight" in found:
            result = result * found["weight"]
        return result + found["bias"] if "bias" in found else result

    return compute, ("x", *given), "y"


def row_reduction(torch, case):
    keep = len(case.tensors["y"].shape) == len(case.tensors["x"].shape)
    accumulate = torch.float64 if case.tensors["x"].dtype == "f64" else torch.float32
    return lambda x: x.sum(dim=-1, keepdim=keep, dtype=accumulate), ("x",), "y"


def softmax(torch, case):
    return lambda x: torch.softmax(x.float() if x.dtype.itemsize < 4 else x, dim=-1), ("x",), "y"


def copy(torch, case):
    return lambda x: x.clone(), ("x",), "y"


PROBLEMS = {"attention_forward": attention_forward, "copy": copy, "gemm": gemm, "layer_norm": layer_norm,
            "row_reduction": row_reduction, "softmax": softmax}


def compile_here():
    """In this process: the others would import PyTorch once more for a kernel or two, while somebody is being timed."""
    import torch._inductor.config as config
    config.compile_threads = 1


@contextlib.contextmanager
def one_at_a_time():
    """Of all processes that compile: the first one tries variants on a GPU that nobody else uses, and writes its choice
    into the cache from which the others take it. Side by side each would try its own, disturb the others, and choose
    another variant."""
    path = os.path.join(tempfile.gettempdir(), f"assay-torch-compile-{os.getuid()}.lock")
    lock = os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the system releases it when the process ends, however it ends
        yield
    finally:
        os.close(lock)


class Compiled:
    name = "torch_compile"

    def __init__(self):
        self._compiled = None  # what the function was compiled for

    def versions(self, gpu):
        try:
            import triton
            return {"triton": triton.__version__}
        except ImportError:
            return {}

    def prepare(self, case, gpu, sets):
        torch = gpu.torch
        if case.reference not in PROBLEMS:
            raise Refusal(f"the problem '{case.reference}' is not written in PyTorch here",
                          "known are " + ", ".join(PROBLEMS) + "; write a function and use the provider python")
        compute, names, output = PROBLEMS[case.reference](torch, case)
        for name in (*names, output):
            if name not in case.tensors:
                raise Refusal(f"the problem '{case.reference}' needs an argument '{name}'")
        others = [tensor.name for tensor in case.outputs() if tensor.name != output]
        if others:
            raise Refusal(f"the problem '{case.reference}' computes '{output}', not '{others[0]}'")
        wanted, shape = gpu.dtype(case.tensors[output].dtype), case.tensors[output].shape
        mode = case.options.get("mode", "max-autotune-no-cudagraphs")
        mode = CUDAGRAPH_MODES.get(mode, mode)

        def whole_problem(*inputs):
            return compute(*inputs).to(wanted).reshape(shape)

        self._output = output
        self._inputs = [[own.buffers[name].view for name in names] for own in sets]
        # The same case again, elsewhere in memory, needs no new compilation.
        key = (case.reference, mode, case.problem_options, case.dims, case.scalars, case.tensors)
        if key != self._compiled:
            import torch._dynamo as dynamo
            if case.reference not in WITH_PRODUCTS:
                compile_here()
            dynamo.reset()  # an earlier case's compilations would count against the limit of recompilations
            self._function = torch.compile(whole_problem, mode=None if mode == "default" else mode, dynamic=False)
            with one_at_a_time():  # the first call compiles
                self.call(0)
                gpu.synchronize()
            self._compiled = key
        self.call(0)
        gpu.synchronize()
        return f"torch.compile, mode {mode}"

    def call(self, number):
        return {self._output: self._function(*self._inputs[number])}


if __name__ == "__main__":
    sys.exit(main(Compiled()))
