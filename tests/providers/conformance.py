# SPDX-License-Identifier: MIT
"""Does a provider time calls as docs/providers.md says? The same questions for every provider, as its parent asks them.

  python3 conformance.py --provider "build/assay --provider"

The case is the sum of rows. With FAKE_CUDA_TRACE the fake devices of the tests write down what they do, and the order
of one timed call is checked as well; on a GPU the answers alone are.
"""

import argparse
import json
import os
import pathlib
import random
import shlex
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS, COLUMNS, SETS = 3, 5, 4
GATE = {"cycles": 250_000, "growth": 4, "most_cycles": 400_000_000, "calls": 1}
FUNCTION = """
import torch

def candidate(inputs, outputs, scalars, dims):
    torch.sum(inputs["x"], dim=1, out=outputs["y"])
"""
provider = []  # the words that start it


def floats(values):
    return struct.pack(f"<{len(values)}f", *values)


def fingerprint(contents):
    words = struct.unpack(f"<{len(contents) // 4}I", contents)
    return f"{sum(word * (2 * j + 1) for j, word in enumerate(words)) % 2**64:016x}"


class Conformance(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        generator = random.Random(11)
        self.inputs = [[float(generator.randint(-99, 99)) for _ in range(ROWS * COLUMNS)] for _ in range(SETS)]
        for number, values in enumerate(self.inputs):
            (self.folder / f"x{number}").write_bytes(floats(values))
        (self.folder / "function.py").write_text(FUNCTION, encoding="utf-8")
        self.process = None
        self.addCleanup(self.stop)

    def stop(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.stdout.close()
            self.process.wait(30)
            self.process = None

    def start(self, **environment):
        """A fresh provider that has been greeted."""
        self.stop()
        self.trace = self.folder / "trace"
        self.trace.write_text("", encoding="utf-8")
        # The fake devices look at these; a GPU does not.
        more = {"FAKE_CUDA_TRACE": str(self.trace), **environment}
        self.process = subprocess.Popen(provider, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, **more})
        self.ask("hello", protocol=1, device=0)

    def exchange(self, op, **fields):
        number = random.getrandbits(50)
        self.process.stdin.write(json.dumps({**fields, "op": op, "id": number}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        self.assertEqual(answer["id"], number)
        return answer

    def ask(self, op, **fields):
        answer = self.exchange(op, **fields)
        self.assertTrue(answer["ok"], answer)
        return answer

    def request(self, **timing):
        kernel = ROOT / "kernels" / "reduction"
        return {
            "problem": {"reference": "row_reduction", "options": {}}, "dims": {"ROWS": ROWS, "COLUMNS": COLUMNS},
            "shape": f"COLUMNS={COLUMNS},ROWS={ROWS}",
            "arguments": [
                {"name": "x", "role": "input", "dtype": "f32", "shape": [ROWS, COLUMNS], "strides": [COLUMNS, 1],
                 "bytes": 4 * ROWS * COLUMNS},
                {"name": "y", "role": "output", "dtype": "f32", "shape": [ROWS], "strides": [1], "bytes": 4 * ROWS},
                {"name": "COLUMNS", "role": "scalar", "dtype": "i32", "value": COLUMNS}],
            "sets": [{"x": str(self.folder / f"x{number}")} for number in range(SETS)],
            # Each provider takes the options that are its own.
            "options": {"specification": str(kernel), "configuration": "", "cubin": "",
                        "ptx": str(kernel / "ptx" / "reduction.sm_90.ptx"), "file": str(self.folder / "function.py"),
                        "function": "candidate"},
            "timing": {"protocol": "graph", "cache": "warm", "flush_bytes": 0, "calls": 8, "delay_cycles": 0,
                       "placement": 1, "warm_up_calls": 2, "gate": dict(GATE),
                       "instruments": str(ROOT / "src" / "measure" / "instruments.ptx"), **timing}}

    def expected(self, number):
        return floats([sum(self.inputs[number][r * COLUMNS:(r + 1) * COLUMNS]) for r in range(ROWS)])

    def traced(self):
        return self.trace.read_text(encoding="utf-8").split("\n")[:-1]

    def test_times_and_fingerprints_come_for_each_call(self):
        for protocol, calls in (("graph", 1), ("event", 1), ("event", 3), ("event", 32)):
            for cache in ("warm", "cold"):
                with self.subTest(protocol=protocol, calls=calls, cache=cache):
                    self.start()
                    behind = 1 if cache == "cold" else calls
                    self.ask("prepare", **self.request(protocol=protocol, cache=cache,
                                                       flush_bytes=1 << 20 if cache == "cold" else 0,
                                                       gate={**GATE, "calls": behind}))
                    order = [2, 0, 3, 1, 1, 0, 2]
                    answer = self.ask("sample", order=order, poison=[17, 201, 90, 4, 5, 6, 7])
                    self.assertEqual(answer["fingerprints"], [fingerprint(self.expected(number)) for number in order])
                    self.assertEqual(len(answer["us"]), len(order))
                    self.assertTrue(all(us > 0 for us in answer["us"]), answer)
                    self.assertEqual(answer["gate"]["ungated"], 0)
                    self.assertGreaterEqual(answer["gate"]["cycles"], behind * GATE["cycles"])

    def test_a_delay_is_inside_the_timed_region(self):
        self.start()
        self.ask("prepare", **self.request())
        plain = self.ask("sample", order=[0] * 9, poison=[1] * 9)
        self.ask("prepare", **self.request(delay_cycles=400_000))
        slow = self.ask("sample", order=[0] * 9, poison=[1] * 9)
        self.assertGreater(sorted(slow["us"])[4], sorted(plain["us"])[4] + 100)

    def test_a_gate_that_opens_too_early_is_made_longer_and_samples_are_taken_again(self):
        for protocol in ("graph", "event"):
            with self.subTest(protocol=protocol):
                self.start(FAKE_CUDA_ENQUEUE_US="300")
                short = {"cycles": 1, "growth": 8, "most_cycles": 400_000_000, "calls": 1}
                self.ask("prepare", **self.request(protocol=protocol, gate=short))
                answer = self.ask("sample", order=[1, 2], poison=[1, 2])
                self.assertGreater(answer["gate"]["retaken"], 0)
                self.assertEqual(answer["gate"]["ungated"], 0)
                self.assertGreater(answer["gate"]["cycles"], 1)
                self.assertEqual(answer["fingerprints"], [fingerprint(self.expected(n)) for n in (1, 2)])
                again = self.ask("sample", order=[1, 2], poison=[1, 2])
                self.assertGreaterEqual(again["gate"]["cycles"], answer["gate"]["cycles"], "it stays as long")

    def test_behind_the_longest_gate_samples_are_kept_and_counted(self):
        for protocol in ("graph", "event"):
            with self.subTest(protocol=protocol):
                self.start()
                never = {"cycles": 1, "growth": 2, "most_cycles": 2, "calls": 1}
                self.ask("prepare", **self.request(protocol=protocol, gate=never))
                answer = self.ask("sample", order=[1, 2, 0], poison=[1, 2, 3])
                self.assertEqual(answer["gate"], {"cycles": 2, "retaken": 1, "ungated": 3})

    def test_settings_have_no_defaults(self):
        self.start()
        for name in ("protocol", "cache", "flush_bytes", "calls", "delay_cycles", "placement", "gate", "warm_up_calls"):
            request = self.request()
            del request["timing"][name]
            answer = self.exchange("prepare", **request)
            self.assertFalse(answer["ok"], name)
            self.assertIn(name, answer["error"])
        for name in ("cycles", "growth", "most_cycles", "calls"):
            request = self.request()
            del request["timing"]["gate"][name]
            answer = self.exchange("prepare", **request)
            self.assertFalse(answer["ok"], name)
            self.assertIn(name, answer["error"])
        for gate in ({**GATE, "calls": 2}, {**GATE, "cycles": 0}, {**GATE, "growth": 1}):
            self.assertFalse(self.exchange("prepare", **self.request(gate=gate))["ok"], gate)
        self.assertTrue(self.exchange("prepare", **self.request())["ok"])

    def test_one_timed_call_is_enqueued_in_the_order_of_the_page(self):
        gate = f"spin {GATE['cycles']}"
        for protocol in ("graph", "event"):
            for cold, delay in ((False, 0), (True, 0), (False, 77)):
                with self.subTest(protocol=protocol, cold=cold, delay=delay):
                    self.start()
                    self.ask("prepare", **self.request(protocol=protocol, cache="cold" if cold else "warm",
                                                       flush_bytes=64 if cold else 0, delay_cycles=delay))
                    before = len(self.traced())
                    self.ask("sample", order=[1, 2], poison=[1, 2])
                    steps = self.traced()[before:]
                    if not self.traced():
                        self.skipTest("a GPU does not tell")
                    one = [*(["reset"] if cold else []), gate, "record", *(["flush 64"] if cold else []), "record",
                           "call", *([f"spin {delay}"] if delay else []), "record", "fingerprint"]
                    self.assertEqual(steps, one + one)

    def test_every_set_is_called_to_warm_up(self):
        for calls in (0, 3):
            self.start()
            self.ask("prepare", **self.request(protocol="event", warm_up_calls=calls))
            if not self.traced() and calls:
                self.skipTest("a GPU does not tell")
            self.assertEqual(self.traced().count("call"), calls * SETS)

    def test_throughput_stands_behind_one_gate(self):
        self.start()
        self.ask("prepare", **self.request())
        self.ask("throughput", replays=2)
        before = len(self.traced())
        answer = self.ask("throughput", replays=3)
        self.assertEqual(len(answer["us"]), 3)
        steps = self.traced()[before:]
        if not self.traced():
            self.skipTest("a GPU does not tell")
        self.assertEqual(steps.count("call"), (1 + 3) * 8)
        self.assertEqual([step for step in steps if step.startswith("spin")], [f"spin {GATE['cycles']}"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--provider", required=True, help="the command that starts it")
    options, rest = parser.parse_known_args()
    provider = shlex.split(options.provider)
    unittest.main(argv=[sys.argv[0], *rest])
