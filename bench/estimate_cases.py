#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How far `assay estimate` is off: cases, their measured times, and the table of docs/estimate.md.

  estimate_cases.py prepare FOLDER   estimates and machine code of every case; needs nvcc, no GPU
  estimate_cases.py measure FOLDER   times every case on the GPU here into FOLDER/measured.json; needs a driver and
                                     FOLDER alone, neither nvcc nor this repository's build
  estimate_cases.py judge FOLDER [--markdown]
                                     estimates again and joins the two: errors, order, lower bounds
  estimate_cases.py fit FOLDER       the free constants of the model, from the half of the cases that is for fitting
  estimate_cases.py predict FOLDER   prepare, and the estimates of the blind cases into bench/estimate_blind/predicted.json
  estimate_cases.py merge FOLDER     FOLDER/measured.json into bench/estimate_measured_h200.json or, with --blind, into
                                     bench/estimate_blind/measured_h200.json
  estimate_cases.py document         the tables of docs/estimate.md from those files; estimates all cases

With --blind: the kernels of bench/estimate_blind. Their estimates were committed before anything of them was measured:
`git log -- bench/estimate_blind` shows predicted.json in an older commit than measured_h200.json. On the GPU machine,
`measure FOLDER` takes about a minute for the blind cases, and writes as it goes.

