# SPDX-License-Identifier: MIT
"""Checks the Hopper attention kernels against float64 and times them beside PyTorch's backends.

  python3 bench.py [check] [sweep] [time] [shape ...] [--only text,...] [--peers cudnn,flash] [--dtype bf16] [--overlap]
                   [--cases 8]

--only chosen times the kernel that the library chooses for each shape, --only "" all that support it; --overlap adds
launches that may start while their predecessor ends; --cases checks about so many of the cases. sweep launches every
kernel once and checks nothing: for compute-sanitizer --tool racecheck, under which a check takes too long.

Timing: every contender is captured as one CUDA graph of back-to-back calls over rotating input sets; the replays of all
contenders are interleaved in changing order (seed 11), and a contender's time is its replay divided by the calls in it.
Nothing is timed that has not passed its check.
"""

import ctypes
import itertools
import math
import pathlib
import random
import statistics
import sys

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from replays import interleaved  # noqa: E402

SHAPES = {  # name: (batch, heads, rows, head_dim)
    "small": (1, 8, 512, 64), "base": (4, 8, 512, 64), "medium": (4, 16, 512, 64), "large": (8, 16, 512, 64),
    "s128": (4, 8, 128, 64), "s256": (4, 8, 256, 64), "s1024": (4, 8, 1024, 64), "s2048": (4, 8, 2048, 64),
    "d128_s512": (4, 16, 512, 128), "d128_s1k": (4, 16, 1024, 128), "d128_s2k": (4, 16, 2048, 128),
    "d128_s4k": (4, 16, 4096, 128), "d128_s16k": (1, 16, 16384, 128),
    "d64_s4k": (4, 32, 4096, 64), "d64_s16k": (1, 32, 16384, 64),
    "d192_s512": (4, 16, 512, 192), "d192_s2k": (4, 16, 2048, 192), "d256_s512": (4, 16, 512, 256),
    "d256_s2k": (4, 16, 2048, 256), "d256_s4k": (4, 16, 4096, 256),
}


class Call(ctypes.Structure):
    _fields_ = [
        ("query", ctypes.c_void_p), ("key", ctypes.c_void_p), ("value", ctypes.c_void_p), ("output", ctypes.c_void_p),
        ("log_sum_exp", ctypes.c_void_p),
        ("query_strides", ctypes.c_int64 * 3), ("key_strides", ctypes.c_int64 * 3),
        ("value_strides", ctypes.c_int64 * 3), ("output_strides", ctypes.c_int64 * 3),
        ("batch", ctypes.c_int32), ("query_heads", ctypes.c_int32), ("key_heads", ctypes.c_int32),
        ("query_rows", ctypes.c_int32), ("key_rows", ctypes.c_int32), ("head_dim", ctypes.c_int32),
        ("causal", ctypes.c_int32), ("bf16", ctypes.c_int32), ("scale", ctypes.c_float),
        ("overlap_previous", ctypes.c_int32), ("cluster", ctypes.c_int32),
    ]


def load_library():
    library = ctypes.CDLL(str(pathlib.Path(__file__).resolve().parents[3] / "build/attention_hopper/libhopper_attention.so"))
    library.hopper_attention_name.restype = ctypes.c_char_p
    library.hopper_attention_launch.restype = ctypes.c_char_p
    library.hopper_attention_launch.argtypes = [ctypes.c_int, ctypes.POINTER(Call), ctypes.c_void_p]
    library.hopper_attention_supports.argtypes = [ctypes.c_int, ctypes.POINTER(Call)]
    library.hopper_attention_choose.argtypes = [ctypes.POINTER(Call)]
    return library


LIBRARY = load_library()
NAMES = [LIBRARY.hopper_attention_name(i).decode() for i in range(LIBRARY.hopper_attention_variants())]


def describe(q, k, v, out, causal, lse=None, overlap=False, cluster=0):
    return Call(
        q.data_ptr(), k.data_ptr(), v.data_ptr(), out.data_ptr(), lse.data_ptr() if lse is not None else None,
        (ctypes.c_int64 * 3)(*q.stride()[:3]), (ctypes.c_int64 * 3)(*k.stride()[:3]),
        (ctypes.c_int64 * 3)(*v.stride()[:3]), (ctypes.c_int64 * 3)(*out.stride()[:3]),
        q.shape[0], q.shape[1], k.shape[1], q.shape[2], k.shape[2], q.shape[3], int(causal),
        int(q.dtype == torch.bfloat16), 1.0 / math.sqrt(q.shape[3]), int(overlap), cluster)


def launch(variant, call):
    error = LIBRARY.hopper_attention_launch(variant, ctypes.byref(call), torch.cuda.current_stream().cuda_stream)
    if error:
        raise RuntimeError(error.decode())


def supporting(call, only):
    if only == ["chosen"]:
        return [LIBRARY.hopper_attention_choose(ctypes.byref(call))]
    return [i for i in range(len(NAMES))
            if (not only or any(t in NAMES[i] for t in only)) and LIBRARY.hopper_attention_supports(i, ctypes.byref(call))]


