# SPDX-License-Identifier: MIT
"""Checks and times the split-keys kernels in every layout beside SDPA's backends and the library's other kernels.

  PYTHONPATH=python python3 kernels/attention/split_keys/bench.py [check] [time] [B,Hq,Hk,Sq,Sk,D ...]
  PYTHONPATH=python python3 kernels/attention/split_keys/bench.py sweep FILE [--seed 1] [--seconds 120] [--few]

check compares every layout (rows of a tile, warps, cluster, clusters that share all keys, warps that work alone) with float64,
also log-sum-exp, two runs bit for bit, replayed graphs, and several streams at once. time prints microseconds per call: CUDA graphs of back-to-back
calls over rotating inputs, replays interleaved. The last column is the share of 4.2 TB/s that the library's own choice reaches.
Results of every layout: --json FILE. sweep does the same for random shapes of one tile of rows, a line of JSON each, from which
plan_fit.py fits what plan.hpp expects; with --few, for shapes with up to 64 queries as ../library/sweep.py draws them, of the
layouts in clusters only the four that the model of plan_fit.py puts first: three or four shapes a second.
"""

import itertools
import json
import math
import pathlib
import random
import statistics
import sys
import time

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "kernels/attention"), str(ROOT / "kernels/attention/library")]
import plan_fit  # noqa: E402
import sweep  # noqa: E402
from replays import interleaved  # noqa: E402
from assay_attention import Unsupported  # noqa: E402
from sweep import launch_by, launch_split_keys  # noqa: E402

BANDWIDTH = 4.2e12
SHAPES = [(1, 32, 8, 1, 1024, 128), (1, 32, 8, 1, 8192, 128), (1, 32, 8, 1, 65536, 128), (8, 32, 8, 1, 4096, 128),
          (64, 32, 8, 1, 4096, 128), (1, 32, 8, 16, 8192, 128), (2, 16, 16, 64, 4096, 64), (1, 64, 8, 1, 16384, 64),
          (1, 8, 1, 1, 65536, 128), (16, 32, 32, 1, 2048, 128), (3, 40, 8, 1, 10000, 128), (256, 32, 8, 1, 512, 128),
          (4, 32, 8, 4, 4096, 128), (1, 32, 8, 64, 8192, 128), (8, 32, 32, 64, 2048, 128), (4, 16, 8, 1, 8192, 256),
          (32, 16, 16, 1, 1024, 64), (32, 64, 8, 1, 16384, 128)]


SHARING = {"": (1, 0), ", filling": (0, 0), ", 2 sharers": (2, 0), ", 4 sharers": (4, 0), ", all": (1, -1)}


def layouts(head_dim):
    """(slabs, warps, cluster, sharers, clusters) of every kernel for a head size, by name."""
    sizes = [(1, 4)] if head_dim > 128 else list(itertools.product((1, 2), (4, 8)))
    return {f"{slabs}x16, {warps} warps, {cluster}{name}": (slabs, warps, cluster, *sharing)
            for slabs, warps in sizes for cluster in (1, 2, 3, 4, 6, 8) for name, sharing in SHARING.items()} | solo_layouts(head_dim)


def solo_layouts(head_dim):
    """Warps that work alone: cluster 0. As solo_warps() in plan.hpp."""
    sizes = [(1, 4)] if head_dim > 128 else [(1, 8), (2, 7 if head_dim > 96 else 8)]
    return {f"{slabs}x16, {warps} warps, 0, {name}": (slabs, warps, 0, sharers, 0)
            for slabs, warps in sizes for name, sharers in (("apart", 1), ("shared", 2))}


def draw(shape, dtype=torch.float16, bshd=False):
    batch, heads, key_heads, rows, keys, dim = shape

    def tensor(h, s):
        if bshd:
            return torch.randn((batch, s, h, dim), device="cuda", dtype=dtype).transpose(1, 2)
        return torch.randn((batch, h, s, dim), device="cuda", dtype=dtype)

    return tensor(heads, rows), tensor(key_heads, keys), tensor(key_heads, keys)


