# SPDX-License-Identifier: MIT
"""What the tests share: cases on disk, and a harness on the fake device."""

import pathlib
import random
import struct
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
for folder in (ROOT / "providers", ROOT / "tests" / "providers"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

from channel import failure  # noqa: E402
from fake_gpu import FakeGpu  # noqa: E402
from harness import Harness  # noqa: E402

ROWS, COLUMNS, SETS = 3, 5, 4
MANY_BEHIND_GATE = {"cycles": 250_000, "growth": 4, "most_cycles": 400_000_000, "calls": 32}


def floats(values):
    return struct.pack(f"<{len(values)}f", *values)


class CaseFolder(unittest.TestCase):
    """A folder with inputs for row sums of ROWS x COLUMNS, SETS times."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        generator = random.Random(7)
        self.inputs = [[float(generator.randint(-99, 99)) for _ in range(ROWS * COLUMNS)] for _ in range(SETS)]
        for number, values in enumerate(self.inputs):
            (self.folder / f"x{number}").write_bytes(floats(values))
        (self.folder / "instruments").write_text("no PTX: the fake device needs none")

    def expected(self, number):
        return floats([sum(self.inputs[number][r * COLUMNS:(r + 1) * COLUMNS]) for r in range(ROWS)])

    def request(self, **timing):
        return {
            "problem": {"reference": "row_reduction", "options": {}}, "dims": {"ROWS": ROWS, "COLUMNS": COLUMNS},
            "arguments": [
                {"name": "x", "role": "input", "dtype": "f32", "shape": [ROWS, COLUMNS], "strides": [COLUMNS, 1],
                 "bytes": 4 * ROWS * COLUMNS},
                {"name": "y", "role": "output", "dtype": "f32", "shape": [ROWS], "strides": [1], "bytes": 4 * ROWS},
                {"name": "COLUMNS", "role": "scalar", "dtype": "i32", "value": COLUMNS}],
            "sets": [{"x": str(self.folder / f"x{number}")} for number in range(SETS)], "options": {},
            "timing": {"protocol": "graph", "cache": "warm", "flush_bytes": 0, "calls": 8, "delay_cycles": 0,
                       "placement": 0, "warm_up_calls": 2,
                       "gate": {"cycles": 250_000, "growth": 4, "most_cycles": 400_000_000, "calls": 1},
                       "instruments": str(self.folder / "instruments"), **timing}}


class HarnessCase(CaseFolder):
    """The harness in this process."""

    def start(self, problem, request=None, **timing):
        self.gpu = FakeGpu()
        self.problem = problem
        self.operations = Harness(problem, lambda device: self.gpu).operations()
        self.ask("hello", protocol=1, device=0)
        return self.ask("prepare", **(request or self.request(**timing)))

    def ask(self, op, **fields):
        return self.operations[op]({**fields, "op": op, "id": 1})

    def refuse(self, op, **fields):
        try:
            self.ask(op, **fields)
        except Exception as error:
            return failure(error)["error"]
        self.fail(f"{op} was not refused")

    def read(self, number, name="y"):
        path = self.folder / "read"
        self.ask("read", set=number, files={name: str(path)})
        return path.read_bytes()
