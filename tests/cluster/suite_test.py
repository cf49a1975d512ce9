# SPDX-License-Identifier: MIT
"""A suite that is divided among processes of this machine, on a library in the driver's place that makes times up.

  python3 suite_test.py PROGRAM FAKE_DRIVER

ASSAY_TEST_SEED chooses the moments; the seed is printed.
"""

import pathlib
import shutil
import sys

from divided import ROOT, Divided, main

FAKES = pathlib.Path(sys.argv[2]).resolve().parent
ROWS = [1, 2, 3, 4]

SUITE = f"""[suite]
name = "rows"
[[kernel]]
folder = "reduction"
configurations = ["default", "BLOCK=128,ACCUMULATORS=4"]
shapes = {{ ROWS = {ROWS}, COLUMNS = 16 }}
baselines = ["reduction"]
most_samples = 100
sets = 2
"""


class Suite(Divided):
    def setUp(self):
        super().setUp()
        for name in ("reduction", "primitives"):
            shutil.copytree(ROOT / "kernels" / name, self.folder / name)
        self.suite = self.folder / "suite.toml"
        self.suite.write_text(SUITE)
        self.ledger = self.folder / "ledger.sqlite"
        self.environment.update(ASSAY_CUDA_DRIVER=str(FAKES / "libfake_cuda.so"), FAKE_CUDA_WAITS="1")
        self.alone = ["suite", self.suite, "--ledger", self.ledger, "--json"]
        self.command = self.alone + self.executor()

    def complete(self, document):
        """Every item is measured, and recorded once."""
        shapes = [row["shape"] for row in document["rows"]]
        self.assertEqual(shapes, [f"COLUMNS=16,ROWS={rows}" for rows in ROWS])
        self.assertEqual([row["status"] for row in document["rows"]], ["measured"] * len(ROWS), document["rows"])
        for row in document["rows"]:
            self.assertEqual(row["baselines"][0]["verdict"], "SAME", row)
        stored = [shape for _, shape, _ in self.attempts(self.ledger, "measure")]
        self.assertEqual(sorted(stored), sorted(shapes), "nothing lost, nothing counted twice")

    def test_it_measures_what_one_process_measures(self):
        document = self.run_command(self.command)
        self.complete(document)
        self.assertEqual(sum(each["answers"] for each in document["devices"]), len(ROWS))
        self.assertEqual(self.workers(), [], "workers end with the command")
        again = self.run_command(self.command)
        self.assertTrue(all(row["resumed"] for row in again["rows"]), "the ledger knows them all")
        self.ledger = self.folder / "other.sqlite"
        here = self.run_command(["suite", self.suite, "--ledger", self.ledger, "--json"])
        self.complete(here)
        names = lambda found: [(row["kernel"], row["configuration"], row["shape"], row["status"],
                                [(each["baseline"], each["verdict"]) for each in row["baselines"]])
                               for row in found["rows"]]
        self.assertEqual(names(document), names(here))

    def test_workers_that_are_killed_lose_nothing(self):
        document, killed = self.run_with_killed_workers(self.command)
        self.complete(document)
        self.assertGreater(killed, 0)

    def test_a_killed_command_goes_on(self):
        for _ in range(2):
            self.kill_after(self.command, 0.5, 2.0)
        self.complete(self.run_command(self.command))

    def test_an_item_that_fails_is_a_row_and_is_tried_again(self):
        broken = self.folder / "reduction" / "kernel.toml"
        whole = broken.read_text()
        broken.write_text(whole.replace('entry   = "row_sum_f32"', 'entry   = "no_such_kernel"'))
        document = self.run_command(self.command, expected=5)
        self.assertEqual([row["status"] for row in document["rows"]], ["failed"] * len(ROWS), document["rows"])
        self.assertIn("no_such_kernel", document["rows"][0]["reason"])
        broken.write_text(whole)
        rows = self.run_command(self.command)["rows"]
        self.assertEqual([row["status"] for row in rows], ["measured"] * len(ROWS), rows)

    def test_workers_say_what_they_cannot_do(self):
        other = self.run_command(["suite", self.suite, "--item", "none of these", "--json"], expected=6)
        self.assertIn("has no item", other["error"]["message"])
        other = self.run_command(["suite", self.suite, "--item", "device", "--gpu", "Voodoo", "--json"], expected=6)
        self.assertIn("another GPU", other["error"]["message"])
        self.environment["ASSAY_CUDA_DRIVER"] = "none"
        none = self.run_command(self.command, expected=6)
        self.assertIn("no worker has a GPU", none["error"]["message"])


if __name__ == "__main__":
    main(sys.argv)
