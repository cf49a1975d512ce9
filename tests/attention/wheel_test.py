# SPDX-License-Identifier: MIT
"""The wheel of assay_attention, installed into a fresh virtual environment without a network and used from there."""

import base64
import csv
import hashlib
import importlib.util
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILT = ROOT / "build" / "attention" / "libassay_attention.so"
COMPILER = shutil.which("cc")


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300, check=False, **options)
    return done.returncode, done.stdout + done.stderr


class Wheel(unittest.TestCase):
    """Of the library where it is built (make attention), else of a stand-in with the same name."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = pathlib.Path(cls.folder.name)
        cls.library = BUILT
        if not BUILT.is_file():
            if COMPILER is None:
                raise unittest.SkipTest("libassay_attention.so is not built (make attention), and there is no C compiler for a stand-in")
            cls.library = cls.path / "libassay_attention.so"
            source = cls.path / "stand_in.c"
            source.write_text("#include <stdlib.h>\nint assay_attention_version(void) { return atoi(\"200\"); }\n")
            subprocess.run([COMPILER, "-shared", "-fPIC", "-o", cls.library, source], check=True)
        code, said = run(sys.executable, "-B", ROOT / "tools" / "wheel.py", "--library", cls.library, "--output", cls.path)
        assert code == 0, said
        cls.wheel = pathlib.Path(said.strip())

    def test_lists_what_it_holds(self):
        with zipfile.ZipFile(self.wheel) as wheel:
            names = wheel.namelist()
            self.assertIn("assay_attention/libassay_attention.so", names)
            self.assertIn("assay_attention/decision.py", names)
            self.assertIn("assay_attention/measured/nvidia_h200.json", names)
            record = next(name for name in names if name.endswith(".dist-info/RECORD"))
            lines = list(csv.reader(io.StringIO(wheel.read(record).decode())))
            self.assertEqual(sorted(line[0] for line in lines), sorted(names))
            for name, digest, size in lines:
                if name != record:
                    data = wheel.read(name)
                    expected = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                    self.assertEqual((digest, int(size)), (f"sha256={expected}", len(data)), name)

    def test_the_same_files_give_the_same_bytes(self):
        again = self.path / "again"
        self.assertEqual(run(sys.executable, "-B", ROOT / "tools" / "wheel.py", "--library", self.library, "--output", again)[0], 0)
        self.assertEqual((again / self.wheel.name).read_bytes(), self.wheel.read_bytes())

    def test_what_is_no_library_is_refused(self):
        wrong = self.path / "text.so"
        wrong.write_text("no library")
        code, said = run(sys.executable, "-B", ROOT / "tools" / "wheel.py", "--library", wrong, "--output", self.path)
        self.assertNotEqual(code, 0)
        self.assertIn("no ELF file", said)
        code, said = run(sys.executable, "-B", ROOT / "tools" / "wheel.py", "--library", self.path / "none.so")
        self.assertNotEqual(code, 0)
        self.assertIn("make attention", said)

    @unittest.skipUnless(importlib.util.find_spec("ensurepip"), "python3-venv is not installed")
    def test_installs_and_works(self):
        environment = self.path / "environment"
        self.assertEqual(run(sys.executable, "-m", "venv", environment)[0], 0)
        python = environment / "bin" / "python"
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PIP", "ASSAY"))}
        code, said = run(python, "-m", "pip", "install", "--no-deps", "--no-index", self.wheel, env=clean)
        self.assertEqual(code, 0, said)
        program = ("import assay_attention, pathlib\n"
                   "print(pathlib.Path(assay_attention.__file__).parent)\n"
                   "print(assay_attention.library_path())\n"
                   "print(assay_attention.measured(4, 8, 512, 64, gpu=(90, 'NVIDIA H200')))\n")
        if self.library == BUILT:
            program += "print(assay_attention.query(4, 8, 512, 64, compute_capability=90))\n"
        code, said = run(python, "-c", program, env=clean, cwd=self.path)
        self.assertEqual(code, 0, said)
        lines = said.splitlines()
        package = pathlib.Path(lines[0])
        self.assertTrue(package.is_relative_to(environment), said)
        self.assertEqual(pathlib.Path(lines[1]), package / "libassay_attention.so")
        self.assertEqual(lines[2], "faster")
        if self.library == BUILT:
            self.assertRegex(lines[3], "^(streaming|resident)")


if __name__ == "__main__":
    unittest.main()
