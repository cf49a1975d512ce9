# SPDX-License-Identifier: MIT
"""`assay new` on sources in the styles that people write: all of their kernels run without a hand, and what is open says
which argument it is about. docs/new_results.md has the table."""

import json
import os
import pathlib
import shutil
import unittest

from project import FolderTest, PROGRAM, ROOT, run

NVCC = os.environ.get("ASSAY_TEST_NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
SOURCES = sorted((ROOT / "tests/project/new_styles").glob("*.cu"))


@unittest.skipUnless(os.access(NVCC, os.X_OK), "no nvcc here")
class NewStylesTest(FolderTest):
    def test_every_kernel_runs(self):
        self.assertGreaterEqual(len(SOURCES), 18)
        for source in SOURCES:
            done = run([PROGRAM, "new", source, "--json"], folder=self.folder, ASSAY_NVCC=NVCC,
                       ASSAY_CACHE=str(self.folder / "cache"))
            self.assertEqual(done.returncode, 0, f"{source.name}: {done.stdout}{done.stderr}")
            for kernel in json.loads(done.stdout)["kernels"]:
                with self.subTest(source=source.name, kernel=kernel["entry"]):
                    self.assertEqual(kernel["verdict"], "clean", kernel["message"])
                    self.assertGreaterEqual(len(kernel["open"]), 1, "the reference is always open")
                    for point in kernel["open"]:
                        self.assertTrue(pathlib.Path(self.folder / point["file"]).is_file() and point["line"] > 0, point)
                    done = run([PROGRAM, "check", kernel["folder"]], folder=self.folder, ASSAY_NVCC=NVCC)
                    self.assertEqual(done.returncode, 2, "an unfinished description has no verdict")
                    self.assertIn(kernel["open"][0]["text"], done.stderr)


if __name__ == "__main__":
    unittest.main()
