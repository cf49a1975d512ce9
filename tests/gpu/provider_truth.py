# SPDX-License-Identifier: MIT
"""Asks a real GPU whether the Python providers tell the truth:
  python3 provider_truth.py [sdpa] [compile] [red_team] [FOLDER of kernels/red_team ...]

Talks to the providers over pipes as the program does. `sdpa`: outputs against float64, fingerprints against their
definition, times by every protocol. `compile`: the built-in problems under torch.compile. `red_team`: every Python
candidate of kernels/red_team, with a small judge that names the guards that fire; expected.json there says which must.
Needs PyTorch and a GPU. The exit code is 1 if anything was not as expected.
"""

import concurrent.futures
import ctypes
import json
import math
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}
SETS = 4


def raw(tensor):
    host = tensor.contiguous().cpu()
    return ctypes.string_at(host.data_ptr(), host.numel() * host.element_size())


def fingerprint(contents):
    words = torch.frombuffer(bytearray(contents + b"\0" * (-len(contents) % 4)), dtype=torch.int32).long() & 0xffffffff
    factors = 2 * torch.arange(len(words), dtype=torch.int64) + 1
    return f"{(words * factors).sum().item() % 2**64:016x}"  # int64 wraps as the definition asks


class Lost(Exception):
    pass


class Provider:
    def __init__(self, program):
        self.process = subprocess.Popen([sys.executable, str(ROOT / "providers" / program)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.errors = []
        threading.Thread(target=lambda: self.errors.extend(self.process.stderr), daemon=True).start()
        self.wall_us = 0.0

    def ask(self, op, limit=120, **fields):
        identity = random.getrandbits(52)
        guard = threading.Timer(limit, self.process.kill)
        guard.start()
        begin = time.perf_counter()
        try:
            self.process.stdin.write(json.dumps({**fields, "op": op, "id": identity}).encode() + b"\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = b""
        finally:
            guard.cancel()
        self.wall_us = (time.perf_counter() - begin) * 1e6
        if not line:
            raise Lost(f"{op}: no answer; " + b"".join(self.errors[-5:]).decode(errors="replace"))
        answer = json.loads(line)
        if answer.get("id") != identity:
            raise Lost("answer_id")
        if not answer["ok"]:
            raise Lost(f"{op}: {answer['error']}")
        return answer

    def close(self):
        self.process.kill()
        self.process.wait()


class Problem:
    """Arguments, inputs on disk and expected values (float64, computed here, after the contender ran)."""

    def __init__(self, folder, reference, dims, inputs, output, scalars, compute):
        self.folder, self.reference, self.dims, self.compute = pathlib.Path(folder), reference, dims, compute
        self.inputs = inputs  # name: (dtype, shape)
        self.output = output  # name, dtype, shape
        self.scalars = scalars
        self.values = [self.draw(number) for number in range(SETS)]

    def draw(self, seed):
        generator = torch.Generator(device="cuda").manual_seed(seed)
        return {name: torch.randn(shape, device="cuda", generator=generator).to(DTYPES[dtype])
                for name, (dtype, shape) in self.inputs.items()}

    def files(self, values, tag):
        names = {}
        for name, tensor in values.items():
            path = self.folder / f"{tag}.{name}"
            path.write_bytes(raw(tensor))
            names[name] = str(path)
        return names

    def prepare(self, options, **timing):
        def entry(name, role, dtype, shape):
            size = torch.empty(0, dtype=DTYPES[dtype]).element_size()
            strides = [math.prod(shape[i + 1:]) for i in range(len(shape))]
            return {"name": name, "role": role, "dtype": dtype, "shape": list(shape), "strides": strides,
                    "bytes": size * math.prod(shape)}
        arguments = [entry(name, "input", *kind) for name, kind in self.inputs.items()]
        arguments.append(entry(self.output[0], "output", *self.output[1:]))
        arguments += [{"name": name, "role": "scalar", "dtype": "f32", "value": value}
                      for name, value in self.scalars.items()]
        return {"problem": {"reference": self.reference, "options": {}}, "dims": self.dims, "arguments": arguments,
                "sets": [self.files(values, f"set{n}") for n, values in enumerate(self.values)], "options": options,
                "timing": {"protocol": "graph", "cache": "warm", "flush_bytes": 0, "calls": 20, "delay_cycles": 0,
                           "placement": 0, "warm_up_calls": 2,
                           "gate": {"cycles": 250_000, "growth": 4, "most_cycles": 400_000_000, "calls": 1},
                           "instruments": str(ROOT / "src/measure/instruments.ptx"), **timing}}

    def read(self, provider, number):
        path = self.folder / "read"
        provider.ask("read", set=number, files={self.output[0]: str(path)})
        return path.read_bytes()

    def error(self, contents, values):
        _, dtype, shape = self.output
        got = torch.frombuffer(bytearray(contents), dtype=DTYPES[dtype]).view(shape).cuda().double()
        expected = self.compute(**{name: value.double() for name, value in values.items()})
        return ((got - expected).norm() / expected.norm()).item()


def attention(folder, batch, heads, rows, dim, causal, key_rows=None, key_heads=None, dtype="f16"):
    q, k = (batch, heads, rows, dim), (batch, key_heads or heads, key_rows or rows, dim)

    def compute(q, k, v):
        group = q.shape[1] // k.shape[1]
        scores = q @ k.repeat_interleave(group, 1).transpose(-1, -2) / math.sqrt(dim)
        if causal:
            hidden = torch.ones(scores.shape[-2:], dtype=torch.bool, device="cuda").triu(1 + k.shape[2] - q.shape[2])
            scores = scores.masked_fill(hidden, -math.inf)
        return torch.softmax(scores, -1) @ v.repeat_interleave(group, 1)

    return Problem(folder, "attention_forward", {"B": batch, "H": heads, "S": rows, "D": dim, "causal": causal},
                   {"q": (dtype, q), "k": (dtype, k), "v": (dtype, k)}, ("o", dtype, q), {"scale": 1 / math.sqrt(dim)},
                   compute)


def verified(problem, provider, limit, failures, name):
    for number in range(2):
        provider.ask("run", set=number, poison=255)
        error = problem.error(problem.read(provider, number), problem.values[number])
        if not error < limit:
            failures.append(f"{name}: error {error:.3g}")
    prints = [fingerprint(problem.read(provider, number)) for number in range(2)]
    got = provider.ask("sample", order=[0, 1, 1, 0], poison=[1, 2, 3, 4])["fingerprints"]
    if got != [prints[0], prints[1], prints[1], prints[0]]:
        failures.append(f"{name}: fingerprints {got}, expected {prints}")
    return error


def p50(values):
    return statistics.median(values)


def samples(provider, requests=12):
    taken = []
    for _ in range(requests):
        order = [i % SETS for i in range(10)]
        random.shuffle(order)
        taken += provider.ask("sample", order=order, poison=[random.randrange(256) for _ in order])["us"]
    return taken


CANONICAL = {"small": (1, 8), "base": (4, 8), "medium": (4, 16), "large": (8, 16)}
# Microseconds on an H200, PyTorch 2.11 with cuDNN 9.19: back-to-back calls of a plain script, p50.
KNOWN_CUDNN = {("small", False): 9.04, ("base", False): 10.03, ("medium", False): 16.06, ("large", False): 26.74,
               ("small", True): 9.33, ("base", True): 10.27, ("medium", True): 16.5, ("large", True): 23.89}


def sdpa(folder):
    failures = []
    provider = Provider("torch_sdpa.py")
    print(json.dumps(provider.ask("hello", protocol=1, device=0)))
    print(f"{'shape':8}{'causal':>7}{'backend':>9} {'error':>8} {'throughput':>11} {'known':>6} {'graph':>7} "
          f"{'event':>7} {'cold':>7}")
    for (name, (batch, heads)), causal in [(item, causal) for item in CANONICAL.items() for causal in (False, True)]:
        problem = attention(folder, batch, heads, 512, 64, causal)
        for backend in ("default", "flash") if name == "base" else ("default",):
            prepared = provider.ask("prepare", **problem.prepare({"backend": backend}))
            error = verified(problem, provider, 6e-4, failures, f"{name} {backend}")
            graph = p50(samples(provider))
            many = provider.ask("throughput", replays=40)
            through, wall = p50(many["us"]), many["host_us"] / 40 / 20
            provider.ask("prepare", **problem.prepare({"backend": backend}, protocol="event"))
            verified(problem, provider, 6e-4, failures, f"{name} {backend} event")
            event = p50(samples(provider))
            provider.ask("prepare", **problem.prepare({"backend": backend}, cache="cold", flush_bytes=128 << 20))
            verified(problem, provider, 6e-4, failures, f"{name} {backend} cold")
            cold = p50(samples(provider, 5))
            print(f"{name:8}{causal!s:>7}{backend:>9} {error:8.1e} {through:11.2f} {KNOWN_CUDNN[name, causal]:6.2f} "
                  f"{graph:7.2f} {event:7.2f} {cold:7.2f}   host {wall:.2f}   {prepared['variant']}", flush=True)
    for backend, extra in (("default", {"key_rows": 777}), ("cudnn", {"key_rows": 777}), ("default", {"key_heads": 2}),
                           ("flash", {"key_heads": 2}), ("efficient", {}), ("math", {})):
        label = f"causal, 333 rows, {extra}, {backend}"
        problem = attention(folder, 2, 8, 333, 64, True, **extra)
        variant = provider.ask("prepare", **problem.prepare({"backend": backend}))["variant"]
        error = verified(problem, provider, 6e-4, failures, label)
        print(f"{label}: error {error:.1e} ({variant})", flush=True)
    return failures + delays_and_profiler(folder, provider)


def delays_and_profiler(folder, provider):
    problem = attention(folder, 4, 8, 512, 64, False)
    for delay in (0, 2000, 4000):
        provider.ask("prepare", **problem.prepare({}, delay_cycles=delay))
        print(f"delay of {delay} cycles: {p50(samples(provider)):.2f} us")
    provider.ask("prepare", **problem.prepare({}))
    before = p50(samples(provider))
    listed = provider.ask("kernels", set=0)
    print(json.dumps(listed))
    print(f"before the profiler {before:.2f} us, after it {p50(samples(provider)):.2f} us")
    sample = provider.ask("sample", order=[0, 1, 2, 3], poison=[1, 2, 3, 4])
    print({key: sample[key] for key in ("clock_mhz", "throttled", "host_us")})
    provider.ask("quit")
    return []


def compiled(folder):
    failures = []
    provider = Provider("torch_compile.py")
    provider.ask("hello", protocol=1, device=0)
    rows = ("f16", (512, 1024))
    cases = {
        "softmax": Problem(folder, "softmax", {}, {"x": rows}, ("y", *rows), {}, lambda x: torch.softmax(x, -1)),
        "row_reduction": Problem(folder, "row_reduction", {}, {"x": ("f32", (512, 1024))}, ("y", "f32", (512,)), {},
                                 lambda x: x.sum(-1)),
        "layer_norm": Problem(folder, "layer_norm", {},
                              {"x": rows, "weight": ("f16", (1024,)), "bias": ("f16", (1024,))}, ("y", *rows), {"eps": 1e-5},
                              lambda x, weight, bias: torch.nn.functional.layer_norm(x, (1024,), weight, bias, 1e-5)),
        "gemm": Problem(folder, "gemm", {}, {"a": ("f16", (256, 512)), "b": ("f16", (512, 256))},
                        ("c", "f16", (256, 256)), {}, lambda a, b: a @ b),
        "attention_forward": attention(folder, 2, 4, 128, 64, True, key_rows=192),
    }
    for name, problem in cases.items():
        variant = provider.ask("prepare", **problem.prepare({"mode": "default"}))["variant"]
        error = verified(problem, provider, 1e-3, failures, name)
        print(f"{name:18} error {error:.1e} {p50(samples(provider, 4)):7.2f} us ({variant})", flush=True)
    return failures


def red_team_problem(folder, name):
    if name == "library_call":
        return Problem(folder, "gemm", {"M": 256, "N": 256, "K": 512},
                       {"a": ("f32", (256, 512)), "b": ("f32", (512, 256))}, ("c", "f32", (256, 256)), {},
                       lambda a, b: a @ b)
    return Problem(folder, "softmax", {"ROWS": 1024, "COLUMNS": 1024}, {"x": ("f32", (1024, 1024))},
                   ("y", "f32", (1024, 1024)), {"COLUMNS": 1024}, lambda x: torch.softmax(x, -1))


LIBRARIES = ("cublas", "cutlass", "gemm", "at::native")


def judge(folder, name):
    """The guards that fire for one Python candidate. A sketch of the parent's judgement."""
    problem = red_team_problem(folder, name)
    fired, notes = [], []

    def fire(guard, when):
        if when and guard not in fired:
            fired.append(guard)

    provider = Provider("python_function.py")
    try:
        provider.ask("hello", protocol=1, device=0)
        options = {"file": str(ROOT / "kernels/red_team" / name / "candidate.py"), "function": "candidate"}
        provider.ask("prepare", **problem.prepare(options))
        good = []
        for number in range(SETS):
            for poison in (0xff, 0xa5):
                provider.ask("run", set=number, poison=poison)
                contents = problem.read(provider, number)
                fire("poison", not problem.error(contents, problem.values[number]) < 1e-5)
            good.append(fingerprint(contents))
        taken = []
        for _ in range(10):
            order = [random.randrange(SETS) for _ in range(10)]
            answer = provider.ask("sample", order=order, poison=[random.randrange(256) for _ in order])
            taken += answer["us"]
            fire("fingerprint", answer["fingerprints"] != [good[n] for n in order])
        fire("not_positive", min(taken) <= 0)
        for number in range(SETS):
            fire("recheck", not problem.error(problem.read(provider, number), problem.values[number]) < 1e-5)
            for argument, value in problem.values[number].items():
                path = problem.folder / "after"
                provider.ask("read", set=number, files={argument: str(path)})
                fire("inputs_changed", path.read_bytes() != raw(value))
        fresh = problem.draw(99)
        provider.ask("write", set=3, files=problem.files(fresh, "fresh"))
        provider.ask("sample", order=[0, 1, 2, 3], poison=[1, 2, 3, 4])
        fire("fresh_inputs", not problem.error(problem.read(provider, 3), fresh) < 1e-5)
        provider.ask("throughput", replays=2)
        claimed = sum(provider.ask("throughput", replays=500)["us"]) * 20
        fire("host_clock", provider.wall_us > 1.5 * claimed + 20_000)
        listed = provider.ask("kernels", set=0)
        names = [kernel["name"] for kernel in listed["kernels"]]
        fire("threads", listed["threads_after"] > listed["threads_before"])
        fire("persisting_l2", listed["persisting_l2_bytes"] > 0)
        if listed["available"]:
            fire("streams", any(kernel["stream"] != 0 for kernel in listed["kernels"]))
            fire("graph_nodes", listed["graph_nodes"] is not None and listed["graph_nodes"] != len(names))
            fire("kernels_list", not names or any(word in text for text in names for word in LIBRARIES))
        else:
            notes.append(listed["reason"])
        notes.append(f"p50 {p50(taken):.2f} us, threads {listed['threads_before']}/{listed['threads_after']}, "
                     f"nodes {listed['graph_nodes']}, {names}"[:150])
    except Lost as error:
        notes.append(str(error)[:300])
        fire("answer_id", str(error) == "answer_id")
        fire("contract", "in the place of the output" in str(error))
    finally:
        provider.close()
    return fired, "; ".join(notes)


def red_team(folder, only):
    expected = json.loads((ROOT / "kernels/red_team/expected.json").read_text())
    names = [name for name, entry in expected.items()
             if entry["candidate"] == "candidate" and (not only or name in only)]
    failures = []

    def one(name):
        own = pathlib.Path(folder) / name
        own.mkdir()
        return name, *judge(own, name)

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        for name, fired, notes in pool.map(one, names):
            entry = expected[name]
            good = entry["guard"] in fired if entry["outcome"] == "rejected" else not fired
            if not good:
                failures.append(f"{name}: fired {fired}, expected {entry['guard'] or 'none'} ({entry['outcome']})")
            print(f"{'ok ' if good else 'BAD'} {name:22} {entry['outcome']:9} {entry['guard']:15} "
                  f"fired: {', '.join(fired):60} {notes}", flush=True)
    return failures


def main(words):
    parts = {"sdpa": sdpa, "compile": compiled, "red_team": lambda folder: red_team(folder, set(words) - set(parts))}
    failures = []
    for name, part in parts.items():
        if name in words or not words:
            begin = time.perf_counter()
            with tempfile.TemporaryDirectory() as folder:
                try:
                    failures += part(folder)
                except Lost as error:
                    failures.append(f"{name}: {error}")
            print(f"== {name}: {time.perf_counter() - begin:.1f} s", flush=True)
    print("\n".join(["FAILED", *failures]) if failures else "all as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