A case is a kernel and a shape. Which half it belongs to follows from its name alone (half()), so that a new case cannot
be put where it helps; kernels of HELD_OUT are never used for fitting.
"""
import argparse
import ctypes
import hashlib
import itertools
import json
import math
import os
import random
import shutil
import statistics
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ASSAY = os.environ.get("ASSAY", str(ROOT / "build" / "assay"))
DEVICE = "vgpu:h200"

SHIPPED = {
    "softmax": ["ROWS=512,COLUMNS=512,dtype=f16", "ROWS=4096,COLUMNS=1024,dtype=f16", "ROWS=4096,COLUMNS=4096,dtype=f16",
                "ROWS=4096,COLUMNS=4096,dtype=f32", "ROWS=16384,COLUMNS=256,dtype=f16"],
    "layernorm": ["ROWS=512,COLUMNS=1024,dtype=f16", "ROWS=4096,COLUMNS=4096,dtype=f16",
                  "ROWS=4096,COLUMNS=4096,dtype=f32"],
    "reduction": ["ROWS=1024,COLUMNS=4096", "ROWS=4096,COLUMNS=4096", "ROWS=256,COLUMNS=65536"],
    "gemm": ["M=512,N=512,K=512,dtype=f16", "M=512,N=4096,K=1024,dtype=f16", "M=2048,N=2048,K=2048,dtype=f16",
             "M=4096,N=4096,K=4096,dtype=f16"],
    "attention/naive": ["B=1,H=8,S=512,D=64,causal=false,dtype=f16"],
    "attention/shared_memory": ["B=1,H=8,S=512,D=64,causal=false,dtype=f16", "B=4,H=8,S=512,D=64,causal=true,dtype=f16"],
    "attention/tensor_core": ["B=1,H=8,S=512,D=64,causal=false,dtype=f16", "B=4,H=8,S=512,D=64,causal=false,dtype=f16",
                              "B=8,H=16,S=512,D=64,causal=false,dtype=f16", "B=8,H=16,S=512,D=64,causal=true,dtype=f16",
                              "B=2,H=8,S=4096,D=64,causal=false,dtype=f16"],
}
BLOCKS = {"planted/attention_without_heads": 2}  # a block of it is long
# Never used for fitting, whatever their names hash to.
HELD_OUT = {"attention/tensor_core", "attention/shared_memory", "planted/stencil", "planted/scan_rows",
            "planted/matrix_vector", "planted/gemm_tiled", "planted/gather", "planted/transpose_padded",
            "planted/index_arithmetic", "layernorm", "planted/histogram_shared", "planted/divergent_lanes"}


BLIND = ROOT / "bench" / "estimate_blind"
blind = False  # --blind: the cases of that folder instead of the others


def canonical(folder, prefix):
    """(kernel, shape) of the canonical shapes of every kernel in the folder."""
    import tomllib
    for file in sorted(folder.glob("*/kernel.toml")):
        for shape in tomllib.loads(file.read_text())["shapes"]["canonical"]:
            text = ",".join(f"{name}={str(value).lower() if isinstance(value, bool) else value}"
                            for name, value in shape.items())
            yield f"{prefix}/{file.parent.name}", text


def cases():
    """(kernel, shape) of every case: the shapes above, and the canonical ones of kernels/planted; or the blind ones."""
    if blind:
        return list(canonical(BLIND, "blind"))
    result = [(kernel, shape) for kernel, shapes in SHIPPED.items() for shape in shapes]
    return result + list(canonical(ROOT / "kernels" / "planted", "planted"))


def folder_of(kernel):
    return BLIND / kernel.removeprefix("blind/") if kernel.startswith("blind/") else ROOT / "kernels" / kernel


def name_of(kernel, shape):
    return f"{kernel} {shape}"


def half(kernel, shape):
    """"fit" or "judge"."""
    if kernel in HELD_OUT or kernel.startswith("blind/"):
        return "judge"
    return "fit" if hashlib.sha256(name_of(kernel, shape).encode()).digest()[0] % 2 == 0 else "judge"


# --- prepare

def run_json(*words):
    done = subprocess.run([ASSAY, *words, "--ledger", "none", "--json"], capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        raise SystemExit(f"assay {' '.join(words)}: {done.stderr.strip() or done.stdout[:500]}") from None


def estimate(case):
    kernel, shape = case
    document = run_json("estimate", str(folder_of(kernel)), "--shape", shape, "--device", DEVICE,
                        "--blocks", str(BLOCKS.get(kernel, 24)), "--time-limit", "600")
    if "estimate" not in document:
        print(f"{name_of(kernel, shape)}: {document.get('error', document)}", file=sys.stderr)
    return document


def machine_code(kernel, configuration, folder):
    """The cubin of the configuration for sm_90; its name in the folder."""
    chosen = [] if configuration == "default" else ["--config", configuration]
    document = run_json("build", str(folder_of(kernel)), *chosen, "--device", DEVICE)
    name = kernel.replace("/", "_") + ".cubin"
    for result in document["results"]:
        if result.get("cubin") and result["target"].startswith("sm_90"):
            shutil.copyfile(result["cubin"], folder / name)
            return name
    raise SystemExit(f"{kernel}: no machine code for sm_90; nvcc is needed")


def estimates(folder, again=False, which=None):
    """Of all cases, or of one half alone."""
    file = folder / "estimates.json"
    if file.exists() and not again:
        return json.loads(file.read_text())
    chosen = [case for case in cases() if which in (None, half(*case))]
    with ThreadPoolExecutor(max_workers=3) as pool:
        documents = list(pool.map(estimate, chosen))
    result = {name_of(*case): document for case, document in zip(chosen, documents) if "estimate" in document}
    file.write_text(json.dumps(result))
    return result


def prepare(folder):
    folder.mkdir(parents=True, exist_ok=True)
    documents = estimates(folder, again=True)
    codes = {}
    for kernel, shape in cases():
        document = documents.get(name_of(kernel, shape))
        if document is not None and kernel not in codes:
            codes[kernel] = machine_code(kernel, document["configuration"], folder)
    plan = []
    for kernel, shape in cases():
        document = documents.get(name_of(kernel, shape))
        if document is None:
            continue
        plan.append({"case": name_of(kernel, shape), "cubin": codes[kernel], "entry": document["entry"],
                     "launch": document["launch"], "estimate_us": document["estimate"]["time_us"]})
    (folder / "plan.json").write_text(json.dumps(plan))
    print(f"{len(plan)} cases of {len(codes)} kernels in {folder}")


# --- measure

class Cuda:
    """The few calls of the driver that are needed."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self("cuInit", 0)
        device = ctypes.c_int()
        self("cuDeviceGet", ctypes.byref(device), 0)
        context = ctypes.c_void_p()
        self("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self("cuCtxSetCurrent", context)
        name = ctypes.create_string_buffer(128)
        self("cuDeviceGetName", name, 128, device)
        self.name = name.value.decode()
        l2 = ctypes.c_int()
        self("cuDeviceGetAttribute", ctypes.byref(l2), 38, device)  # CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE
        self.l2_bytes = l2.value
        self.stream = ctypes.c_void_p()
        self("cuStreamCreate", ctypes.byref(self.stream), 1)

    def __call__(self, function, *arguments):
        code = getattr(self.library, function)(*arguments)
        if code != 0:
            text = ctypes.c_char_p()
            self.library.cuGetErrorName(code, ctypes.byref(text))
            raise RuntimeError(f"{function}: {(text.value or b'').decode()}")

    def allocate(self, bytes_):
        address = ctypes.c_uint64()
        self("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(bytes_, 256)))
        return address.value

    def upload(self, address, data):
        self("cuMemcpyHtoD_v2", ctypes.c_uint64(address), data, ctypes.c_size_t(len(data)))


def some_values(tensor, seed):
    """Random bytes of the tensor's type: a pattern of 64 K elements, repeated."""
    draw = random.Random(seed)
    dtype, fill, count = tensor["dtype"], tensor["fill"], 65536
    if fill["kind"] == "zeros":
        return bytes(tensor["bytes"])
    if dtype[0] in "iu" or dtype == "bool":
        size = {"8": 1, "6": 2, "2": 4, "4": 8}[dtype[-1]]
        low, high = int(fill["low"]), max(int(fill["low"]) + 1, int(fill["high"]))
        pattern = b"".join(draw.randrange(low, high).to_bytes(size, "little", signed=low < 0) for _ in range(count))
    elif dtype == "bf16":
        pattern = b"".join(struct.pack("<f", draw.gauss(0, 1))[2:] for _ in range(count))
    else:
        code = {"f16": "e", "f32": "f", "f64": "d"}[dtype]
        pattern = struct.pack(f"<{count}{code}", *(draw.gauss(0, 1) for _ in range(count)))
    whole = math.ceil(tensor["bytes"] / len(pattern))
    return (pattern * whole)[:tensor["bytes"]]


class Prepared:
    """A case on the GPU: its function and as many sets of buffers as exceed the L2 cache twice."""

    def __init__(self, cuda, folder, case):
        self.cuda, self.launch = cuda, case["launch"]
        self.module = ctypes.c_void_p()
        cuda("cuModuleLoadData", ctypes.byref(self.module), (folder / case["cubin"]).read_bytes())
        self.function = ctypes.c_void_p()
        cuda("cuModuleGetFunction", ctypes.byref(self.function), self.module, case["entry"].encode())
        shared = self.launch["shared_bytes"]
        if shared > 48 * 1024:
            cuda("cuFuncSetAttribute", self.function, 8, shared)  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        tensors = [each["tensor"] for each in self.launch["arguments"] if "tensor" in each]
        bytes_of_set = max(1, sum(each["bytes"] for each in tensors))
        self.sets = min(512, max(2, math.ceil(2 * cuda.l2_bytes / bytes_of_set) + 1))
        values = [None if each["output"] else some_values(each, seed) for seed, each in enumerate(tensors)]
        self.buffers, self.arguments = [], []
        for _ in range(self.sets):
            own = []
            for tensor, data in zip(tensors, values):
                own.append(cuda.allocate(tensor["bytes"]))
                if data is not None:
                    cuda.upload(own[-1], data)
            self.buffers += own
            self.arguments.append(self.pack(own))

    def pack(self, addresses):
        """What cuLaunchKernel takes: pointers to the parameters, kept alive with them."""
        addresses, kept = iter(addresses), []
        for argument in self.launch["arguments"]:
            if argument["structure"] or not ("tensor" in argument or "scalar" in argument):
                raise RuntimeError("arguments in a structure and tensor maps are not supported here")
            if "tensor" in argument:
                data = struct.pack("<Q", next(addresses))
            else:
                data = bytes(argument["scalar"])
            if argument["passed"]:
                kept.append(ctypes.create_string_buffer(data, len(data)))
        pointers = (ctypes.c_void_p * len(kept))(*(ctypes.addressof(each) for each in kept))
        return pointers, kept

    def call(self, index):
        pointers, _ = self.arguments[index % self.sets]
        grid, block = self.launch["grid"], self.launch["block"]
        self.cuda("cuLaunchKernel", self.function, *grid, *block, self.launch["shared_bytes"], self.cuda.stream, pointers,
                  None)

    def graph(self, calls):
        cuda, graph, executable = self.cuda, ctypes.c_void_p(), ctypes.c_void_p()
        cuda("cuStreamBeginCapture_v2", cuda.stream, 2)  # relaxed
        for index in range(calls):
            self.call(index)
        cuda("cuStreamEndCapture", cuda.stream, ctypes.byref(graph))
        cuda("cuGraphInstantiateWithFlags", ctypes.byref(executable), graph, ctypes.c_uint64(0))
        cuda("cuGraphDestroy", graph)
        return executable

    def time_us(self):
        """Median and spread of the time of one call in a row of a CUDA graph that goes through all sets."""
        cuda = self.cuda
        self.call(0)
        cuda("cuStreamSynchronize", cuda.stream)
        start, end, elapsed = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_float()
        cuda("cuEventCreate", ctypes.byref(start), 0)
        cuda("cuEventCreate", ctypes.byref(end), 0)

        def timed(executable):
            cuda("cuEventRecord", start, cuda.stream)
            cuda("cuGraphLaunch", executable, cuda.stream)
            cuda("cuEventRecord", end, cuda.stream)
            cuda("cuEventSynchronize", end)
            cuda("cuEventElapsedTime", ctypes.byref(elapsed), start, end)
            return elapsed.value * 1e3

        first = self.graph(2)
        timed(first)
        one = timed(first) / 2
        cuda("cuGraphExecDestroy", first)
        calls = max(self.sets, 20) if one < 2000 else max(2, self.sets)
        row = self.graph(calls)
        timed(row)
        repeats = max(5, min(25, int(200e3 / max(1.0, one * calls))))
        times = sorted(timed(row) / calls for _ in range(repeats))
        cuda("cuGraphExecDestroy", row)
        cuda("cuEventDestroy_v2", start)
        cuda("cuEventDestroy_v2", end)
        return {"time_us": statistics.median(times), "low_us": times[0], "high_us": times[-1], "repeats": repeats,
                "calls": calls, "sets": self.sets}

    def close(self):
        for address in self.buffers:
            self.cuda("cuMemFree_v2", ctypes.c_uint64(address))
        self.cuda("cuModuleUnload", self.module)


def measure(folder):
    cuda = Cuda()
    result = {"gpu": cuda.name, "cases": {}}
    for case in json.loads((folder / "plan.json").read_text()):
        try:
            prepared = Prepared(cuda, folder, case)
            result["cases"][case["case"]] = prepared.time_us()
            prepared.close()
            print(f"{result['cases'][case['case']]['time_us']:10.2f} us  {case['case']}", flush=True)
        except RuntimeError as problem:
            result["cases"][case["case"]] = {"error": str(problem)}
            print(f"{'failed':>13}  {case['case']}: {problem}", flush=True)
        (folder / "measured.json").write_text(json.dumps(result, indent=1))


# --- judge

def joined(folder, again, which=None):
    measured = json.loads((folder / "measured.json").read_text())["cases"]
    documents = estimates(folder, again, which)
    rows = []
    for kernel, shape in cases():
        name = name_of(kernel, shape)
        if "time_us" not in measured.get(name, {}) or name not in documents:
            continue
        rows.append({"case": name, "kernel": kernel, "shape": shape, "half": half(kernel, shape),
                     "measured": measured[name]["time_us"], "document": documents[name],
                     **documents[name]["estimate"]})
    return rows


def kendall(pairs):
    agree = disagree = 0
    for (a, b), (c, d) in itertools.combinations(pairs, 2):
        sign = (a - c) * (b - d)
        agree += sign > 0
        disagree += sign < 0
    return (agree - disagree) / max(1, agree + disagree)


def figures(rows):
    errors = [abs(row["time_us"] - row["measured"]) / row["measured"] for row in rows]
    ordered = sorted(errors)
    return {"cases": len(rows), "kernels": len({row["kernel"] for row in rows}),
            "median_error": statistics.median(errors), "mean_error": statistics.mean(errors),
            "p90_error": ordered[min(len(ordered) - 1, math.ceil(0.9 * len(ordered)) - 1)],
            "within_35": sum(error <= 0.35 for error in errors) / len(errors),
            "tau": kendall([(row["time_us"], row["measured"]) for row in rows]),
            "bound_broken": sum(row["lower_bound_us"] > row["measured"] for row in rows)}


def predict(folder):
    """What the model says of the blind cases, to be committed before they are measured."""
    prepare(folder)
    documents = json.loads((folder / "estimates.json").read_text())
    commit = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "HEAD"], capture_output=True, text=True,
                            check=False).stdout.strip()
    predicted = {name: {key: document["estimate"][key] for key in
                        ("time_us", "low_us", "high_us", "lower_bound_us", "limiter")} for name, document in documents.items()}
    (BLIND / "predicted.json").write_text(json.dumps({"device": DEVICE, "model_commit": commit, "cases": predicted},
                                                     indent=1) + "\n")
    print(f"{len(predicted)} estimates in {BLIND / 'predicted.json'}")


