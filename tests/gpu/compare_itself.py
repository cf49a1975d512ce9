# Takes at most 30 s a comparison (60 of them: 30 minutes at most); --stop-after SECONDS ends it, the same words go on.
# SPDX-License-Identifier: MIT
"""How often does assay compare call a kernel faster or slower than itself?

  python3 tests/gpu/compare_itself.py ASSAY RESULTS [--pairs N] [--other FOLDER] [--stop-after SECONDS] KERNEL [option ...]

Runs `assay compare KERNEL KERNEL` again and again, as a user does, so that whatever compare does to start its processes
is tried along with it; assay calibrate has a loop of its own. With --other the second one is that folder, and the
verdicts tell how often a known difference is found. Options go to assay compare (--shape ROWS=4096,COLUMNS=1024).

RESULTS gets one line of JSON for each comparison when it ends. Lines that are there count, if they are of the same
program, kernels (all files of their folders), options and GPU. In the end each verdict is counted, with the exact
(Clopper-Pearson) interval of its share at 95 %. Exit code 0: all were made; 4: some are left; otherwise what assay
compare failed with, after its message.
"""

import argparse
import hashlib
import json
import math
import os
import pathlib
import subprocess
import sys
import time

DECIDED = {0, 3, 4}  # exit codes of assay compare that stand for a verdict


def tail(count, trials, share):
    """The chance of `count` or more among `trials`."""
    if share <= 0:
        return 1.0 if count == 0 else 0.0
    if share >= 1:
        return 1.0
    logs = (math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1) + k * math.log(share)
            + (trials - k) * math.log1p(-share) for k in range(count, trials + 1))
    return math.fsum(math.exp(each) for each in logs)


def root(rising, wanted):
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < wanted else (low, middle)
    return (low + high) / 2


def exact_interval(count, trials, miss=0.05):
    low = 0.0 if count == 0 else root(lambda share: tail(count, trials, share), miss / 2)
    high = 1.0 if count == trials else root(lambda share: tail(count + 1, trials, share), 1 - miss / 2)
    return low, high


def content(folder):
    """A hash of all files of a kernel's folder."""
    folder = pathlib.Path(folder)
    if not folder.exists():
        sys.exit(f"compare_itself: there is no {folder}")
    files = [folder] if folder.is_file() else sorted(path for path in folder.rglob("*") if path.is_file())
    whole = hashlib.sha256()
    for path in files:
        whole.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()


def compare(options, words):
    began = time.monotonic()
    done = subprocess.run([options.assay, "compare", options.kernel, options.other or options.kernel, "--json", *words],
                          capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode not in DECIDED:
        sys.stderr.write(done.stdout + done.stderr)
        sys.exit(done.returncode if done.returncode > 0 else 6)
    cases = []
    document = json.loads(done.stdout)
    for case in document["cases"]:
        baseline = case["contenders"][1]
        cases.append({"shape": case["shape"], "verdict": baseline["comparison"]["verdict"],
                      "ratio": baseline["comparison"]["ratio"], "interval": baseline["comparison"]["interval"],
                      "device": case["contract"].get("device.name", ""),
                      "us": [each["measured"]["p50_us"] for each in case["contenders"]]})
    return {"cases": cases, "seconds": round(time.monotonic() - began, 2),
            "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}


def recorded(path, what):
    """The comparisons of earlier runs. A line that a kill cut off is no line."""
    found = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return [each for each in found if each["what"] == what]


def say(comparisons, pairs, itself):
    shapes = {}
    for each in comparisons:
        for case in each["cases"]:
            shapes.setdefault((case["shape"], case["device"]), []).append(case)
    for (shape, device), cases in shapes.items():
        times = sorted(case["us"][0] for case in cases)
        print(f"{shape} on {device}, {times[len(times) // 2]:.2f} us: {len(cases)} of {pairs} comparisons")
        counts = {verdict: sum(case["verdict"] == verdict for case in cases) for verdict in
                  ("FASTER", "SLOWER", "SAME", "INCONCLUSIVE", "THROTTLED")}
        if itself:
            counts = {"false (FASTER or SLOWER)": counts["FASTER"] + counts["SLOWER"], **counts}
        for verdict, count in counts.items():
            low, high = exact_interval(count, len(cases))
            print(f"  {verdict}: {count} of {len(cases)}, {100 * low:.1f} % to {100 * high:.1f} %")
    if comparisons:
        seconds = sorted(each["seconds"] for each in comparisons)
        print(f"one comparison took {seconds[len(seconds) // 2]:.1f} s (median), {seconds[-1]:.1f} s at most")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("assay")
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--other", default="")
    parser.add_argument("--stop-after", type=float, default=math.inf)
    parser.add_argument("kernel")
    options, words = parser.parse_known_args()
    if "--ledger" not in words:
        words += ["--ledger", "none"]
    what = {"program": hashlib.sha256(pathlib.Path(options.assay).read_bytes()).hexdigest(),
            "kernel": content(options.kernel), "other": content(options.other or options.kernel), "options": words,
            "machine": os.uname().nodename}
    comparisons = recorded(options.results, what)
    began = time.monotonic()
    with open(options.results, "a", encoding="utf-8") as file:
        if options.results.stat().st_size > 0 and not options.results.read_bytes().endswith(b"\n"):
            file.write("\n")
        while len(comparisons) < options.pairs and time.monotonic() - began < options.stop_after:
            made = {"what": what, **compare(options, words)}
            file.write(json.dumps(made) + "\n")
            file.flush()
            os.fsync(file.fileno())
            comparisons.append(made)
            print(f"{len(comparisons)} of {options.pairs}: {', '.join(case['verdict'] for case in made['cases'])}",
                  file=sys.stderr, flush=True)
    say(comparisons, options.pairs, itself=not options.other)
    return 0 if len(comparisons) >= options.pairs else 4


if __name__ == "__main__":
    sys.exit(main())
