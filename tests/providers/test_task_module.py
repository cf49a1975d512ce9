# SPDX-License-Identifier: MIT
"""Tasks of other benchmarks taken apart and put together: without PyTorch."""

import os
import tempfile
import unittest

import support  # noqa: F401 - finds the providers
from task_module import BadTask, Task, dtype_name, put_together, take_apart


class FakeTensor:
    def __init__(self, dtype="torch.float32"):
        self.dtype = dtype

    def data_ptr(self):
        return id(self)


class FakeTorch:
    seeds = []

    @classmethod
    def manual_seed(cls, seed):
        cls.seeds.append(seed)


class StructureTest(unittest.TestCase):
    def test_what_is_taken_apart_is_put_together_again(self):
        a, b, c = FakeTensor(), FakeTensor(), FakeTensor()
        data = (a, [b, 3], {"k": c, "n": None}, "word", 2.5, True)
        structure, tensors = take_apart(data)
        self.assertEqual(list(tensors), ["data_0", "data_1_0", "data_2_k"])
        self.assertEqual(put_together(structure, tensors), data)

    def test_names_are_those_of_the_parameters(self):
        a, b = FakeTensor(), FakeTensor()
        structure, tensors = take_apart([a, b], ["x", "weight"])
        self.assertEqual(list(tensors), ["x", "weight"])
        self.assertEqual(put_together(structure, tensors), [a, b])
        self.assertEqual(list(take_apart(a, ["output"])[1]), ["output"])

    def test_what_is_no_tensor_and_no_number_is_refused(self):
        with self.assertRaisesRegex(BadTask, "a object among"):
            take_apart([object()])
        with self.assertRaisesRegex(BadTask, "complex64"):
            dtype_name(FakeTensor("torch.complex64"))
        self.assertEqual(dtype_name(FakeTensor("torch.bfloat16")), "bf16")


class TaskTest(unittest.TestCase):
    def make(self, style, text, case=None):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "task.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return Task(style, path, case or {})

    def test_a_model_draws_its_weights_with_one_seed(self):
        task = self.make("model", "class Model:\n    def __init__(self, n): self.n = n\n"
                                  "    def forward(self, x, y): pass\n    def __call__(self, x): return x * self.n\n"
                                  "def get_inputs(): return [5]\ndef get_init_inputs(): return [3]\n")
        FakeTorch.seeds = []
        self.assertEqual(task.make_inputs(FakeTorch, 7), [5])
        self.assertEqual(task.input_names([5]), ["x"])
        self.assertEqual(task.reference(FakeTorch, lambda model: model)([5]), 15)
        self.assertEqual(FakeTorch.seeds, [7, 42])

    def test_a_case_gets_the_seed_that_is_asked_for(self):
        task = self.make("ref_kernel", "def generate_input(rows, seed): return rows, seed\ndef ref_kernel(data): return data\n",
                         {"rows": 4, "seed": 1})
        self.assertEqual(task.make_inputs(FakeTorch, 2**31 + 9), (4, 9))
        self.assertIsNone(task.input_names((4, 9)))

    def test_a_module_that_is_no_task_is_refused(self):
        with self.assertRaisesRegex(BadTask, "has no get_inputs"):
            self.make("model", "class Model: pass\n")
        with self.assertRaisesRegex(BadTask, "has no ref_kernel"):
            self.make("ref_kernel", "def generate_input(): pass\n")


if __name__ == "__main__":
    unittest.main()
