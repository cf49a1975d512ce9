# SPDX-License-Identifier: MIT
"""A tuning that is divided among processes of this machine, with workers that are killed and a command that is killed.

  python3 local_test.py PROGRAM

ASSAY_TEST_SEED chooses the moments; the seed is printed.
"""

import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from spaces import make_kernel

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
SEED = int(os.environ.get("ASSAY_TEST_SEED", "7"))


class Local(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="assay cluster ")
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.random = random.Random(SEED)
        print(f"{self.id()}: seed {SEED}", file=sys.stderr)

    def prepare(self, count):
        kernel, environment = make_kernel(self.folder, count)
        self.environment = dict(os.environ, ASSAY_CACHE=str(self.folder / "cache"), **environment)
        self.work = self.folder / "work"
        self.command = [PROGRAM, "tune", kernel, "--device", "vgpu:a100", "--strategy", "exhaustive", "--executor", "local",
                        "--workers", "2", "--lease", "2", "--work-folder", self.work, "--journal",
                        self.folder / "journal.jsonl", "--json"]

    def workers(self):
        """Numbers of the processes that work for us."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except (OSError, ValueError):
                continue
            if len(words) > 2 and words[1] == b"work" and words[2].startswith(os.fsencode(self.work)):
                found.append(int(entry.name))
        return found

    def complete(self, document, count):
        ids = [each["configuration"] for each in document["evaluated"]]
        self.assertEqual(len(ids), count)
        self.assertEqual(len(set(ids)), count, "nothing is counted twice")
        self.assertTrue(all(each["failure"] == "" for each in document["evaluated"]))

    def test_all_are_evaluated_and_the_answer_is_that_of_one_process(self):
        self.prepare(24)
        done = subprocess.run(self.command, env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        document = json.loads(done.stdout)
        self.complete(document, 24)
        self.assertEqual(sum(each["evaluations"] for each in document["devices"]), 24)
        start = self.command.index("--executor")
        alone = self.command[:start] + self.command[self.command.index("--journal"):]
        here = subprocess.run(alone, env=self.environment, capture_output=True, text=True)
        self.assertEqual(here.returncode, 0, here.stderr)
        expected = json.loads(here.stdout)
        values = lambda found: {each["configuration"]: each["value"] for each in found["evaluated"]}
        self.assertEqual(values(document), values(expected))
        self.assertEqual(document["answer"], expected["answer"])
        self.assertEqual(self.workers(), [], "workers end with the command")

    def test_workers_that_are_killed_lose_nothing(self):
        self.prepare(40)
        process = subprocess.Popen(self.command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        killed = 0
        signals = [signal.SIGKILL, signal.SIGTERM, signal.SIGUSR1, signal.SIGTERM, signal.SIGKILL, signal.SIGUSR1]
        self.random.shuffle(signals)  # an item over which three workers are lost would be given up

        def trouble():
            nonlocal killed
            while process.poll() is None and killed < len(signals):
                time.sleep(self.random.uniform(0.1, 0.5))
                for worker in self.workers()[:1]:
                    try:
                        os.kill(worker, signals[killed])
                        killed += 1
                    except ProcessLookupError:
                        pass

        thread = threading.Thread(target=trouble)
        thread.start()
        output, errors = process.communicate()
        thread.join()
        self.assertEqual(process.returncode, 0, errors + output)
        self.complete(json.loads(output), 40)
        self.assertGreater(killed, 0)

    def test_a_killed_command_goes_on(self):
        self.prepare(60)
        words = self.command + ["--resume"]
        for _ in range(3):
            process = subprocess.Popen(words, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            time.sleep(self.random.uniform(1.0, 2.5))
            process.kill()
            process.communicate()
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        document = json.loads(done.stdout)
        self.complete(document, 60)
        lines = (self.folder / "journal.jsonl").read_text().splitlines()[1:]
        self.assertEqual(len(lines), 60)
        self.assertEqual(len({json.loads(line)["configuration"] for line in lines}), 60)

    def test_a_worker_without_a_folder_of_work_says_so(self):
        done = subprocess.run([PROGRAM, "work", self.folder], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no folder of work", done.stderr)

    def test_options_of_slurm_need_slurm(self):
        self.prepare(4)
        done = subprocess.run(self.command + ["--partition", "x"], env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--executor slurm", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
