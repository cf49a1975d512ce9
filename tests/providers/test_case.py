# SPDX-License-Identifier: MIT
"""Reading a case: layouts that fit, and requests that do not."""

import copy
import unittest

from support import CaseFolder

from case import read_case
from channel import Refusal


class Reading(CaseFolder):
    def test_what_is_there(self):
        case = read_case(self.request(cache="cold", flush_bytes=7))
        self.assertEqual(case.reference, "row_reduction")
        self.assertEqual([tensor.name for tensor in case.outputs()], ["y"])
        self.assertEqual(case.scalars, {"COLUMNS": 5})
        self.assertTrue(case.timing.cold)

    def test_scalars_have_the_kind_of_their_type(self):
        request = self.request()
        request["arguments"] += [{"name": "causal", "role": "scalar", "dtype": "bool", "value": 1.0},
                                 {"name": "scale", "role": "scalar", "dtype": "f32", "value": 2.0}]
        request["arguments"][2]["value"] = 5.0
        scalars = read_case(request).scalars
        self.assertEqual([repr(scalars[name]) for name in ("COLUMNS", "causal", "scale")], ["5", "True", "2.0"])

    def test_parameters_come_from_scalars_then_dimensions_then_the_default(self):
        request = self.request()
        request["dims"].update(COLUMNS=6, causal=True)
        case = read_case(request)
        self.assertEqual([case.parameter(name, 9) for name in ("COLUMNS", "causal", "scale")], [5, True, 9])

    def refused(self, change):
        request = copy.deepcopy(self.request())
        change(request)
        with self.assertRaises(Refusal) as caught:
            read_case(request)
        return str(caught.exception)

    def test_mistakes(self):
        def first(key, value):
            return lambda request: request["arguments"][0].update({key: value})
        self.assertIn("dtype", self.refused(first("dtype", "f12")))
        self.assertIn("role", self.refused(first("role", "guest")))
        self.assertIn("shape", self.refused(first("shape", [0, 5])))
        self.assertIn("stride", self.refused(first("strides", [-5, 1])))
        self.assertIn("2 dimensions and 1 strides", self.refused(first("strides", [1])))
        self.assertIn("does not fit", self.refused(first("bytes", 56)))
        self.assertIn("does not fit", self.refused(first("bytes", 61)))
        self.assertIn("at least one set", self.refused(lambda request: request.update(sets=[])))
        self.assertIn("no file for 'x'", self.refused(lambda request: request.update(sets=[{}])))
        self.assertIn("cache", self.refused(lambda request: request["timing"].update(cache="tepid")))
        self.assertIn("calls", self.refused(lambda request: request["timing"].update(calls=0)))
        self.assertIn("flush_bytes", self.refused(lambda request: request["timing"].update(flush_bytes=-1)))

    def test_gaps_and_repeated_elements_are_layouts_too(self):
        request = self.request()
        request["arguments"][0].update(strides=[8, 1], bytes=4 * 21)
        self.assertEqual(read_case(request).tensors["x"].strides, (8, 1))
        request["arguments"][0].update(strides=[0, 1], bytes=4 * 5)
        self.assertEqual(read_case(request).tensors["x"].bytes, 20)


if __name__ == "__main__":
    unittest.main()