def draw(batch, heads, rows, dim, dtype, seed, key_heads=None, key_rows=None, bshd=False):
    generator = torch.Generator(device="cuda").manual_seed(seed)

    def tensor(h, s):
        shape = (batch, s, h, dim) if bshd else (batch, h, s, dim)
        t = torch.randn(shape, device="cuda", dtype=torch.float32, generator=generator).to(dtype)
        return t.transpose(1, 2) if bshd else t

    return (tensor(heads, rows), tensor(key_heads or heads, key_rows or rows), tensor(key_heads or heads, key_rows or rows))


def reference(q, k, v, causal):
    """Attention and log-sum-exp in float64, head by head; rows that see no key are 0 and -inf."""
    out = torch.empty(q.shape, dtype=torch.float64, device=q.device)
    lse = torch.empty(q.shape[:3], dtype=torch.float64, device=q.device)
    group = q.shape[1] // k.shape[1]
    for b in range(q.shape[0]):
        for h in range(q.shape[1]):
            s = q[b, h].double() @ k[b, h // group].double().T / math.sqrt(q.shape[3])
            if causal:
                rows = torch.arange(q.shape[2], device=q.device)[:, None] + k.shape[2] - q.shape[2]
                s = s.masked_fill(torch.arange(k.shape[2], device=q.device)[None, :] > rows, -math.inf)
            lse[b, h] = torch.logsumexp(s, -1)
            p = torch.exp(s - lse[b, h].nan_to_num(neginf=0.0)[:, None])
            out[b, h] = p @ v[b, h // group].double()
    return out, lse


def error_of(out, expected):
    return ((out.double() - expected).norm() / expected.norm().clamp_min(1e-30)).item()


def check_one(name, q, k, v, causal, only, quiet=True):
    expected, expected_lse = reference(q, k, v, causal)
    limit = 6e-4 if q.dtype == torch.float16 else 5e-3
    bad = 0
    out = torch.empty_like(q)
    lse = torch.empty(q.shape[:3], device="cuda", dtype=torch.float32)
    call = describe(q, k, v, out, causal, lse)
    for variant in supporting(call, only):
        bits = None
        for repeat in range(2):
            out.fill_(float("nan"))
            lse.fill_(float("nan"))
            launch(variant, call)
            torch.cuda.synchronize()
            same = bits is None or torch.equal(bits, out)
            bits = out.clone()
            error = error_of(out, expected)
            finite = torch.isfinite(expected_lse)
            lse_error = (lse.double() - expected_lse)[finite].abs().max().item() if finite.any() else 0.0
            lse_ok = lse_error < 2e-3 and torch.equal(lse[~finite].double(), expected_lse[~finite])
            if not (error < limit) or not lse_ok or not same:
                bad += 1
                print(f"WRONG {name} {NAMES[variant]} causal={causal} error={error:.3g} lse={lse_error:.3g} repeatable={same}")
                break
        if not quiet:
            print(f"  {name:12} {NAMES[variant]:50} error {error:.2e} lse {lse_error:.1e}")
    return bad


LENGTHS = [(1, 1), (1, 63), (63, 65), (64, 64), (65, 1), (127, 129), (129, 127), (128, 512), (500, 500), (512, 512),
           (333, 512), (600, 300), (1000, 1000), (1, 1000), (1025, 2049), (2049, 700)]
MANY_TILES = [(3, 45, 600, 600), (5, 61, 513, 640), (8, 48, 900, 700)]  # for each thread block, and odd numbers of them


def check(only, limit):
    bad = cases = 0
    seed = 1
    types, masks = (torch.float16, torch.bfloat16), (False, True)
    every = [(dim, dtype, (2, 4, rows, keys), causal) for dim in (64, 128, 192, 256, 40, 96, 136, 200) for dtype in types
             for rows, keys in (LENGTHS if dim % 64 == 0 else LENGTHS[5::5]) for causal in masks]
    every += itertools.product((64, 96, 128, 192, 256), types, MANY_TILES, masks)
    step = len(every) // limit | 1 if limit else 1  # odd, as full and causal alternate
    for dim, dtype, (batch, heads, rows, keys), causal in every[::step]:
        seed += 1
        cases += 1
        key_heads = heads // 2 if seed % 3 and heads % 2 == 0 else heads
        q, k, v = draw(batch, heads, rows, dim, dtype, seed, key_heads=key_heads, key_rows=keys, bshd=seed % 2 == 0)
        if seed % 5 == 0:
            q = q * 8
        if seed % 4 == 0:  # blocks are taken from the last: scores outgrow the first block's maximum again and again
            k = k * torch.linspace(30, 1, keys, device="cuda", dtype=torch.float32)[:, None].to(dtype)
        if seed % 3 == 0:  # no score is positive
            q, k = q.abs(), -k.abs()
        bad += check_one(f"{rows}x{keys}d{dim}{'bf16' if dtype == torch.bfloat16 else ''}", q, k, v, causal, only)
    print(f"check: {cases} cases, {bad} wrong")
    return bad


def sweep(only):
    launches = 0
    shapes = ((2, 70, 260, 260), (4, 70, 100, 200), (4, 70, 60, 50), (4, 70, 100, 120))  # several tiles for a thread block
    for dim, dtype, (batch, heads, rows, keys), causal in itertools.product(
            (64, 96, 128, 192, 256), (torch.float16, torch.bfloat16), shapes, (False, True)):
        q, k, v = draw(batch, heads, rows, dim, dtype, seed=7, key_rows=keys)
        out = torch.empty_like(q)
        lse = torch.empty(q.shape[:3], device="cuda", dtype=torch.float32)
        call = describe(q, k, v, out, causal, lse)
        for variant in supporting(call, only):
            launch(variant, call)
            torch.cuda.synchronize()
            launches += 1
    print(f"sweep: {launches} launches")


def capture(function, calls):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for i in range(8):
            function(i)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for i in range(calls):
                function(i)
    return graph


def time_shape(name, causal, only, peers, overlap, dtype=torch.float16):
    batch, heads, rows, dim = SHAPES[name]
    sets = [draw(batch, heads, rows, dim, dtype, 100 + i) for i in range(4)]
    outs = [torch.empty_like(s[0]) for s in sets]
    flops = 4 * batch * heads * rows * rows * dim * (0.5 if causal else 1.0)
    calls = 20 if flops < 5e10 else 4
    q, k, v = sets[0]
    small = rows <= 4096
    if small:
        part = slice(0, 1)
        expected, _ = reference(q[part, :4], k[part, :4], v[part, :4], causal)
    contenders = {}
    backends = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}
    for peer in peers:
        def run(i, backend=backends[peer]):
            with sdpa_kernel(backend):
                torch.nn.functional.scaled_dot_product_attention(*sets[i % 4], is_causal=causal)
        contenders["sdpa_" + peer] = (run, None)
        if small:
            with sdpa_kernel(backends[peer]):
                got = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
            peer_error = error_of(got[:1, :4], expected)
            contenders["sdpa_" + peer] = (run, peer_error)
            first = got if peer == peers[0] else first
        elif peer == peers[0]:
            with sdpa_kernel(backends[peer]):
                first = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    modes = [False, True] if overlap else [False]
    for variant in supporting(describe(q, k, v, outs[0], causal), only):
        for mode in modes:
            described = [describe(*s, o, causal, overlap=mode) for s, o in zip(sets, outs)]
            def run(i, variant=variant, described=described):
                launch(variant, described[i % 4])
            outs[0].fill_(float("nan"))
            run(0)
            torch.cuda.synchronize()
            error = error_of(outs[0][:1, :4], expected) if small else error_of(outs[0], first.double())
            if not error < 1.5e-3 * (8 if dtype == torch.bfloat16 else 1):
                print(f"WRONG {name} {NAMES[variant]} error={error:.3g}")
                continue
            contenders[NAMES[variant] + ("+overlap" if mode else "")] = (run, error)
    graphs = {n: capture(f, calls) for n, (f, _) in contenders.items()}
    times = interleaved(graphs, calls, 42, 3, random.Random(11))
    best_peer = min((statistics.median(t) for n, t in times.items() if n.startswith("sdpa")), default=math.nan)
    for n, t in sorted(times.items(), key=lambda x: statistics.median(x[1])):
        t.sort()
        p50, p90 = statistics.median(t), t[int(len(t) * 0.9)]
        error = contenders[n][1]
        print(f"{name:10} {'causal' if causal else 'full  '} {n:42} p50 {p50:8.2f} p90 {p90:8.2f} us "
              f"{flops / p50 * 1e-6:6.0f} TF/s  x{best_peer / p50:5.2f}  err {error if error is not None else math.nan:.1e}", flush=True)
    del graphs
    torch.cuda.empty_cache()


def main(arguments):
    options = {"--only": "", "--peers": "cudnn,flash", "--dtype": "fp16", "--cases": "0"}
    words, i = [], 0
    while i < len(arguments):
        if arguments[i] in options:
            options[arguments[i]] = arguments[i + 1]
            i += 2
        else:
            words.append(arguments[i])
            i += 1
    only = [t for t in options["--only"].split(",") if t]
    peers = [t for t in options["--peers"].split(",") if t]
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}, variants {len(NAMES)}")
    if "check" in words and check(only, int(options["--cases"])):
        return 1
    if "sweep" in words:
        sweep(only)
    if "time" in words:
        names = [w for w in words if w in SHAPES] or list(SHAPES)
        for name in names:
            for causal in (False, True):
                time_shape(name, causal, only, peers, "--overlap" in words,
                           torch.bfloat16 if options["--dtype"] == "bf16" else torch.float16)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