def launch(q, k, v, out, causal=False, lse=None, layout=None):
    """By a layout; None: the library's choice; warps 0: the kernels for long queries, slabs 1 split_streaming, 2 split_halves,
    3 streaming_heads."""
    if layout is None:
        launch_by("assay_attention_forward", (), q, k, v, out, causal, lse)
    else:
        launch_split_keys(q, k, v, out, layout, causal, lse)


def expected(q, k, v, causal):
    group = q.shape[1] // k.shape[1]
    q, k, v = q.double(), k.double().repeat_interleave(group, 1), v.double().repeat_interleave(group, 1)
    scores = q @ k.transpose(-1, -2) * q.shape[3] ** -0.5
    if causal:
        beside = torch.arange(q.shape[2], device="cuda")[:, None] + k.shape[2] - q.shape[2]
        scores.masked_fill_(torch.arange(k.shape[2], device="cuda")[None, :] > beside, -math.inf)
    lse = torch.logsumexp(scores, -1)
    return torch.exp(scores - lse.nan_to_num(neginf=0.0)[..., None]) @ v, lse


def check():
    random_ = random.Random(5)
    cases = 0
    streaming = [(slabs, 0, cluster, 0, 0) for slabs in (1, 2) for cluster in (0, 1, 3, 8)] + 4 * [(3, 0, 0, 0, 0)]
    for dim in (64, 128, 256, 40, 80, 96, 192):
        for layout in [*layouts(dim).values(), *streaming * 3]:
            for _ in range(2):
                group, rows, keys = random_.choice((1, 3, 8)), random_.choice((1, 2, 5, 17, 64)), random_.choice((1, 40, 333, 1000, 4100))
                key_heads, causal = random_.choice((1, 2, 5)), random_.random() < 0.5
                dtype, bshd = random_.choice((torch.float16, torch.bfloat16)), random_.random() < 0.5
                shape = (random_.choice((1, 3)), group * key_heads, key_heads, rows, keys, dim)
                torch.manual_seed(cases)
                q, k, v = draw(shape, dtype, bshd)
                out, lse = torch.full_like(q, math.nan), torch.full(q.shape[:3], math.nan, device="cuda")
                try:
                    launch(q, k, v, out, causal, lse, layout)
                except Unsupported:
                    continue  # too few keys to share
                again = torch.full_like(q, math.nan)
                launch(q, k, v, again, causal, None, layout)
                want, want_lse = expected(q, k, v, causal)
                error = ((out.double() - want).norm() / want.norm().clamp_min(1e-30)).item()
                seen = torch.isfinite(want_lse)
                right = (error < (8e-4 if dtype == torch.float16 else 6e-3) and torch.equal(out, again)
                         and torch.allclose(lse[seen].double(), want_lse[seen], atol=2e-3, rtol=0)
                         and torch.equal(lse[~seen].double(), want_lse[~seen]) and not out[~seen].any())
                if not right:
                    raise SystemExit(f"WRONG: {shape} causal {causal} {dtype} bshd {bshd} layout {layout}: error {error:.3g}, "
                                     f"repeats {torch.equal(out, again)}")
                cases += 1
    for layout in (None, (1, 4, 4, 1, -1), (1, 4, 2, 5, 0)):
        check_graph(layout)
    check_streams()
    print(f"{cases} cases, replayed graphs and several streams at once correct")


def near(out, q, k, v):
    want, _ = expected(q, k, v, False)
    return ((out.double() - want).norm() / want.norm()).item() < 8e-4


def check_graph(layout):
    shape = (2, 8, 2, 1, 9000, 128)
    q, k, v = draw(shape)
    out, graph = torch.empty_like(q), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        launch(q, k, v, out, layout=layout)
    for _ in range(3):
        for old, new in zip((q, k, v), draw(shape)):
            old.copy_(new)
        graph.replay()
        if not near(out, q, k, v):
            raise SystemExit("WRONG: a replayed graph")


