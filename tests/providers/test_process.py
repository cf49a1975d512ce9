# SPDX-License-Identifier: MIT
"""A provider as a process: private pipes, ids, errors as answers."""

import json
import pathlib
import subprocess
import sys
import unittest

from support import ROOT, CaseFolder

HERE = pathlib.Path(__file__).resolve().parent


class Process(CaseFolder):
    def start(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.end, self.process)

    @staticmethod
    def end(process):
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            pipe.close()

    def loopback(self, problem):
        self.start([sys.executable, str(HERE / "loopback_provider.py"), problem])

    def send(self, text):
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, op, identity, **fields):
        self.send(json.dumps({**fields, "op": op, "id": identity}))
        answer = json.loads(self.process.stdout.readline())
        self.assertEqual(answer["id"], identity)
        return answer

    def prepared(self, problem):
        self.loopback(problem)
        self.assertTrue(self.ask("hello", 11, protocol=1, device=0)["ok"])
        return self.ask("prepare", 12, **self.request())

    def test_a_whole_conversation(self):
        answer = self.prepared("honest")
        parts = answer.pop("seconds")
        self.assertEqual(answer, {"id": 12, "ok": True, "variant": "row sums, one by one", "device_bytes": 72})
        self.assertEqual(list(parts), ["forget", "inputs", "problem", "warm-up", "sampler"])
        self.assertTrue(all(seconds >= 0 for seconds in parts.values()))
        self.assertTrue(self.ask("run", 123456789012345678, set=0, poison=9)["ok"])
        self.assertEqual(len(self.ask("sample", 14, order=[0, 1], poison=[1, 2])["us"]), 2)
        self.assertTrue(self.ask("quit", 15)["ok"])
        self.assertEqual(self.process.wait(timeout=30), 0)

    def test_what_is_printed_is_no_answer_and_standard_input_is_empty(self):
        self.assertTrue(self.prepared("chatty")["ok"])
        self.assertTrue(self.ask("run", 13, set=0, poison=9)["ok"])
        self.assertTrue(self.ask("quit", 14)["ok"])
        _, errors = self.process.communicate(timeout=30)
        self.assertIn(b"rubbish", errors)

    def test_leaving_from_inside_a_call_is_an_error_of_that_request(self):
        answer = self.prepared("leaving")
        self.assertFalse(answer["ok"])
        self.assertIn("SystemExit", answer["error"])
        self.assertTrue(self.ask("quit", 13)["ok"])

    def test_unknown_requests(self):
        self.loopback("honest")
        answer = self.ask("dance", 1)
        self.assertFalse(answer["ok"])
        self.assertIn("dance", answer["error"])
        self.assertIn("hello", answer["hint"])
        self.send("[1, 2]")
        self.assertFalse(json.loads(self.process.stdout.readline())["ok"])
        self.send("this is no JSON")
        self.assertFalse(json.loads(self.process.stdout.readline())["ok"])
        self.assertEqual(self.process.wait(timeout=30), 1)

    def test_the_end_of_the_pipe_is_the_end(self):
        self.loopback("honest")
        self.process.stdin.close()
        self.assertEqual(self.process.wait(timeout=30), 0)

    def test_every_shipped_provider_answers_hello_without_pytorch_or_device(self):
        for name in ("torch_sdpa", "torch_compile", "python_function"):
            with self.subTest(provider=name):
                # A module named torch that cannot be imported: the same everywhere.
                (self.folder / "torch.py").write_text("raise ImportError('no PyTorch in this test')\n")
                program = ROOT / "providers" / f"{name}.py"
                start = f"import sys, runpy; sys.path[:0] = [{str(self.folder)!r}, {str(program.parent)!r}]; " \
                        f"runpy.run_path({str(program)!r}, run_name='__main__')"
                self.start([sys.executable, "-c", start])
                answer = self.ask("hello", 5, protocol=1, device=0)
                self.assertFalse(answer["ok"])
                self.assertIn("PyTorch", answer["error"])
                self.assertTrue(answer["hint"])
                self.assertTrue(self.ask("quit", 6)["ok"])


if __name__ == "__main__":
    unittest.main()
