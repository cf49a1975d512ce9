# SPDX-License-Identifier: MIT
"""`assay tune` is killed at random moments and resumed until it is done: nothing is lost, nothing is counted twice.

    tune_kills_test.py PROGRAM [KILLS]
"""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77


def main():
    program, kills = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100
    if not shutil.which("nvcc") and not pathlib.Path("/usr/local/cuda/bin/nvcc").exists():
        print("skipped: there is no nvcc, and every configuration has to be compiled")
        return SKIPPED
    folder = pathlib.Path(tempfile.mkdtemp(prefix="assay-tune-kills-"))
    try:
        return test(program, kills, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test(program, kills, folder):
    shutil.copytree(ROOT / "kernels/reduction", folder / "kernel", ignore=shutil.ignore_patterns("ptx"))
    shutil.copytree(ROOT / "kernels/primitives", folder / "primitives")
    environment = dict(os.environ, ASSAY_CACHE=str(folder / "cache"), ASSAY_LEDGER="none", ASSAY_CUDA_DRIVER="none")
    journal = folder / "journal.jsonl"
    command = [program, "tune", str(folder / "kernel"), "--device", "vgpu:h200", "--shape", "ROWS=3,COLUMNS=100",
               "--batch", "2", "--journal", str(journal), "--resume", "--json", "--strategy"]
    entries = lambda: [json.loads(line)["configuration"] for line in journal.read_text().splitlines()[1:]]
    whole = json.loads(subprocess.run(command + ["exhaustive"], env=environment, stdout=subprocess.PIPE, check=True).stdout)
    expected = {each["configuration"]: each["value"] for each in whole["evaluated"]}
    assert len(expected) == whole["configurations"] > 8, whole
    randomness, done, rounds = random.Random(5), 0, 0
    while done < kills:
        journal.unlink()
        rounds += 1
        known = set()
        # The searcher, with counters before the first evaluation, in every second tuning: it looks at a part of the
        # space, and need not go the same way after a kill.
        some = rounds % 2 == 0
        words = command + (["model", "--budget", str(len(expected) - 3)] if some else ["exhaustive"])
        while True:
            child = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            time.sleep(randomness.uniform(0.02, 0.6))
            if done < kills and child.poll() is None:
                child.kill()
                child.wait()
                done += 1
                text = journal.read_text() if journal.exists() else ""
                now = {json.loads(line)["configuration"] for line in text.split("\n")[1:-1]}
                assert known <= now, f"lost after kill {done}: {known - now}"
                known = now
                continue
            output = child.communicate()[0]
            if child.returncode != 0:
                print(output.decode(), child.returncode)
                return 1
            break
        report = json.loads(output)
        found = {each["configuration"]: each["value"] for each in report["evaluated"]}
        assert len(found) == len(expected) - (3 if some else 0), (len(found), "evaluated")
        assert all(expected[each] == value for each, value in found.items()), "another result than without kills"
        assert known <= set(found), f"measured, and not counted: {known - set(found)}"
        assert sorted(entries()) == sorted(found), "something was evaluated twice"
        assert report["recalled"] >= len(known), (report["recalled"], len(known))
    print(f"{done} kills in {rounds} tunings: nothing lost, nothing counted twice")
    return 0


if __name__ == "__main__":
    sys.exit(main())
