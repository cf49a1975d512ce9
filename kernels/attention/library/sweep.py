# SPDX-License-Identifier: MIT
"""Times the library beside SDPA's backends on random shapes, one JSON line per shape, for measured.py to learn from.

  PYTHONPATH=python python3 kernels/attention/library/sweep.py OUT.jsonl [--start 0] [--count 2400] [--seconds 540] [--seed 1]
                                                               [--only few_queries,...] [--fa3 libfa3.so]

Shape number n is a function of the seed and n alone. A run works for so many seconds and ends with the number to start
the next one from; a file that is there already is continued after its last shape, whatever --start says. A shape that
gives no answer within --patience seconds (a kernel that hangs) ends the run with exit code 3: it is in the file as
"hung", and the next run goes on after it.

Every contender is one CUDA graph of back-to-back calls over rotating input sets that exceed the L2 cache where K and V
alone do not fit it; replays are interleaved in random order; a time is the median replay divided by its calls. A
result counts only if sampled rows agree with float64.
"""

import argparse
import contextlib
import ctypes
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from replays import interleaved, timed  # noqa: E402

MOST_FLOPS = 2.5e12  # of one call: 5 ms
MOST_BYTES = 3 << 30  # of one set of inputs
ROTATED_BYTES = 160 << 20  # all sets together, at least, where that takes no more than 16 of them
REPLAY_US = 400
LIMIT = {"fp16": 1e-3, "bf16": 8e-3}  # relative 2-norm of the sampled rows

# Kinds of shapes and how many of 100 are of each.
KINDS = {"square": 38, "few_queries": 30, "many_short": 8, "pairs": 8, "cross": 8, "few_tiles": 8}


def _between(draw, least, most):
    """An integer, its logarithm uniform."""
    return round(math.exp(draw.uniform(math.log(least), math.log(most))))


