# SPDX-License-Identifier: MIT
"""`assay evolve` is killed at random moments and resumed until it is done: nothing is lost, nothing is judged twice.

    evolve_kills_test.py PROGRAM [KILLS]
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


def main():
    program, kills = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100
    folder = pathlib.Path(tempfile.mkdtemp(prefix="assay-evolve-kills-"))
    try:
        return test(program, kills, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def judged(journal):
    """Verdicts by proposal, of whole lines."""
    text = journal.read_text() if journal.exists() else ""
    found = {}
    for line in text.split("\n")[1:-1]:
        step = json.loads(line).get("judged")
        if step:
            assert step["proposal"] not in found, f"proposal {step['proposal']} was judged twice"
            found[step["proposal"]] = (step["verdict"], step["gate"], step["id"], step["seed"])
    return found


def test(program, kills, folder):
    environment = dict(os.environ, ASSAY_CACHE=str(folder / "cache"), ASSAY_CUDA_DRIVER="none", ASSAY_NVCC="none")
    journal, ledger = folder / "journal.jsonl", folder / "ledger.sqlite"
    command = [program, "evolve", str(ROOT / "tests/evolve/kernels/stepwise_copy"), "--device", "vgpu:l4", "--proposer",
               "mutate", "--seed", "5", "--proposals", "6", "--journal", str(journal), "--ledger", str(ledger),
               "--resume", "--json"]
    whole = json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)
    expected = judged(journal)
    assert len(expected) == 6 and whole["accepted"] >= 1, whole
    randomness, done, rounds = random.Random(5), 0, 0
    while done < kills:
        journal.unlink()
        ledger.unlink()
        rounds += 1
        known = {}
        while True:
            child = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            time.sleep(randomness.uniform(0.1, 2.5))
            if done < kills and child.poll() is None:
                child.kill()
                child.wait()
                done += 1
                now = judged(journal)
                assert known.items() <= now.items(), f"lost after kill {done}: {known} {now}"
                known = now
                continue
            output = child.communicate()[0]
            if child.returncode != 0:
                print(output.decode(), child.returncode)
                return 1
            break
        report = json.loads(output)
        assert judged(journal) == expected, "another result than without kills"
        assert report["best"] == whole["best"] and report["speedup"] == whole["speedup"]
        assert report["recalled"] >= len(known), (report["recalled"], len(known))
    print(f"{done} kills in {rounds} evolutions: nothing lost, nothing judged twice")
    return 0


if __name__ == "__main__":
    sys.exit(main())
