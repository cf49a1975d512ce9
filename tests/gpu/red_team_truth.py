# SPDX-License-Identifier: MIT
"""Runs every cheat of kernels/red_team through assay on a GPU: each must be caught by the guard that expected.json names
(or one that it lists as well), and the honest ones must pass.

  python3 red_team_truth.py ASSAY [--jobs N] [folder ...]

Prints one line for each and "N of N as expected"; exits 1 otherwise.
"""

import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import time

RED_TEAM = pathlib.Path(__file__).resolve().parents[2] / "kernels/red_team"


def command_of(assay, folder, entry):
    # What does not fit or is wrong at another shape shows without a GPU.
    if entry["command"] in ("check", "build"):
        return [assay, "check", str(RED_TEAM / folder), "--device", "vgpu:h200", "--json", "--ledger", "none"]
    command = [assay, "bench", str(RED_TEAM / folder), "--json", "--ledger", "none", "--budget", "1",
               "--most-samples", "200"]
    return command + (["--candidate", "candidate"] if entry["candidate"] == "candidate" else [])


def failed_guards(document):
    guards = []
    for case in document.get("cases", []):
        for guard in case.get("contenders", [{"guards": []}])[0]["guards"]:
            if guard["state"] == "failed":
                guards.append((guard["guard"], guard["detail"]))
    return guards


def judge(assay, folder, entry):
    start = time.monotonic()
    ran = subprocess.run(command_of(assay, folder, entry), capture_output=True, text=True, timeout=120, check=False)
    seconds = time.monotonic() - start
    try:
        document = json.loads(ran.stdout)
    except json.JSONDecodeError:
        return False, f"exit {ran.returncode}, no document: {ran.stderr[-300:]}", seconds
    failed = failed_guards(document)
    seen = ", ".join(name for name, _ in failed) or document.get("verdict", "")
    if entry["outcome"] in ("passes", "harmless"):
        return ran.returncode == 0, f"exit {ran.returncode} {failed or ''}", seconds
    allowed = {entry["guard"], *entry["also"]}
    caught = ran.returncode == 5 and (entry["command"] != "bench" or any(name in allowed for name, _ in failed))
    detail = f"{seen}: {failed[0][1]}" if failed else f"{seen} {json.dumps(document.get('error', ''))[:200]}"
    return caught, f"exit {ran.returncode} {detail}", seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("assay")
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    expected = json.loads((RED_TEAM / "expected.json").read_text())
    folders = options.folders or list(expected)
    good = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = {folder: pool.submit(judge, options.assay, folder, expected[folder]) for folder in folders}
        for folder, future in running.items():
            try:
                as_expected, text, seconds = future.result()
            except subprocess.TimeoutExpired:
                as_expected, text, seconds = False, "took longer than two minutes", 120
            good += as_expected
            print(f"{'ok ' if as_expected else 'BAD'} {folder:24} {expected[folder]['outcome']:9} "
                  f"{seconds:5.1f} s  {text}", flush=True)
    print(f"{good} of {len(folders)} as expected")
    return 0 if good == len(folders) else 1


if __name__ == "__main__":
    sys.exit(main())
