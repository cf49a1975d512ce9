# SPDX-License-Identifier: MIT
"""The fake provider of the parent's tests does what its tables say: an honest one is right, a liar lies."""

import json
import subprocess
import sys
import unittest

from support import ROOT, SETS, CaseFolder

import fake_gpu

PROGRAM = ROOT / "tests" / "measure" / "fake_provider.py"


class FakeProvider(CaseFolder):
    def talk(self, *arguments, requests):
        text = "".join(json.dumps({**request, "id": 100 + i}) + "\n" for i, request in enumerate(requests))
        done = subprocess.run([sys.executable, str(PROGRAM), *arguments], input=text.encode(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60)
        return done.returncode, done.stdout.decode().splitlines()

    def whole(self, *arguments):
        return self.talk(*arguments, requests=[
            {"op": "hello", "protocol": 1, "device": 0},
            {"op": "prepare", **self.request()},
            {"op": "run", "set": 1, "poison": 165},
            {"op": "sample", "order": list(range(SETS)), "poison": [1, 2, 3, 4]},
            {"op": "throughput", "replays": 2},
            {"op": "kernels", "set": 0},
            {"op": "read", "set": 1, "files": {"y": str(self.folder / "out")}},
            {"op": "quit"}])

    def test_honest(self):
        status, lines = self.whole()
        answers = [json.loads(line) for line in lines]
        self.assertEqual(status, 0)
        self.assertEqual([answer["id"] for answer in answers], list(range(100, 108)))
        self.assertTrue(all(answer["ok"] for answer in answers))
        sample = answers[3]
        right = [f"{fake_gpu.fingerprint(self.expected(number)):016x}" for number in range(SETS)]
        self.assertEqual(sample["fingerprints"], right)
        self.assertTrue(all(19 < us < 25 for us in sample["us"]))
        self.assertGreaterEqual(sample["host_us"], sum(sample["us"]))
        self.assertEqual((self.folder / "out").read_bytes(), self.expected(1))

    def test_claims(self):
        def sample(name, *arguments):
            return json.loads(self.whole("--behave", name, *arguments)[1][3])
        self.assertIn(-3.0, sample("negative")["us"])
        self.assertIn(0.0, sample("zero")["us"])
        self.assertEqual(len(sample("too_few")["us"]), SETS - 1)
        self.assertGreater(sum(sample("over_wall")["us"]), sample("over_wall")["host_us"])
        honest = sample("honest")["fingerprints"]
        for name in ("wrong_output", "wrong_when_timed", "unwritten", "unwritten_when_timed", "wrong_fingerprint",
                     "ignores_input"):
            self.assertNotEqual(sample(name)["fingerprints"], honest, name)
        self.assertEqual(sample("later_wrong", "--after", "2")["fingerprints"][:2], honest[:2])
        self.assertNotEqual(sample("later_wrong", "--after", "2")["fingerprints"][2:], honest[2:])
        self.assertTrue(all(sample("all_throttled")["throttled"]))

    def test_pipe(self):
        self.assertEqual(self.whole("--behave", "rubbish")[1][3][:4], "CUDA")
        self.assertEqual(json.loads(self.whole("--behave", "wrong_id", "--at", "run")[1][2])["id"], 103)
        self.assertEqual(self.whole("--behave", "crash", "--at", "hello"), (-11, []))
        self.assertFalse(json.loads(self.whole("--behave", "error")[1][3])["ok"])
        self.assertEqual(len(self.whole("--behave", "twice")[1]), 9)
        self.assertEqual(len(self.whole("--behave", "exit")[1]), 3)


if __name__ == "__main__":
    unittest.main()
