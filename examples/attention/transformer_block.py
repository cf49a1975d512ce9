# SPDX-License-Identifier: MIT
"""A small transformer block with and without us: outputs compared, times side by side.

  PYTHONPATH=python python3 examples/attention/transformer_block.py [--batch 4] [--rows 512] [--dim 512] [--heads 8]

Times are per forward pass, interleaved: eager (as Python issues it) and as a replayed CUDA graph (the GPU's time alone).
"""

import argparse
import contextlib
import statistics
import time

import torch
import torch.nn.functional as F
from torch import nn

import assay_attention


class Block(nn.Module):
    """Pre-norm attention and MLP. It calls scaled_dot_product_attention and knows nothing of us."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.norm_attention = nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.project = nn.Linear(dim, dim)
        self.norm_mlp = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        batch, rows, dim = x.shape
        q, k, v = self.qkv(self.norm_attention(x)).view(batch, rows, 3, self.heads, dim // self.heads).unbind(2)
        attended = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=True)
        x = x + self.project(attended.transpose(1, 2).reshape(batch, rows, dim))
        return x + self.mlp(self.norm_mlp(x))


def captured(block, x):
    """The block as a CUDA graph: a function that replays it."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            block(x)
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        block(x)
    return graph.replay


def interleaved(functions, repeats, inner):
    """Median microseconds per call of each function, taken in turns. Names that begin with "ours" run inside sdpa()."""
    times = {name: [] for name in functions}
    for repeat in range(repeats + 3):
        for name, function in functions.items():
            with assay_attention.sdpa() if name.startswith("ours") else contextlib.nullcontext():
                torch.cuda.synchronize()
                start = time.perf_counter()
                for _ in range(inner):
                    function()
                torch.cuda.synchronize()
                stop = time.perf_counter()
            if repeat >= 3:
                times[name].append((stop - start) * 1e6 / inner)
    return {name: statistics.median(samples) for name, samples in times.items()}


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, value in (("--batch", 4), ("--rows", 512), ("--dim", 512), ("--heads", 8), ("--repeats", 40)):
        parser.add_argument(name, type=int, default=value)
    options = parser.parse_args()
    torch.manual_seed(1)
    block = Block(options.dim, options.heads).half().cuda().eval()
    x = torch.randn(options.batch, options.rows, options.dim, device="cuda", dtype=torch.float16)

    def ours(given=x):
        with assay_attention.sdpa():
            return block(given)

    precise = Block(options.dim, options.heads).double().cuda().eval()
    precise.load_state_dict(block.state_dict())
    expected = precise(x.double())
    error = {name: ((f(x).double() - expected).norm() / expected.norm()).item() for name, f in (("PyTorch", block), ("ours", ours))}
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}, "
          f"libassay_attention {assay_attention.version()}")
    head_dim = options.dim // options.heads
    print(f"batch {options.batch}, rows {options.rows}, dim {options.dim}, heads {options.heads}, causal, fp16: "
          f"kernel {assay_attention.query(options.batch, options.heads, options.rows, head_dim, causal=True)}")
    print(f"relative error against the block in float64: PyTorch {error['PyTorch']:.2e}, ours {error['ours']:.2e}")
    if not error["ours"] <= 1.1 * error["PyTorch"]:
        raise SystemExit("ours is less precise than PyTorch's")
    times = interleaved({"PyTorch, eager": lambda: block(x), "ours, eager": lambda: block(x),
                         "PyTorch, graph": captured(block, x), "ours, graph": captured(ours, x)}, options.repeats, 20)
    for name, microseconds in times.items():
        print(f"{name:15} {microseconds:8.2f} us per block")
    for mode in ("eager", "graph"):
        print(f"{mode}: x{times[f'PyTorch, {mode}'] / times[f'ours, {mode}']:.2f}")


if __name__ == "__main__":
    main()
