# SPDX-License-Identifier: MIT
"""tests/gpu/compare_itself.py with a library in the driver's place: what it counts, and that it goes on where it was."""

import json
import pathlib
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from project import BUILD, PROGRAM, ROOT, FolderTest, run  # noqa: E402

sys.path.insert(0, str(ROOT / "tests/gpu"))
import compare_itself  # noqa: E402


class CompareItselfTest(FolderTest):
    def kernel(self, name, more=""):
        """A kernel that the fake driver knows; "SLOWER" in its machine code makes it take a tenth more."""
        folder = self.folder / name
        shutil.copytree(ROOT / "tests/hostile/rows", folder)
        for file, old, new in (("kernel.toml", 'entry   = "rows"', 'entry = "row_sum_f32"'),
                               ("rows.ptx", ".entry rows(", ".entry row_sum_f32(")):
            text = (folder / file).read_text()
            self.assertIn(old, text)
            (folder / file).write_text(text.replace(old, new))
        if more:
            (folder / "rows.cubin").write_text(more)
            with open(folder / "rows.cu", "a", encoding="utf-8") as source:  # the same source is not compiled again
                source.write(more)
        return folder

    def itself(self, kernel, *words):
        return run([sys.executable, "-B", ROOT / "tests/gpu/compare_itself.py", PROGRAM, self.folder / "results.jsonl", *words,
                    kernel, "--shape", "ROWS=2,COLUMNS=16", "--most-samples", "100"],
                   ASSAY_CUDA_DRIVER=str(BUILD / "tests/fake/libfake_cuda.so"), ASSAY_NVML_LIBRARY="none",
                   ASSAY_CUPTI_LIBRARY="none", FAKE_CUDA_WAITS="1", ASSAY_NVCC=str(ROOT / "tests/hostile/nvcc.sh"),
                   ASSAY_CACHE=str(self.folder / "cache"))

    def lines(self):
        return (self.folder / "results.jsonl").read_text().splitlines()

    def test_a_kernel_is_the_same_as_itself_and_what_was_compared_is_kept(self):
        kernel = self.kernel("rows")
        done = self.itself(kernel, "--pairs", "2")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("false (FASTER or SLOWER): 0 of 2, 0.0 % to 84.2 %", done.stdout)
        self.assertIn("SAME: 2 of 2", done.stdout)
        kept = self.lines()
        with open(self.folder / "results.jsonl", "a", encoding="utf-8") as file:
            file.write('{"what": {"prog')  # a kill
        done = self.itself(kernel, "--pairs", "3")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("SAME: 3 of 3", done.stdout)
        self.assertEqual(self.lines()[:2], kept)
        self.assertEqual(len(self.lines()), 4, "one more, and what the kill left")
        done = self.itself(kernel, "--pairs", "4", "--stop-after", "0")
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        self.assertIn("3 of 4 comparisons", done.stdout)

    def test_a_slower_one_is_found_and_counts_apart(self):
        slower = self.kernel("slower", "// SLOWER\n")
        done = self.itself(slower, "--pairs", "1", "--other", self.kernel("rows"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("SLOWER: 1 of 1", done.stdout)
        self.assertNotIn("false", done.stdout)
        self.assertEqual([case["verdict"] for case in json.loads(self.lines()[0])["cases"]], ["SLOWER"])

    def test_what_cannot_be_compared_is_no_verdict(self):
        done = self.itself(self.folder / "nobody", "--pairs", "1")
        self.assertNotIn(done.returncode, (0, 3, 4))
        self.assertEqual(self.lines() if (self.folder / "results.jsonl").exists() else [], [])

    def test_intervals_are_those_of_clopper_and_pearson(self):
        for count, trials, low, high in ((0, 60, 0, 0.0596), (3, 10, 0.0667, 0.6525), (60, 60, 0.9404, 1),
                                         (1, 87, 0.0003, 0.0624)):
            found = compare_itself.exact_interval(count, trials)
            self.assertAlmostEqual(found[0], low, delta=1e-4)
            self.assertAlmostEqual(found[1], high, delta=1e-4)


if __name__ == "__main__":
    unittest.main()
