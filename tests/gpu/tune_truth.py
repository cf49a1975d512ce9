#!/usr/bin/env python3
"""Takes at most 6 minutes a call and space (--seconds), and the replay; call it until all configurations are measured.

SPDX-License-Identifier: MIT

Two spaces on a GPU, measured in random order until the time is over: whatever is there is a random subset, and the
tables say how much of the space it is. Every call goes on where the last one stopped. Then `assay tune --replay` lets
the searcher, annealing and random search loose on what was measured.

  tests/gpu/tune_truth.py [--assay build/assay] [--folder build/tune_truth] [--space gemm|attention|FILE]
                          [--seconds 330]

Written into the folder, per space: NAME.jsonl (the journal, as it goes), NAME.kernel_tuner.json and NAME.t4.json (what
was measured), NAME.replay.json, NAME.svg (the landscape: time over the best, by rank), and tables.md with all of them.
Only the kernel of the measured type is compiled: the others are taken out of a copy of the sources.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# The specification, the shape, and what is taken out of the sources: kernels of other types, and shapes that want them.
SPACES = {
    "gemm": ("kernels/gemm_hopper/kernel.toml", "M=4096,N=4096,K=4096,dtype=f16",
             [("kernels/gemm_hopper/gemm.cu", r"^GEMM_ENTRY\(bf16\)\n"),
              ("kernels/gemm_hopper/kernel.toml", r'^ *\{.*dtype = "bf16" \},\n|, "bf16"(?=\])')]),
    "attention": ("kernels/attention/tensor_core/space.toml", "",
                  [("kernels/attention/tensor_core/attention.cu", r"^ATTENTION_ENTRY\((?!f16, 64\)).*\)\n")]),
}


def said(line):
    print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)


def trimmed_sources(folder):
    """A copy of kernels/ in which each source of a space has one kernel."""
    copy = os.path.join(folder, "sources")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(os.path.join(REPOSITORY, "kernels"), os.path.join(copy, "kernels"))
    for source, others in (pair for _, _, pairs in SPACES.values() for pair in pairs):
        path = os.path.join(copy, source)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        kept, count = re.subn(others, "", text, flags=re.MULTILINE)
        if count == 0:
            sys.exit(f"{source} has no line like {others}: mend SPACES")
        with open(path, "w", encoding="utf-8") as file:
            file.write(kept)
    return copy


def run(arguments, log, limit):
    """The exit code and the standard output; what is said on the way goes to the log."""
    with open(log, "a", encoding="utf-8") as errors:
        errors.write(" ".join(arguments) + "\n")
        errors.flush()
        try:
            done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=errors, timeout=limit, check=False)
        except subprocess.TimeoutExpired:
            return 124, b""
    return done.returncode, done.stdout


def measure(options, name, specification, shape):
    """Goes on with the space; what was measured so far is in the files. None if nothing was."""
    base = os.path.join(options.folder, name)
    arguments = [options.assay, "tune", specification, "--strategy", "random", "--budget", str(options.budget),
                 "--seconds", str(options.seconds), "--resume", "--journal", base + ".jsonl", "--no-race",
                 "--no-counters", "--ledger", "none", "--json", "--batch", str(options.batch), "--export",
                 f"kernel_tuner:{base}.kernel_tuner.json", "--export", f"t4:{base}.t4.json"]
    if shape:
        arguments += ["--shape", shape]
    if options.device:
        arguments += ["--device", options.device]
    code, output = run(arguments, base + ".log", options.seconds + 240)
    if code != 0:
        said(f"{name}: assay tune ended with {code}; see {base}.log")
        return None
    return json.loads(output)


def replay(options, name):
    base = os.path.join(options.folder, name)
    arguments = [options.assay, "tune", "--replay", base + ".kernel_tuner.json", "--strategy", "model", "--strategy",
                 "annealing", "--strategy", "random", "--seeds", str(options.seeds), "--budget", "200", "--json"]
    code, output = run(arguments, base + ".log", 600)
    if code != 0:
        said(f"{name}: the replay ended with {code}; see {base}.log")
        return None
    with open(base + ".replay.json", "wb") as file:
        file.write(output)
    return json.loads(output)


def landscape(path, values, unit):
    """Time over the best, by rank: a curve."""
    ratios = [value / values[0] for value in values]
    width, height, left, bottom, most = 720, 320, 50, 280, min(max(ratios), 6.0)
    points = []
    for rank, ratio in enumerate(ratios):
        x = left + rank * (width - left - 20) / max(1, len(ratios) - 1)
        y = bottom - (min(ratio, most) - 1) * (bottom - 20) / max(most - 1, 1e-9)
        points.append(f"{x:.1f},{y:.1f}")
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
             'font-size="12">', '<rect width="100%" height="100%" fill="white"/>']
    for mark in (1.0, 1.5, 2.0, 3.0, 4.0, 6.0):
        if mark > most:
            continue
        y = bottom - (mark - 1) * (bottom - 20) / max(most - 1, 1e-9)
        lines.append(f'<line x1="{left}" x2="{width - 20}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
                     f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{mark:g}</text>')
    lines.append(f'<polyline points="{" ".join(points)}" fill="none" stroke="#1f6feb" stroke-width="2"/>')
    lines.append(f'<text x="{left}" y="{height - 12}">{len(ratios)} configurations by rank; time over the best '
                 f'({values[0]:.5g} {unit})</text></svg>')
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def times_text(value, budget):
    return f">{budget}" if value is None else f"{value:g}"


def table(name, tuned, replayed):
    values = sorted(each["value"] for each in tuned["evaluated"] if each["value"] is not None)
    best = min((each for each in tuned["evaluated"] if each["value"] is not None), key=lambda each: each["value"])
    failures = {}
    for each in tuned["evaluated"]:
        if each["failure"]:
            failures[each["failure"]] = failures.get(each["failure"], 0) + 1
    failed = ", ".join(f"{count} {what}" for what, count in sorted(failures.items())) or "none"
    seconds = tuned["seconds"]
    lines = [f"## {name}", "",
             f"{tuned['kernel']} on {tuned['gpu']}, {tuned['depends_on'].get('set of shapes', '')} "
             f"{len(tuned['evaluated'])} of {tuned['configurations']} configurations, in random order; "
             f"failed: {failed}. {tuned['quantity']}; compiler: {tuned['depends_on'].get('compiler', '')}.",
             f"Best: {best['configuration']}, {best['value']:.5g} {tuned['unit']}; within 1 %: "
             f"{sum(value <= 1.01 * values[0] for value in values)}, within 5 %: "
             f"{sum(value <= 1.05 * values[0] for value in values)}; median "
             f"{values[len(values) // 2] / values[0]:.2f}x.",
             f"This call: {seconds['compile']:.0f} s compiling on all cores, {seconds['check']:.0f} s checking, "
             f"{seconds['measure']:.0f} s measuring, {seconds['wall']:.0f} s in all.", "",
             "| strategy | to 5 % | to 1 % | miss 5 % | miss 1 % | score |", "|---|---|---|---|---|---|"]
    for each in replayed["strategies"]:
        row = each["all"]
        lines.append(f"| {each['strategy']} | {times_text(row['to_5_percent'], 200)} | "
                     f"{times_text(row['to_1_percent'], 200)} | {100 * row['missed_5_percent']:.0f} % | "
                     f"{100 * row['missed_1_percent']:.0f} % | {row['score']:.2f} |")
    return lines, values


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--assay", default=os.path.join(REPOSITORY, "build", "assay"))
    parser.add_argument("--folder", default=os.path.join(REPOSITORY, "build", "tune_truth"))
    parser.add_argument("--space", action="append", help="gemm, attention or a specification; both by default")
    parser.add_argument("--seconds", type=float, default=330, help="of one space in this call")
    parser.add_argument("--budget", type=int, default=1000000)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--device", default="")
    parser.add_argument("--batch", type=int, default=os.cpu_count() or 8, help="built at once")
    options = parser.parse_args()
    options.assay = os.path.abspath(options.assay)
    options.folder = os.path.abspath(options.folder)
    os.makedirs(options.folder, exist_ok=True)
    spaces = options.space or list(SPACES)
    copy = trimmed_sources(options.folder) if any(each in SPACES for each in spaces) else ""
    text, complete = [], True
    for each in spaces:
        if each in SPACES:
            name, specification, shape = each, os.path.join(copy, SPACES[each][0]), SPACES[each][1]
        else:
            name, specification, shape = os.path.basename(os.path.dirname(os.path.abspath(each))) or "space", each, ""
        said(f"{name}: at most {options.seconds:g} s")
        tuned = measure(options, name, specification, shape)
        if tuned is None or not any(one["value"] is not None for one in tuned["evaluated"]):
            complete = False
            continue
        replayed = replay(options, name)
        if replayed is None:
            complete = False
            continue
        lines, values = table(name, tuned, replayed)
        landscape(os.path.join(options.folder, name + ".svg"), values, tuned["unit"])
        text += lines + [""]
        with open(os.path.join(options.folder, "tables.md"), "w", encoding="utf-8") as file:
            file.write("\n".join(text))
        said(f"{name}: {len(tuned['evaluated'])} of {tuned['configurations']}; {len(values)} have a time")
    print("\n".join(text))
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
