#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Softmax and layer norm beside what torch.compile makes of the same: the lines of suites/kernels.toml, seconds instead of minutes.

usage: compiled_rows.py OUT.jsonl [--seconds 90] PACKAGE ...     needs PyTorch with a GPU

A PACKAGE is a folder that `assay export --torch kernels/softmax --out FOLDER` wrote (or kernels/layernorm); several of one
kernel are timed beside each other. Each contender is one CUDA graph of back-to-back calls over rotating inputs that the L2 cache
does not hold, replayed in random order; a time is the median replay divided by its calls. Results are compared with float64 first.
All in one process: what differs from process to process, `assay bench` alone sees.
"""

import argparse
import importlib
import json
import math
import pathlib
import random
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "kernels/attention"))
ROWS, COLUMNS, DTYPES = 4096, (256, 1024, 4096, 8192), ("float16", "bfloat16", "float32")
LIMIT = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-5}
ROTATED_BYTES = 200 << 20
CALLS = 12


def problem_of(package):
    return "layernorm" if "layernorm" in package.name else "softmax"


def reference(problem, tensors):
    import torch.nn.functional as F
    x = tensors[0]
    return F.softmax(x, dim=-1) if problem == "softmax" else F.layer_norm(x, x.shape[-1:], tensors[1], tensors[2], 1e-5)


def inputs(problem, columns, dtype):
    import torch
    x = torch.randn(ROWS, columns, device="cuda", dtype=dtype)
    return [x] if problem == "softmax" else [x] + [torch.randn(columns, device="cuda", dtype=dtype) for _ in range(2)]


def measure(problem, packages, columns, name, draw):
    import torch
    from replays import interleaved
    dtype = getattr(torch, name)
    count = max(2, math.ceil(ROTATED_BYTES / (2 * ROWS * columns * dtype.itemsize)))
    sets = [inputs(problem, columns, dtype) for _ in range(count)]
    torch._dynamo.reset()
    compiled = torch.compile(lambda *tensors: reference(problem, tensors), fullgraph=True, dynamic=False)
    calls = {package.__name__: getattr(package, problem) for package in packages} | {"torch_compile": compiled}
    expected = reference(problem, [tensor.double() for tensor in sets[0]])
    graphs = {}
    for contender, call in calls.items():
        error = ((call(*sets[0]).double() - expected).norm() / expected.norm()).item()
        if not error < LIMIT[name]:
            raise SystemExit(f"WRONG {contender} {problem} {columns} {name}: error {error:.3g}")
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for i in range(max(CALLS, count)):
                call(*sets[i % count])
        graphs[contender] = graph
    times = interleaved(graphs, max(CALLS, count), 25, 2, draw)
    return {contender: round(statistics.median(of), 3) for contender, of in times.items()}


def main(words):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("packages", type=pathlib.Path, nargs="+")
    parser.add_argument("--seconds", type=int, default=90)
    options = parser.parse_args(words)
    began, draw = time.monotonic(), random.Random(1)
    of_problem = {}
    for path in options.packages:
        sys.path.insert(0, str(path.resolve().parent))
        of_problem.setdefault(problem_of(path), []).append(importlib.import_module(path.name))
    lines = [(problem, columns, dtype) for columns in COLUMNS for dtype in reversed(DTYPES) for problem in sorted(of_problem)]
    with options.output.open("a") as output:
        for problem, columns, dtype in lines:
            if time.monotonic() - began > options.seconds:
                print("time is over")
                break
            us = measure(problem, of_problem[problem], columns, dtype, draw)
            print(json.dumps({"problem": problem, "columns": columns, "dtype": dtype, "us": us}), file=output, flush=True)
            factors = ", ".join(f"{name} {value:.2f} us ({us['torch_compile'] / value:.3f}x)" for name, value in us.items())
            print(f"{problem} {columns} {dtype}: {factors}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