def _length(draw, least, most):
    """A length: often a multiple of 64, sometimes any."""
    rows = _between(draw, least, most)
    return max(rows // 64 * 64, 64) if rows >= 64 and draw.random() < 0.6 else rows


def flops(shape):
    half = 0.5 if shape["causal"] else 1.0
    return 4.0 * half * shape["batch"] * shape["query_heads"] * shape["query_rows"] * shape["key_rows"] * shape["head_dim"]


def set_bytes(shape):
    return 4 * shape["batch"] * shape["head_dim"] * (shape["query_heads"] * shape["query_rows"] + shape["key_heads"] * shape["key_rows"])


def _pairs_sizes(draw):
    """(batch, key heads, group, queries, keys, columns, causal): short sequences, up to 8,192 pairs of batch and head."""
    group = draw.choice((2, 4, 8)) if draw.random() < 0.3 else 1
    key_heads = draw.choice((1, 2, 4, 8, 12, 16, 32)) if group == 1 else draw.choice((1, 2, 4, 8))
    batch = max(1, round(_between(draw, 32, 8192) / (key_heads * group)))
    rows = keys = draw.choice((64, 96, 128, 128, draw.randint(1, 160), draw.randint(8, 64), draw.randint(65, 128)))
    if draw.random() < 0.25:
        keys = draw.choice((64, 128, draw.randint(1, 160)))
    head_dim = draw.choice((64, 64, 64, 128, 128, 128, 96, 80, 8 * draw.randint(8, 16)))
    return batch, key_heads, group, rows, keys, head_dim, rows == keys and draw.random() < 0.55


def random_shape(seed, number, kinds=KINDS):
    """Shape number n of a seed: the same on every machine."""
    draw = random.Random(f"{seed} {number}")
    kind = draw.choices(list(kinds), list(kinds.values()))[0]
    while True:
        head_dim = draw.choices((64, 128, 96, 80, 256, 192, 8 * draw.randint(9, 31)), (28, 34, 7, 6, 10, 5, 10))[0]
        group = draw.choice((1, 2, 4, 8, 16)) if draw.random() < (0.7 if kind == "few_queries" else 0.35) else 1
        key_heads = _between(draw, 1, max(1, 64 // group))
        batch = _between(draw, 1, 128)
        causal = draw.random() < 0.5
        if kind == "pairs":
            batch, key_heads, group, rows, keys, head_dim, causal = _pairs_sizes(draw)
        elif kind == "square":
            rows = keys = _length(draw, 64, 16384)
        elif kind == "few_tiles":
            batch, key_heads = draw.choice((1, 1, 2)), draw.choice((1, 2, 4, 8))
            rows = keys = _length(draw, 64, 8192)
        elif kind == "many_short":
            rows = keys = _between(draw, 8, 320)
            batch, key_heads = _between(draw, 16, 128), max(1, _between(draw, 4, 64) // group)
        elif kind == "cross":
            rows, keys, causal = _length(draw, 65, 4096), _length(draw, 64, 16384), False
        else:
            rows = draw.choice((1, 1, 1, 1, 2, 4, 8, 16, 32, 64, draw.randint(1, 64)))
            keys, causal = _length(draw, 256, 131072), False
        shape = {"batch": batch, "query_heads": key_heads * group, "key_heads": key_heads, "query_rows": rows, "key_rows": keys,
                 "head_dim": head_dim, "causal": causal, "dtype": draw.choice(("fp16", "bf16")),
                 "layout": draw.choices(("bhsd", "bshd"), (60, 40))[0]}
        if flops(shape) <= MOST_FLOPS and set_bytes(shape) <= MOST_BYTES:
            return {"kind": kind, **shape}


def _inputs(shape, count):
    import torch
    dtype = torch.float16 if shape["dtype"] == "fp16" else torch.bfloat16

    def tensor(heads, rows):
        sizes = (shape["batch"], heads, rows, shape["head_dim"])
        if shape["layout"] == "bhsd":
            return torch.randn(sizes, device="cuda", dtype=dtype)
        return torch.randn((sizes[0], sizes[2], sizes[1], sizes[3]), device="cuda", dtype=dtype).transpose(1, 2)

    return [(tensor(shape["query_heads"], shape["query_rows"]), tensor(shape["key_heads"], shape["key_rows"]),
             tensor(shape["key_heads"], shape["key_rows"])) for _ in range(count)]


def _sampled_error(shape, tensors, result, draw):
    """Relative error of up to 64 rows of three heads against float64; NaN where something is not finite."""
    import torch
    query, key, value = tensors
    group, wrong, size = shape["query_heads"] // shape["key_heads"], 0.0, 0.0
    for _ in range(3):
        batch, head = draw.randrange(shape["batch"]), draw.randrange(shape["query_heads"])
        rows = torch.tensor(sorted({draw.randrange(shape["query_rows"]) for _ in range(64)}), device="cuda")
        scores = query[batch, head, rows].double() @ key[batch, head // group].double().T * shape["head_dim"] ** -0.5
        if shape["causal"]:
            scores.masked_fill_(torch.arange(shape["key_rows"], device="cuda")[None, :] > rows[:, None], -math.inf)
        expected = torch.softmax(scores, -1) @ value[batch, head // group].double()
        wrong += (result[batch, head, rows].double() - expected).square().sum().item()
        size += expected.square().sum().item()
    return math.sqrt(wrong / size)


def _fa3(library, shape, sets):
    """FlashAttention-3 as function of a set's number, or None where the library has no kernel for it."""
    import torch
    if (library is None or shape["dtype"] != "fp16" or shape["layout"] != "bhsd" or shape["head_dim"] not in (64, 128, 256)
            or shape["query_heads"] != shape["key_heads"] or shape["query_rows"] != shape["key_rows"]):
        return None
    out = torch.empty_like(sets[0][0])
    log_sum_exp = torch.empty(out.shape[:3], device="cuda")
    semaphore = torch.zeros(1, device="cuda", dtype=torch.int32)

    def call(index):
        pointers = [ctypes.c_void_p(t.data_ptr()) for t in (*sets[index], out, log_sum_exp, semaphore)]
        failed = library.fa3_fwd(*pointers, shape["batch"], shape["query_heads"], shape["query_rows"], shape["head_dim"],
                                 int(shape["causal"]), ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
        if failed:
            raise RuntimeError(f"fa3_fwd: {failed}")
        return out

    return call


def launch_by(function, numbers, q, k, v, out, causal=False, lse=None):
    """By a function of the library that tests and benchmarks have, with the numbers that it takes. Raises Unsupported."""
    import torch
    from assay_attention import library
    call = library.CALL.pack(library.CALL.size, library.CAUSAL if causal else 0, q.data_ptr(), k.data_ptr(), v.data_ptr(), out.data_ptr(),
                             0 if lse is None else lse.data_ptr(), *q.stride()[:3], *k.stride()[:3], *v.stride()[:3],
                             *out.stride()[:3], q.shape[0], q.shape[1], k.shape[1], q.shape[2], k.shape[2], q.shape[3],
                             library.BF16 if q.dtype == torch.bfloat16 else library.F16, q.shape[3] ** -0.5)
    entry = getattr(library.load(), function)
    entry.argtypes = [ctypes.c_char_p, *[ctypes.c_int] * len(numbers), ctypes.c_void_p]
    status = entry(call, *numbers, torch.cuda.current_stream().cuda_stream)
    if status:
        library.raise_for(status)
    return out


def launch_pairs(q, k, v, out, causal, in_pairs, lse=None):
    """The kernel for many short sequences, or what would be taken if there were none. Raises Unsupported."""
    return launch_by("assay_attention_testing_pairs", (int(in_pairs),), q, k, v, out, causal, lse)


def launch_own_tiles(q, k, v, out, causal, is_long, lse=None):
    """The kernels whose consumers have tiles of their own. Raises Unsupported."""
    return launch_by("assay_attention_testing_own_tiles", (int(is_long),), q, k, v, out, causal, lse)


def launch_split_keys(q, k, v, out, layout, causal=False, lse=None):
    """The kernel for few queries. layout: (slabs, warps, blocks of a cluster, clusters that share a head's keys, clusters that
    share all keys), as Plan in ../split_keys/plan.hpp. Fewer than no warps: as planned."""
    return launch_by("assay_attention_testing_split_keys", layout, q, k, v, out, causal, lse)


def _contenders(shape, sets, fa3):
    """name -> (function of a set's number, context to call it in)"""
    import assay_attention
    import torch.nn.functional as F
    from torch.nn.attention import SDPBackend, sdpa_kernel
    options = {"is_causal": shape["causal"], "enable_gqa": shape["query_heads"] != shape["key_heads"]}

    def theirs(index):
        return F.scaled_dot_product_attention(*sets[index], **options)

    found = {"ours": (lambda index: assay_attention.attention(*sets[index], causal=shape["causal"]), contextlib.nullcontext),
             "cudnn": (theirs, lambda: sdpa_kernel(SDPBackend.CUDNN_ATTENTION)),
             "flash": (theirs, lambda: sdpa_kernel(SDPBackend.FLASH_ATTENTION))}
    peer = _fa3(fa3, shape, sets)
    if peer is not None:
        found["fa3"] = (peer, contextlib.nullcontext)
    return found


def _captured(function, context, calls, sets):
    import torch
    graph = torch.cuda.CUDAGraph()
    with context(), torch.cuda.graph(graph):
        for i in range(calls):
            function(i % sets)
    return graph


def _chosen(shape):
    """The name of the kernel that the library takes."""
    import assay_attention
    return assay_attention.query(shape["batch"], shape["query_heads"], shape["query_rows"], shape["head_dim"], shape["key_heads"],
                                 shape["key_rows"], shape["dtype"], shape["causal"])


def measure(shape, seed, fa3=None):
    """The shape with times in microseconds, errors, and what was refused."""
    import torch
    draw = random.Random(f"measure {seed}")
    torch.manual_seed(draw.randrange(1 << 31))
    count = min(16, max(4 if set_bytes(shape) < 1 << 30 else 2, math.ceil(ROTATED_BYTES / set_bytes(shape))))
    sets = _inputs(shape, count)
    shape = {**shape, "kernel": _chosen(shape)}
    contenders, errors, refused, warm_us = _contenders(shape, sets, fa3), {}, {}, {}
    for name, (function, context) in list(contenders.items()):
        try:
            with context():
                function(0)
                result, warm_us[name] = timed(function, 0)
            errors[name] = _sampled_error(shape, sets[0], result, draw)
            del result
        except (RuntimeError, ValueError) as error:
            torch.cuda.synchronize()
            refused[name] = str(error).splitlines()[0][:120]
            del contenders[name]
    calls = min(64, max(2, math.ceil(REPLAY_US / min(warm_us.values()))))
    graphs = {name: _captured(function, context, calls, count) for name, (function, context) in contenders.items()}
    repeats = max(5, min(15, math.ceil(6000 * 2 / (calls * min(warm_us.values())))))
    times = interleaved(graphs, calls, repeats, 2, draw)
    return {**shape, "us": {name: round(statistics.median(t), 3) for name, t in times.items()},
            "error": {name: float(f"{e:.3g}") for name, e in errors.items()}, "refused": refused, "calls": calls, "sets": count}


@contextlib.contextmanager
def watched(line, seconds, output):
    """Ends the program with exit code 3, the shape written down, if its measurement takes longer: nothing stops a kernel that hangs."""

    def give_up():
        print(json.dumps({**line, "hung": f"no answer within {seconds} s"}), file=output, flush=True)
        print("HUNG", json.dumps(line), flush=True)
        os._exit(3)

    timer = threading.Timer(seconds, give_up)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def facts(words):
    """What a table must say about how it was measured. Of files their names: where they lay is the machine's."""
    import assay_attention
    import torch
    device = torch.cuda.get_device_properties(0)
    driver = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], capture_output=True, text=True,
                            check=False).stdout.strip().splitlines()
    return {"gpu": {"name": device.name, "compute_capability": 10 * device.major + device.minor},
            "measured": {"date": time.strftime("%Y-%m-%d"), "driver": driver[0] if driver else "unknown", "pytorch": torch.__version__,
                         "cudnn": str(torch.backends.cudnn.version()), "library": assay_attention.version(),
                         "command": " ".join(["kernels/attention/library/sweep.py", *(pathlib.PurePath(word).name for word in words)])}}


def _kinds(text):
    names = text.split(",")
    if not set(names) <= KINDS.keys():
        raise argparse.ArgumentTypeError(f"kinds are {', '.join(KINDS)}")
    return {kind: KINDS[kind] for kind in names}


def options_of(words):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=pathlib.Path)
    for name, value in (("--start", 0), ("--count", 2400), ("--seconds", 540), ("--seed", 1), ("--patience", 30)):
        parser.add_argument(name, type=int, default=value)
    parser.add_argument("--only", type=_kinds, default=KINDS)
    parser.add_argument("--fa3", type=pathlib.Path)
    return parser.parse_args(words)


def main(words):
    import torch
    options = options_of(words)
    began, fa3 = time.monotonic(), ctypes.CDLL(str(options.fa3.resolve())) if options.fa3 else None
    number = options.start
    if options.output.is_file():
        lines = [json.loads(line) for line in options.output.read_text().splitlines()]
        number = max([number] + [line["number"] + 1 for line in lines if "number" in line])
    ratios, wrong = [], 0
    with options.output.open("a") as output, torch.no_grad():
        print(json.dumps(facts(words)), file=output)
        while number < options.count and time.monotonic() - began < options.seconds:
            shape = random_shape(options.seed, number, options.only)
            line = {"number": number, "seed": options.seed}
            with watched({**line, **shape}, options.patience, output):
                line.update(measure(shape, f"{options.seed} {number}", fa3))
            print(json.dumps(line), file=output, flush=True)
            if not line["error"].get("ours", math.nan) < LIMIT[shape["dtype"]]:
                wrong += 1
                print("WRONG", json.dumps(line), flush=True)
            theirs = [line["us"][name] for name in ("cudnn", "flash") if name in line["us"]]
            if theirs and "ours" in line["us"]:
                ratios.append(min(theirs) / line["us"]["ours"])
            number += 1
            if number % 50 == 0:
                print(f"{number} of {options.count}, {time.monotonic() - began:.0f} s, median x{statistics.median(ratios):.2f}", flush=True)
            if number % 20 == 0:
                torch.cuda.empty_cache()
    if ratios:
        ratios.sort()
        print(f"{len(ratios)} shapes: median x{statistics.median(ratios):.3f}, 5 % quantile x{ratios[len(ratios) // 20]:.3f}, "
              f"worst x{ratios[0]:.3f} of the best SDPA backend")
    print("all done" if number >= options.count else f"go on with --start {number}")
    if wrong:
        raise SystemExit(f"{wrong} shapes with a wrong result, or none")


if __name__ == "__main__":
    main(sys.argv[1:])