def merge(folder):
    """What was measured, beside what is there already."""
    target = BLIND / "measured_h200.json" if blind else ROOT / "bench" / "estimate_measured_h200.json"
    new = json.loads((folder / "measured.json").read_text())
    kept = json.loads(target.read_text()) if target.exists() else {"cases": {}}
    kept.update({key: value for key, value in new.items() if key != "cases"})
    kept["cases"].update({name: case for name, case in new["cases"].items() if "time_us" in case})
    target.write_text(json.dumps(kept, indent=1) + "\n")
    print(f"{len(new['cases'])} cases into {target}")


def blind_rows():
    """The committed estimates beside the measured times; nothing is estimated again."""
    predicted = json.loads((BLIND / "predicted.json").read_text())["cases"]
    file = BLIND / "measured_h200.json"
    measured = json.loads(file.read_text())["cases"] if file.exists() else {}
    return [{"case": name, "kernel": name.split(" ")[0], "half": "judge", "measured": measured[name]["time_us"], **estimate_}
            for name, estimate_ in predicted.items() if "time_us" in measured.get(name, {})]


def blind_again(folder):
    """The blind cases as the model estimates them now, which is no blind judge: their faults have been looked at."""
    global blind
    again = folder / "blind"
    again.mkdir(exist_ok=True)
    shutil.copyfile(BLIND / "measured_h200.json", again / "measured.json")
    blind = True
    try:
        return joined(again, again=not (again / "estimates.json").exists())
    finally:
        blind = False


