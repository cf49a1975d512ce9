# SPDX-License-Identifier: MIT
"""The operator beside what was expected of it when it was exported: inputs and float64 results lie in `example`.

usage: python3 test_@NAME@.py         needs PyTorch and a GPU
"""

import json
import pathlib
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))

import torch  # noqa: E402

import @PACKAGE@  # noqa: E402
from @PACKAGE@ import call  # noqa: E402

EXAMPLE = json.loads((FOLDER / "kernel.json").read_text())["example"]


def read(entry):
    """A tensor as it lies in its file: all elements, gaps between strides included."""
    data = bytearray((FOLDER / entry["file"]).read_bytes())
    flat = torch.frombuffer(data, dtype=call.torch_type(entry["dtype"])) if data else \
        torch.empty_strided((0,), (1,), dtype=call.torch_type(entry["dtype"]), device="cpu")
    return flat.as_strided(entry["shape"], entry["strides"]).to("cuda")


def inputs():
    return {name: read(EXAMPLE["inputs"][name]) for name in EXAMPLE["order"]}


def results():
    given = inputs()
    answer = @PACKAGE@.@FUNCTION@(*given.values(), **EXAMPLE["settings"])
    made = {} if answer is None else dict(zip(EXAMPLE["returned"], answer if isinstance(answer, tuple) else (answer,)))
    return {**{name: given[name] for name in EXAMPLE["written"]}, **made}


class OperatorTest(unittest.TestCase):
    def test_results_are_those_that_were_expected(self):
        made = results()
        for name in EXAMPLE["outputs"]:
            tensor = made[name]
            expected = read(EXAMPLE["outputs"][name])
            atol, rtol = EXAMPLE["tolerances"][name]
            self.assertEqual(tuple(tensor.shape), tuple(expected.shape))
            if EXAMPLE["outputs"][name]["dtype"] != "f64":  # integers that float64 does not hold
                for found, right in zip(tensor.flatten().tolist(), expected.flatten().tolist()):
                    self.assertLessEqual(abs(found - right), atol + rtol * abs(right), f"{name} is wrong")
                continue
            apart = (tensor.to(torch.float64) - expected).abs() - (atol + rtol * expected.abs())
            self.assertLessEqual(apart.max().item() if apart.numel() else 0, 0, f"{name} is wrong")

    def test_two_calls_give_the_same_bits(self):
        first, second = results(), results()
        for name in first:
            self.assertTrue(torch.equal(first[name], second[name]), name)

    def test_a_tensor_elsewhere_is_refused(self):
        given = [tensor.to("cpu") for tensor in inputs().values()]
        if given:
            with self.assertRaises((ValueError, RuntimeError, NotImplementedError)):
                @PACKAGE@.@FUNCTION@(*given, **EXAMPLE["settings"])

    @unittest.skipUnless(hasattr(torch, "compile"), "this PyTorch does not compile")
    def test_it_compiles_without_a_break(self):
        compiled = torch.compile(@PACKAGE@.@FUNCTION@, fullgraph=True)
        compiled(*inputs().values(), **EXAMPLE["settings"])


if __name__ == "__main__":
    unittest.main()