def check_streams():
    """Clusters that share keys meet in memory: calls of several streams and graphs must not meet each other's."""
    streams = [torch.cuda.Stream() for _ in range(4)]
    work = [(stream, draw((1, 4, 1, 1, 20000 + 1000 * i, 128))) for i, stream in enumerate(streams)]
    outs = [torch.empty_like(q) for _, (q, _, _) in work]
    graphs = []
    for _, tensors in work:
        graphs.append((torch.cuda.CUDAGraph(), torch.empty_like(tensors[0])))
        with torch.cuda.graph(graphs[-1][0]):
            for _ in range(8):
                launch(*tensors, graphs[-1][1], layout=(1, 4, 4, 1, 20))
    torch.cuda.synchronize()
    for _ in range(20):
        for (stream, tensors), out, (graph, _) in zip(work, outs, graphs):
            with torch.cuda.stream(stream):
                launch(*tensors, out, layout=(1, 4, 2, 16, 0))
                graph.replay()
    torch.cuda.synchronize()
    for (_, tensors), out, (_, of_graph) in zip(work, outs, graphs):
        if not near(out, *tensors) or not near(of_graph, *tensors):
            raise SystemExit("WRONG: several streams at once")


def captured(function, calls):
    function(0)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(calls):
            function(i)
    return graph


def taken_layouts(shape):
    """Those that a plan may take: slabs as it takes them, no more blocks than matter."""
    batch, heads, key_heads, rows, _, dim = shape
    slabs = 1 if dim > 128 or heads // key_heads * rows <= 16 else 2
    pieces = batch * key_heads
    return {name: layout for name, layout in layouts(dim).items() if layout[0] == slabs and (slabs == 1 or layout[1] == 8 or layout[2] == 0)
            and (layout[2] == 0 or layout[3] < 2 or 60 <= pieces * layout[3] <= 600) and (layout[3] != 0 or pieces <= 66)}


def likely_layouts(shape):
    """Of those in clusters the four that should be the fastest."""
    of_clusters = {name: layout for name, layout in taken_layouts(shape).items()
                   if layout[2] != 0 and (layout[3] != 0 or plan_fit.Layout(shape, name).sharers > 1)}
    likely = sorted(of_clusters, key=lambda name: plan_fit.Layout(shape, name).us(plan_fit.START))[:4]
    return {name: layout for name, layout in taken_layouts(shape).items() if layout[2] == 0 or name in likely}


def measure(shape, dtype=torch.float16, bshd=False, layouts_of=taken_layouts, repeats=10):
    batch, heads, key_heads, rows, keys, dim = shape
    key_bytes = 4 * batch * key_heads * keys * dim
    count = min(16, max(2, math.ceil((160 << 20) / key_bytes)))
    sets = [draw(shape, dtype, bshd) for _ in range(count)]
    outs = [torch.empty_like(q) for q, _, _ in sets]
    estimate = key_bytes / 3e12 * 1e6 + 6
    calls = min(64, max(2, math.ceil(400 / estimate)))
    contenders = {"library": None, "long queries": (0, 0, 0, 0, 0), "split_streaming": (1, 0, 0, 0, 0), "split_halves": (2, 0, 0, 0, 0),
                  "streaming_heads": (3, 0, 0, 0, 0),
                  **layouts_of(shape)}
    graphs = {}
    for name, layout in contenders.items():
        try:
            graphs[name] = captured(lambda i, layout=layout: launch(*sets[i % count], outs[i % count], layout=layout), calls)
        except Unsupported:
            continue
        except RuntimeError as error:
            print(f"{name}: {error}", file=sys.stderr)
    options = {"enable_gqa": heads != key_heads}
    for name, backend in (("cudnn", SDPBackend.CUDNN_ATTENTION), ("flash", SDPBackend.FLASH_ATTENTION)):
        try:
            with sdpa_kernel(backend):
                graphs[name] = captured(lambda i: F.scaled_dot_product_attention(*sets[i % count], **options), calls)
        except RuntimeError:
            torch.cuda.synchronize()
    times = interleaved(graphs, calls, repeats, 1, random.Random(1))
    return {name: statistics.median(t) for name, t in times.items()}, key_bytes


