# SPDX-License-Identifier: MIT
"""Many short sequences: the pairs kernel beside what would be taken without it, cuDNN and flash on 44 random shapes. At most 60 s on
an H200.

  make attention && PYTHONPATH=python python3 kernels/attention/pairs/bench.py [--shapes 44] [--seed 1] [--seconds 55]

Shapes are a function of seed and number: 17 to 128 rows, at least 256 (batch, head) pairs, D = 64, 80, 96 or 128, full or causal,
fp16, both layouts. Every result is compared with float64 on some heads before it is timed. Timing: each contender is one CUDA graph
of back-to-back calls over rotating inputs that the L2 cache does not hold; replays are interleaved in changing order, and a time is
the median replay divided by the calls in it. "present" is what the library would take if it had no pairs kernel. A line of JSON for
each shape goes to build/pairs_bench.jsonl as soon as it is there. Exits 1 if something is wrong. floor: all bytes once at 4.2 TB/s.
"""

import argparse
import json
import math
import pathlib
import random
import statistics
import sys
import time

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "kernels/attention"), str(ROOT / "kernels/attention/library")]
from replays import interleaved  # noqa: E402
from sweep import launch_pairs  # noqa: E402

RESULTS = ROOT / "build" / "pairs_bench.jsonl"
BYTES_PER_US = 4.2e6
PEERS = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}


def pairs(q, k, v, out, causal, lse=None):
    return launch_pairs(q, k, v, out, causal, True, lse)


def shape_of(seed, number):
    draw = random.Random(seed * 1000 + number)
    heads = draw.choice((8, 12, 16, 32))
    return {"number": number, "batch": math.ceil(2 ** draw.uniform(8, 12) / heads), "heads": heads,
            "rows": draw.choice((64, 96, 128, 128, draw.randint(17, 128), draw.randint(65, 128))),
            "dim": draw.choice((64, 64, 80, 96, 128, 128)), "causal": draw.random() < 0.5, "bshd": draw.random() < 0.5}


def draw_inputs(shape, seed):
    generator = torch.Generator(device="cuda").manual_seed(seed)
    batch, heads, rows, dim = shape["batch"], shape["heads"], shape["rows"], shape["dim"]
    sizes = (batch, rows, heads, dim) if shape["bshd"] else (batch, heads, rows, dim)
    tensors = [torch.randn(sizes, device="cuda", dtype=torch.float16, generator=generator) for _ in range(3)]
    return [t.transpose(1, 2) if shape["bshd"] else t for t in tensors]


def float64(q, k, v, causal):
    """Output and log-sum-exp."""
    scores = q.double() @ k.double().transpose(-1, -2) * q.shape[-1] ** -0.5
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores[0, 0], dtype=torch.bool).triu(1), -math.inf)
    return torch.softmax(scores, -1) @ v.double(), torch.logsumexp(scores, -1)


