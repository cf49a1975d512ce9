# SPDX-License-Identifier: MIT
"""Times PyTorch's scaled_dot_product_attention at the shapes of kernel_truth, in the same way: back-to-back calls in a
CUDA graph over four rotating input sets, the median of the replays. One line per shape and backend."""

import statistics

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

SHAPES = [
    (1, 8, 512, 64), (4, 8, 512, 64), (4, 16, 512, 64), (8, 16, 512, 64), (4, 8, 128, 64), (4, 8, 2048, 64),
    (4, 16, 512, 128), (4, 16, 2048, 128), (4, 32, 4096, 64), (4, 16, 4096, 128),
]
BACKENDS = {"flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}
INPUT_SETS = 4


def median_microseconds(call, calls, replays):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for i in range(INPUT_SETS):
            call(i)
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for i in range(calls):
            call(i % INPUT_SETS)
    samples = []
    with torch.cuda.stream(stream):
        for _ in range(5):
            graph.replay()
        for _ in range(replays):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record(stream)
            graph.replay()
            end.record(stream)
            end.synchronize()
            samples.append(begin.elapsed_time(end) * 1000 / calls)
    return statistics.median(samples)


def main():
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}")
    print(f"{'B,H,S,D':24} {'backend':8} {'p50 us':>10} {'TFLOP/s':>9}")
    for batch, heads, sequence, head_dim in SHAPES:
        sets = [[torch.randn(batch, heads, sequence, head_dim, device="cuda", dtype=torch.float16) for _ in range(3)]
                for _ in range(INPUT_SETS)]
        for causal in (False, True):
            flops = 4 * batch * heads * sequence * sequence * head_dim * (0.5 if causal else 1)
            calls, replays = (4, 10) if flops > 1e11 else (40, 40)
            shape = f"{batch},{heads},{sequence},{head_dim} {'causal' if causal else 'full'} f16"
            for name, backend in BACKENDS.items():
                try:
                    with torch.no_grad(), sdpa_kernel([backend]):
                        time = median_microseconds(
                            lambda i: scaled_dot_product_attention(*sets[i], is_causal=causal), calls, replays)
                except RuntimeError as error:
                    print(f"{shape:24} {name:8} not available: {str(error).splitlines()[0]}")
                    continue
                print(f"{shape:24} {name:8} {time:10.2f} {flops / time * 1e-6:9.1f}", flush=True)


if __name__ == "__main__":
    main()