def random_shape(random_):
    """A tile of rows against keys of up to 2 GB."""
    while True:
        group, rows = random_.choice((1, 1, 2, 4, 8, 16)), random_.choice((1, 1, 1, 2, 4, 16))
        key_heads = random_.choice((1, 1, 2, 3, 4, 5, 7, 8, 11, 16, 32))
        batch = random_.choice((1, 1, 1, 2, 3, 5, 8, 13, 26, 50, 100))
        keys = int(2 ** random_.uniform(8, 17))
        dim = random_.choice((64, 64, 80, 96, 128, 128, 128, 192, 256))
        if group * rows <= (32 if dim <= 128 else 16) and 4 * batch * key_heads * keys * dim < 2e9:
            return batch, group * key_heads, key_heads, rows, keys, dim


def sweep_shapes(words):
    path = words[words.index("sweep") + 1]
    option = {name: int(words[words.index(name) + 1]) if name in words else usual for name, usual in (("--seed", 1), ("--seconds", 120))}
    random_, end = random.Random(option["--seed"]), time.monotonic() + option["--seconds"]
    shapes = few_queries(option["--seed"]) if "--few" in words else ((random_shape(random_), "fp16", "bhsd") for _ in itertools.count())
    with open(path, "a", encoding="utf-8") as file:
        for shape, dtype, layout in shapes:
            if time.monotonic() > end:
                break
            kind = torch.float16 if dtype == "fp16" else torch.bfloat16
            times, _ = measure(shape, kind, layout == "bshd", likely_layouts, 5) if "--few" in words else measure(shape)
            print(json.dumps({"shape": shape, "dtype": dtype, "layout": layout, "us": {name: round(us, 3) for name, us in times.items()}}),
                  file=file, flush=True)


def few_queries(seed):
    """(sizes, element type, layout) as ../library/sweep.py draws them, keys of up to 1 GB."""
    for number in itertools.count():
        shape = sweep.random_shape(f"split_keys {seed}", number, {"few_queries": 1})
        if sweep.set_bytes(shape) <= 1 << 30:
            yield ([shape[name] for name in ("batch", "query_heads", "key_heads", "query_rows", "key_rows", "head_dim")], shape["dtype"],
                   shape["layout"])


@torch.no_grad()
def main(words):
    if "sweep" in words:
        return sweep_shapes(words)
    output = None
    if "--json" in words:
        at = words.index("--json")
        output = open(words[at + 1], "w")
        del words[at:at + 2]
    shapes = [tuple(map(int, word.split(","))) for word in words if "," in word] or SHAPES
    if "check" in words or "time" not in words:
        check()
    if "time" not in words and "check" in words:
        return
    print("| B,Hq,Hk,Sq,Sk,D | library us | best layout us | layout | long queries us | cuDNN us | flash us | x best SDPA | of 4.2 TB/s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for shape in shapes:
        times, key_bytes = measure(shape)
        ours = {name: t for name, t in times.items() if "warps" in name}
        best = min(ours, key=ours.get)
        theirs = [times[name] for name in ("cudnn", "flash") if name in times]
        print(f"| {','.join(map(str, shape))} | {times['library']:.2f} | {ours[best]:.2f} | {best} | {times['long queries']:.2f} | "
              f"{times.get('cudnn', math.nan):.2f} | {times.get('flash', math.nan):.2f} | {min(theirs) / times['library']:.2f} | "
              f"{100 * key_bytes / BANDWIDTH * 1e6 / times['library']:.0f} % |", flush=True)
        if output:
            print(json.dumps({"shape": shape, "us": times}), file=output, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