def check_lengths():
    """Lengths around the tiles, other numbers of queries than keys, grouped heads, bf16: before anything is timed."""
    wrong = 0
    for number, (rows, keys) in enumerate(((1, 1), (1, 128), (63, 65), (64, 64), (65, 64), (100, 37), (128, 127), (128, 128))):
        for dim in (8, 64, 80, 96, 128):
            for causal in (False, True):
                dtype = (torch.float16, torch.bfloat16)[(number + dim // 8) % 2]
                q = torch.randn(7, 40, rows, dim, device="cuda").to(dtype)
                k, v = (torch.randn(7, 10, keys, dim, device="cuda").to(dtype) for _ in range(2))
                out, lse = torch.full_like(q, math.nan), torch.full(q.shape[:3], math.nan, device="cuda")
                pairs(q, k, v, out, causal, lse)
                scores = q.double() @ k.repeat_interleave(4, 1).double().transpose(-1, -2) * dim ** -0.5
                if causal:
                    hidden = torch.arange(keys, device="cuda")[None, :] > torch.arange(rows, device="cuda")[:, None] + keys - rows
                    scores = scores.masked_fill(hidden, -math.inf)
                expected_lse = torch.logsumexp(scores, -1)
                expected = torch.exp(scores - expected_lse.nan_to_num(neginf=0.0)[..., None]) @ v.repeat_interleave(4, 1).double()
                error = ((out.double() - expected).norm() / expected.norm().clamp_min(1e-30)).item()
                same = torch.allclose(lse.double(), expected_lse, atol=2e-3, rtol=0)  # -inf equals -inf
                if not error < (7e-4 if dtype == torch.float16 else 6e-3) or not same:
                    wrong += 1
                    print(f"WRONG {rows}x{keys} D={dim} causal={causal} {dtype}: error {error:.3g}, log-sum-exp {same}")
    print(f"80 cases against float64, {wrong} wrong", flush=True)
    return wrong


def contenders_of(shape, sets):
    causal = shape["causal"]
    outs = [torch.empty_like(q) for q, _, _ in sets]

    def sdpa(i, backend):
        with sdpa_kernel(backend):
            return torch.nn.functional.scaled_dot_product_attention(*sets[i], is_causal=causal)

    functions = {"pairs": lambda i: pairs(*sets[i], outs[i], causal),
                 "present": lambda i: launch_pairs(*sets[i], outs[i], causal, False)}
    return functions | {name: lambda i, backend=backend: sdpa(i, backend) for name, backend in PEERS.items()}


def capture(function, calls, sets):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for i in range(min(3, sets)):
            function(i)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for i in range(calls):
                function(i % sets)
    return graph


def measure(shape):
    """Microseconds of each contender; raises AssertionError where a result is wrong."""
    floor = 8 * shape["batch"] * shape["heads"] * shape["rows"] * shape["dim"] / BYTES_PER_US
    count = max(2, min(8, math.ceil(60 / floor)))  # at least 250 MB of inputs and outputs, but few sets
    sets = [draw_inputs(shape, shape["number"] * 10 + i) for i in range(count)]
    functions = contenders_of(shape, sets)
    expected, _ = float64(*(t[-1:, -4:] for t in sets[0]), shape["causal"])
    for name in list(functions):
        try:
            found = functions[name](0)
        except (RuntimeError, ValueError) as refusal:
            if name == "pairs":
                raise
            print(f"  {name}: {str(refusal).splitlines()[0][:80]}")
            del functions[name]
            continue
        error = ((found[-1:, -4:].double() - expected).norm() / expected.norm()).item()
        assert error < 1e-3, f"{name}: error {error:.3g}"
    graphs = {name: capture(function, 10, count) for name, function in functions.items()}
    times = interleaved(graphs, 10, 30, 3, random.Random(11))
    return floor, {name: statistics.median(values) for name, values in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", type=int, default=44)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=55)
    words = parser.parse_args()
    begin = time.monotonic()
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}", flush=True)
    wrong, over_best, over_present = check_lengths(), [], []
    RESULTS.parent.mkdir(exist_ok=True)
    with RESULTS.open("a") as results:
        for number in range(words.shapes):
            if time.monotonic() - begin > words.seconds:
                print(f"{number} of {words.shapes} shapes in {words.seconds:.0f} s; --seconds allows more")
                break
            shape = shape_of(words.seed, number)
            try:
                floor, us = measure(shape)
            except AssertionError as error:
                wrong += 1
                print(f"WRONG {shape}: {error}", flush=True)
                continue
            best = min((us[name] for name in PEERS if name in us), default=math.nan)
            over_best.append(best / us["pairs"])
            if "present" in us:
                over_present.append(us["present"] / us["pairs"])
            print(json.dumps({"device": torch.cuda.get_device_name(), "seed": words.seed, **shape, "floor": floor, "us": us}), file=results,
                  flush=True)
            print(f"{shape['batch']},{shape['heads']},{shape['rows']},{shape['dim']} {'causal' if shape['causal'] else 'full'}: "
                  + ", ".join(f"{name} {value:.2f}" for name, value in us.items())
                  + f", floor {floor:.2f} us; x {best / us['pairs']:.2f} of the best backend", flush=True)
            torch.cuda.empty_cache()
    for name, values in (("best of cuDNN and flash", over_best), ("present kernel", over_present)):
        if values:
            print(f"over the {name}: median {statistics.median(values):.2f}, least {min(values):.2f}, "
                  f"{sum(value < 0.98 for value in values)} of {len(values)} below 0.98")
    print(f"{wrong} wrong, {time.monotonic() - begin:.1f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
