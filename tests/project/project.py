# SPDX-License-Identifier: MIT
"""What the tests of the project's own files share. ctest sets the two variables."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("ASSAY_BUILD_DIR", ROOT / "build"))
PROGRAM = pathlib.Path(os.environ.get("ASSAY_PROGRAM", BUILD / "assay"))
VERSION = (ROOT / "VERSION").read_text().strip()


def run(arguments, folder=ROOT, timeout=300, **environment):
    """Runs a program with the environment of the tests: nothing is recorded, no compiler is used unless asked for."""
    settings = {**os.environ, "ASSAY_LEDGER": "none", "ASSAY_NVCC": "none", "ASSAY_CUDA_DRIVER": "none", **environment}
    return subprocess.run([str(word) for word in arguments], cwd=folder, env=settings, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=timeout)


def has(program):
    return shutil.which(program) is not None


class FolderTest(unittest.TestCase):
    """Every test has a folder of its own, with a blank in its name."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="assay test "))
        self.addCleanup(shutil.rmtree, self.folder)

    def succeeds(self, arguments, **settings):
        done = run(arguments, **settings)
        self.assertEqual(done.returncode, 0, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done.stdout
