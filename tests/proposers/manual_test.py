# SPDX-License-Identifier: MIT
"""manual proposes what somebody saves; command asks a program."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PROPOSERS = pathlib.Path(__file__).resolve().parents[2] / "proposers"


class ManualTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = pathlib.Path(self.scratch.name, "a kernel")
        self.folder.mkdir()
        self.source = self.folder / "k.cu"
        self.source.write_text("first\n")

    def ask(self, proposal=1, seconds=20):
        request = {"proposal": proposal, "kernel": {"folder": str(self.folder)}, "rules": {"may_change": ["k.cu"]},
                   "parent": {"files": {"k.cu": "first\n"}}, "budget": {"answer_seconds": seconds}}
        environment = dict(os.environ, XDG_CACHE_HOME=self.scratch.name)
        done = subprocess.run([sys.executable, "-B", str(PROPOSERS / "manual"), "--poll", "0.05"], input=json.dumps(request),
                              capture_output=True, text=True, env=environment, check=False, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_a_save_is_a_proposal(self):
        threading.Timer(0.5, lambda: self.source.write_text("// try: fewer steps\nsecond\n")).start()
        answer = self.ask()
        self.assertEqual(answer["files"], {"k.cu": "// try: fewer steps\nsecond\n"})
        self.assertEqual(answer["hypothesis"]["text"], "fewer steps")

    def test_the_same_file_is_not_proposed_again(self):
        self.source.write_text("second\n")
        self.assertEqual(self.ask()["files"]["k.cu"], "second\n")
        threading.Timer(0.8, lambda: self.source.write_text("third\n")).start()
        start = time.monotonic()
        self.assertEqual(self.ask(2)["files"]["k.cu"], "third\n")
        self.assertGreater(time.monotonic() - start, 0.5)

    def test_nobody_edits(self):
        self.assertEqual(self.ask(seconds=6), {})


class CommandTest(unittest.TestCase):
    def ask(self, program, *arguments):
        request = {"proposal": 3, "kernel": {"device": "vgpu:l4"}, "rules": {"may_change": ["k.cu"]}, "specification": "[kernel]",
                   "parent": {"files": {"k.cu": "old\n"}}, "verdicts": [], "counters": {"lines": []}, "limiter": "DRAM",
                   "findings": [{"title": "Barriers", "cap_us": 1.0, "evidence": ["many"], "remedy": "fewer"}],
                   "tried": [{"verdict": "lost", "text": "slower"}], "budget": {"answer_seconds": 30}}
        return subprocess.run([sys.executable, "-B", str(PROPOSERS / "command"), *arguments, sys.executable, "-c", program],
                              input=json.dumps(request), capture_output=True, text=True, check=False)

    def test_a_file_in_a_block(self):
        done = self.ask("import sys; q = sys.stdin.read(); assert 'old' in q and 'Barriers' in q and 'lost' in q\n"
                        "print('Hypothesis: **fewer loads**\\n```cuda\\nnew\\n```\\nbye')", "--money", "0.25")
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["files"], {"k.cu": "new\n"})
        self.assertIn("fewer loads", answer["hypothesis"]["text"])
        self.assertEqual(answer["costs"], {"money": 0.25})
        self.assertEqual(answer["proposal"], 3)

    def test_a_diff_in_a_block(self):
        done = self.ask("print('hypothesis: x\\n```\\n--- a/k.cu\\n+++ b/k.cu\\n@@ -1 +1 @@\\n-old\\n+new\\n```')")
        self.assertTrue(json.loads(done.stdout)["diff"].startswith("--- a/k.cu"))

    def test_no_block_is_a_pass_and_a_failure_is_one(self):
        self.assertEqual(json.loads(self.ask("print('I do not know')").stdout), {})
        self.assertNotEqual(self.ask("raise SystemExit(3)").returncode, 0)


if __name__ == "__main__":
    unittest.main()
