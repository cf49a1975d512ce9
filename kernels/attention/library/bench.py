# SPDX-License-Identifier: MIT
"""Times the library's attention beside SDPA's backends, head sizes that the tables of ../hopper leave out first.

  PYTHONPATH=python python3 kernels/attention/library/bench.py [B,H,S,D ...]

Every contender is a CUDA graph of back-to-back calls over four rotating input sets, replays interleaved; p50 per call.
"""

import statistics
import sys

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

import assay_attention

SHAPES = [(4, 8, 512, 32), (4, 8, 512, 40), (4, 16, 2048, 40), (4, 8, 512, 80), (4, 16, 2048, 80), (4, 16, 2048, 96),
          (4, 16, 512, 192), (4, 16, 2048, 192), (4, 16, 512, 256), (4, 16, 2048, 256)]
BACKENDS = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}


def captured(function, calls):
    for i in range(4):
        function(i)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(calls):
            function(i)
    return graph


def measure(shape, causal, repeats=25):
    sets = [[torch.randn(shape, device="cuda", dtype=torch.float16) for _ in range(3)] for _ in range(4)]
    flops = 4 * shape[0] * shape[1] * shape[2] ** 2 * shape[3] * (0.5 if causal else 1)
    calls = 20 if flops < 2e10 else 4
    expected = F.scaled_dot_product_attention(*(t.double() for t in sets[0]), is_causal=causal) if shape[2] <= 2048 else None
    graphs = {}
    with torch.no_grad():
        got = assay_attention.attention(*sets[0], causal=causal)
        if expected is not None and not ((got - expected).norm() / expected.norm()).item() < 1e-3:
            raise SystemExit(f"{shape}: wrong")
        graphs["ours"] = captured(lambda i: assay_attention.attention(*sets[i % 4], causal=causal), calls)
        for name, backend in BACKENDS.items():
            try:
                with sdpa_kernel(backend):
                    graphs[name] = captured(lambda i: F.scaled_dot_product_attention(*sets[i % 4], is_causal=causal), calls)
            except RuntimeError:
                torch.cuda.synchronize()
    times = {name: [] for name in graphs}
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    for repeat in range(repeats + 3):
        for name, graph in graphs.items():
            start.record()
            graph.replay()
            stop.record()
            stop.synchronize()
            if repeat >= 3:
                times[name].append(start.elapsed_time(stop) * 1e3 / calls)
    return {name: statistics.median(samples) for name, samples in times.items()}, flops


def main(words):
    shapes = [tuple(map(int, word.split(","))) for word in words] or SHAPES
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}, fp16, "
          f"libassay_attention {assay_attention.version()}")
    print("| B,H,S,D | mask | kernel | ours us (TFLOP/s) | cuDNN us | flash us | x best |\n|---|---|---|---|---|---|---|")
    for shape in shapes:
        for causal in (False, True):
            times, flops = measure(shape, causal)
            kernel = assay_attention.query(*shape, causal=causal)
            best = min((t for name, t in times.items() if name != "ours"), default=float("nan"))
            print(f"| {','.join(map(str, shape))} | {'causal' if causal else 'full'} | {kernel} | {times['ours']:.2f} "
                  f"({flops / times['ours'] * 1e-6:.0f}) | {times.get('cudnn', float('nan')):.2f} | "
                  f"{times.get('flash', float('nan')):.2f} | {best / times['ours']:.2f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