def summary_row(title, rows):
    f = figures(rows)
    return (f"| {title}: {f['cases']} cases of {f['kernels']} kernels | {100 * f['median_error']:.1f} % "
            f"| {100 * f['within_35']:.0f} % | {100 * f['p90_error']:.0f} % | {f['tau']:.2f} | {f['bound_broken']} |")


def case_row(row):
    mark = "" if row["half"] == "judge" else " (fit)"
    broken = "**" if row["lower_bound_us"] > row["measured"] else ""
    return (f"| {row['case']}{mark} | {row['measured']:.2f} | {row['time_us']:.2f} "
            f"| {100 * (row['time_us'] / row['measured'] - 1):+.0f} % | {broken}{row['lower_bound_us']:.2f}{broken} "
            f"| {row['limiter']} |")


def replaced(text, name, lines):
    """The text with the lines between the marks of that name."""
    begin, end = f"<!--begin {name}-->\n", f"<!--end {name}-->"
    head, rest = text.split(begin)
    return head + begin + "\n".join(lines) + "\n" + end + rest.split(end, 1)[1]


def document(folder):
    """The tables of docs/estimate.md again."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ROOT / "bench" / "estimate_measured_h200.json", folder / "measured.json")
    rows, unseen = joined(folder, again=not (folder / "estimates.json").exists()), blind_rows()
    page = ROOT / "docs" / "estimate.md"
    text = page.read_text()
    summary = ["| cases | median error | within 35 % | 90 % within | Kendall's tau | lower bounds broken |",
               "|---|---|---|---|---|---|"]
    if unseen:
        summary.append(summary_row("blind", unseen))
        summary.append(summary_row("the same, estimated again", blind_again(folder)))
    for title, chosen in (("judged", "judge"), ("fitted", "fit")):
        summary.append(summary_row(title, [row for row in rows if row["half"] == chosen]))
    summary.append(summary_row("all", rows + unseen))
    head = ["| case | measured us | estimated us | error | lower bound us | limiter |", "|---|---|---|---|---|---|"]
    claim = "<!--claim numbers {}: cases.*.time_us-->"
    text = replaced(text, "summary", summary)
    text = replaced(text, "cases", [claim.format("../bench/estimate_measured_h200.json"), *head, *map(case_row, rows)])
    if unseen:
        text = replaced(text, "blind", [claim.format("../bench/estimate_blind/measured_h200.json"), *head,
                                        *map(case_row, unseen)])
    page.write_text(text)
    print(f"{page}: {len(rows)} cases, {len(unseen)} blind ones")


def judge(folder, markdown, which=None):
    rows = joined(folder, again=True, which=which)
    sets = {"judged": [row for row in rows if row["half"] == "judge"],
            "fitted": [row for row in rows if row["half"] == "fit"], "all": rows}
    print("| cases | number, kernels | median error | within 35 % | 90 % within | Kendall's tau | bounds broken |")
    print("|---|---|---|---|---|---|---|")
    for title, chosen in sets.items():
        if not chosen:
            continue
        f = figures(chosen)
        print(f"| {title} | {f['cases']}, {f['kernels']} | {100 * f['median_error']:.1f} % | {100 * f['within_35']:.0f} % "
              f"| {100 * f['p90_error']:.0f} % | {f['tau']:.2f} | {f['bound_broken']} |")
    print()
    print("| case | measured us | estimated us | error | lower bound us | limiter |")
    print("|---|---|---|---|---|---|")
    order = rows if markdown else sorted(rows, key=lambda row: abs(math.log(row["time_us"] / row["measured"])))
    for row in order:
        error = row["time_us"] / row["measured"] - 1
        mark = "" if row["half"] == "judge" else " (fit)"
        broken = "**" if row["lower_bound_us"] > row["measured"] else ""
        print(f"| {row['case']}{mark} | {row['measured']:.2f} | {row['time_us']:.2f} | {100 * error:+.0f} % "
              f"| {broken}{row['lower_bound_us']:.2f}{broken} | {row['limiter']} |")


# --- fit

ALONE = ("dependency chain", "starting blocks")
MEMORY = ("L2", "DRAM", "atomics")


def combined(row, constants):
    """What src/estimate/estimate.cpp reckons, with other constants."""
    scale = constants.get("scale", {})
    parts, pipe, memory = [], 0.0, 0.0
    for resource in row["resources"]:
        if resource["name"] == "launch":
            continue
        time = resource["time_us"] * scale.get(resource["name"], 1.0)
        if resource["name"] in ALONE:
            parts.append(time)
        elif resource["name"] in MEMORY:
            memory = max(memory, time)
        else:
            pipe = max(pipe, time)
    parts += [pipe, memory]
    power = constants["overlap"]
    largest = max(parts)
    return constants["launch_us"] + largest * sum((part / largest) ** power for part in parts) ** (1 / power)


def fit(folder):
    rows = [row for row in joined(folder, again=False) if row["half"] == "fit"]

    def loss(constants):
        errors = [abs(math.log(combined(row, constants) / row["measured"])) for row in rows]
        return statistics.mean(min(error, 1.0) for error in errors) + statistics.median(errors)

    best = {"overlap": 2.0, "launch_us": 1.4, "scale": {}}
    steps = {"overlap": [1.2, 1.5, 2, 2.5, 3, 4, 6, 8], "launch_us": [0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0]}
    names = ["DRAM", "L2", "dependency chain", "L1 and shared memory", "issue slots", "starting blocks", "ALU pipe"]
    for _ in range(4):
        for key, values in steps.items():
            best = min(({**best, key: value} for value in values), key=loss)
        for name in names:
            best = min(({**best, "scale": {**best["scale"], name: value}}
                        for value in (0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.35, 1.5)), key=loss)
    print(f"{len(rows)} cases, loss {loss(best):.3f}")
    print(json.dumps(best, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["prepare", "predict", "measure", "merge", "judge", "document", "fit"])
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "build" / "estimate_cases")
    parser.add_argument("--blind", action="store_true", help="the cases of bench/estimate_blind")
    parser.add_argument("--markdown", action="store_true", help="rows in the order of the cases")
    parser.add_argument("--half", choices=["fit", "judge"], help="judge these cases alone")
    arguments = parser.parse_args()
    global blind
    blind = arguments.blind or arguments.action == "predict"
    if arguments.action == "judge":
        judge(arguments.folder, arguments.markdown, arguments.half)
    else:
        {"prepare": prepare, "predict": predict, "measure": measure, "merge": merge, "document": document, "fit": fit}[arguments.action](arguments.folder)


if __name__ == "__main__":
    sys.exit(main())
