# SPDX-License-Identifier: MIT
"""What .github/gate.sh says when there is nothing to say, and that it never leaves an older word in place."""
import os
import pathlib
import stat
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class GateScript(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.out = self.path / "out"
        self.out.mkdir()
        for name in ("summary.md", "k.md", "k.xml"):
            (self.out / name).write_text("PASS of another day")
        for side in ("here", "base"):
            (self.path / side / "k").mkdir(parents=True)
            (self.path / side / "k" / "kernel.toml").write_text("")

    def tearDown(self):
        self.folder.cleanup()

    # `says` is a script in the program's place.
    def gate(self, says, kernels="k", base="base", lines=""):
        program = self.path / "assay"
        program.write_text("#!/bin/sh\n" + says)
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        done = subprocess.run([ROOT / ".github/gate.sh", self.path / base, self.out], cwd=self.path / "here",
                              env={**os.environ, "ASSAY": str(program), "KERNELS": kernels, "KERNEL_LINES": lines},
                              capture_output=True, text=True, check=False)
        summary = self.out / "summary.md"
        self.assertNotIn("another day", summary.read_text() if summary.exists() else "")
        return done

    def test_what_the_gate_says_counts(self):
        for status in (0, 3, 4, 6):
            self.assertEqual(self.gate(f"exit {status}\n").returncode, status)

    def test_no_kernel_is_no_pass(self):
        done = self.gate("exit 0\n", kernels=" ")
        self.assertEqual(done.returncode, 4)
        self.assertIn("no kernel was judged", done.stderr)

    def test_only_new_kernels_are_no_pass(self):
        done = self.gate("exit 0\n", base="nowhere")
        self.assertEqual(done.returncode, 4)
        self.assertIn("nothing to compare with", done.stdout)

    def test_a_folder_without_a_kernel_is_no_new_one(self):
        done = self.gate("exit 0\n", kernels="k my kernels/x")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no kernel.toml in my", done.stderr)

    def test_a_folder_with_a_blank_is_judged(self):
        for side in ("here", "base"):
            (self.path / side / "my kernels").mkdir()
            (self.path / side / "my kernels" / "kernel.toml").write_text("")
        done = self.gate('case "$2" in "my kernels") exit 3 ;; esac\n', lines="k\nmy kernels\n")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertEqual(self.gate('case "$2" in "my kernels") exit 3 ;; esac\n', lines="my kernels").returncode, 3)

    def test_a_folder_with_a_name_that_would_act_does_not(self):
        name = "x\\n::error::y\x1b[31m"
        for side in ("here", "base"):
            (self.path / side / name).mkdir()
            (self.path / side / name / "kernel.toml").write_text("")
        done = self.gate("exit 0\n", lines=name)
        said = done.stdout + done.stderr + (self.out / "summary.md").read_text()
        self.assertEqual(done.returncode, 0, said)
        self.assertNotIn("\x1b", said)
        self.assertFalse([line for line in said.splitlines() if line.startswith("::")], said)

    def test_a_gate_that_wrote_nothing_leaves_no_older_report(self):
        self.assertEqual(self.gate("echo broken >&2; exit 6\n").returncode, 6)
        summary = (self.out / "summary.md").read_text()
        self.assertIn("No verdict (exit code 6)", summary)
        self.assertIn("broken", summary)
        self.assertFalse((self.out / "k.xml").exists())

    def test_a_folder_that_cannot_be_made_is_an_error(self):
        for path in self.out.iterdir():
            path.unlink()
        self.out.rmdir()
        self.out.write_text("in the way")
        self.assertEqual(self.gate("exit 0\n").returncode, 6)
        self.out.unlink()
        self.out.mkdir()


if __name__ == "__main__":
    unittest.main()
