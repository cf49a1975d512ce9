# SPDX-License-Identifier: MIT
"""A tuning that is divided among processes of this machine, with workers that are killed and a command that is killed.

  python3 local_test.py PROGRAM

ASSAY_TEST_SEED chooses the moments; the seed is printed.
"""

import json
import subprocess
import sys

from divided import Divided, main
from spaces import make_kernel


class Local(Divided):
    def prepare(self, count):
        kernel, environment = make_kernel(self.folder, count)
        self.environment.update(environment)
        self.command = ["tune", kernel, "--device", "vgpu:a100", "--strategy", "exhaustive", *self.executor(), "--journal",
                        self.folder / "journal.jsonl", "--json"]

    def complete(self, document, count):
        ids = [each["configuration"] for each in document["evaluated"]]
        self.assertEqual(len(ids), count)
        self.assertEqual(len(set(ids)), count, "nothing is counted twice")
        self.assertTrue(all(each["failure"] == "" for each in document["evaluated"]))

    def test_all_are_evaluated_and_the_answer_is_that_of_one_process(self):
        self.prepare(24)
        document = self.run_command(self.command)
        self.complete(document, 24)
        self.assertEqual(sum(each["evaluations"] for each in document["devices"]), 24)
        start = self.command.index("--executor")
        expected = self.run_command(self.command[:start] + self.command[self.command.index("--journal"):])
        values = lambda found: {each["configuration"]: each["value"] for each in found["evaluated"]}
        self.assertEqual(values(document), values(expected))
        self.assertEqual(document["answer"], expected["answer"])
        self.assertEqual(self.workers(), [], "workers end with the command")

    def test_workers_that_are_killed_lose_nothing(self):
        self.prepare(40)
        document, killed = self.run_with_killed_workers(self.command, 6)
        self.complete(document, 40)
        self.assertGreater(killed, 0)

    def test_a_killed_command_goes_on(self):
        self.prepare(60)
        words = self.command + ["--resume"]
        for _ in range(3):
            self.kill_after(words, 1.0, 2.5)
        self.complete(self.run_command(words), 60)
        lines = (self.folder / "journal.jsonl").read_text().splitlines()[1:]
        self.assertEqual(len(lines), 60)
        self.assertEqual(len({json.loads(line)["configuration"] for line in lines}), 60)

    def test_a_worker_without_a_folder_of_work_says_so(self):
        done = subprocess.run([self.program, "work", self.folder], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no folder of work", done.stderr)

    def test_options_of_slurm_need_slurm(self):
        self.prepare(4)
        refused = self.run_command(self.command + ["--partition", "x"], expected=2)
        self.assertIn("--executor slurm", refused["error"]["message"])


if __name__ == "__main__":
    main(sys.argv)
