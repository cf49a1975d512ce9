# SPDX-License-Identifier: MIT
"""Tasks of C++ (GPU MODE, lang: cu): types taken apart, calls, mistakes. g++ takes the place of nvcc: no kernel is in them."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import support  # noqa: F401 - finds the providers
import cuda_task
from cuda_task import Bridge, CudaTask, CudaTaskError, NoCompiler, tensors_of

COMPILER = """#!/usr/bin/env python3
import os, sys
words, rest = [], iter(sys.argv[1:])
for word in rest:
    if word == "-Xcompiler":
        words += next(rest).split(",")
    elif not word.startswith(("-arch", "-O")):
        words.append(word)
sources = [os.path.basename(word) for word in words if word.endswith(".cu")]
with open(os.environ["CALLS"], "a") as file:
    file.write(" ".join(sources or ["link"]) + "\\n")
os.execvp("g++", ["g++", *(["-x", "c++"] if sources else []), *words])
"""
REFERENCE = """
#include <array>
#include <tuple>
#include <vector>
struct Inner { std::array<int, 2> pair; double factor; };
using input_t = std::tuple<std::vector<float>, Inner, std::vector<std::vector<unsigned char>>>;
using output_t = std::pair<std::vector<float>, std::array<long, 1>>;
constexpr std::array<const char*, 2> ArgumentNames = {"size", "seed"};
static input_t generate_input(int size, int seed) {
  return {std::vector<float>(size, 1.0f * seed), {{1, 2}, 0.5}, {{1, 2, 3}, {4}}};
}
static output_t ref_kernel(input_t data) {
  return {std::get<0>(data), {static_cast<long>(std::get<2>(data)[0][2]) + std::get<1>(data).pair[1]}};
}
"""
ANSWER = """
#include <stdexcept>
#include "reference.cuh"
output_t custom_kernel(input_t data) {
  if (std::get<0>(data).empty()) throw std::runtime_error("nothing to do");
  return ref_kernel(data);
}
"""


@unittest.skipUnless(shutil.which("g++"), "there is no g++")
class CudaTaskTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="assay test ")
        self.addCleanup(shutil.rmtree, self.folder)
        self.addCleanup(os.environ.pop, "ASSAY_NVCC", None)
        os.environ["ASSAY_NVCC"], os.environ["CALLS"] = self.write("nvcc", COMPILER), os.path.join(self.folder, "calls")
        os.chmod(os.environ["ASSAY_NVCC"], 0o755)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def driver(self, major, minor):
        """One that knows a GPU, and nothing else."""
        source = self.write("driver.cpp", """
extern "C" int cuInit(unsigned) { return 0; }
extern "C" int cuDeviceGet(int* device, int) { *device = 3; return 0; }
extern "C" int cuDeviceGetAttribute(int* value, int which, int device) {
  *value = which == 75 ? MAJOR : MINOR;
  return device == 3 ? 0 : 1;
}
""")
        library = os.path.join(self.folder, f"driver{major}{minor}.so")
        subprocess.run(["g++", "-shared", "-fPIC", f"-DMAJOR={major}", f"-DMINOR={minor}", source, "-o", library],
                       check=True)
        self.use_driver(library)

    def use_driver(self, library):
        os.environ["ASSAY_CUDA_DRIVER"] = library
        self.addCleanup(os.environ.pop, "ASSAY_CUDA_DRIVER", None)
        cuda_task.architecture.cache_clear()
        self.addCleanup(cuda_task.architecture.cache_clear)

    def test_gpus_that_share_a_home_have_libraries_of_their_own(self):
        answer, made = self.write("answer.cu", ANSWER), []
        for capability in ((8, 9), (9, 0), (8, 9)):
            self.driver(*capability)
            made.append(self.task(size=3, seed=9).library(answer))
        self.assertEqual(made[0], made[2])
        self.assertNotEqual(made[0], made[1])
        self.assertEqual(self.calls().count("assay_bridge.cu"), 2, "one for each GPU")
        self.assertIn("-arch=sm_89", cuda_task.flags())

    def test_without_a_driver_the_compiler_chooses(self):
        self.use_driver("none")
        self.assertIn("-arch=native", cuda_task.flags())

    def calls(self):
        with open(os.environ["CALLS"], encoding="utf-8") as file:
            return file.read().split()

    def task(self, text=REFERENCE, **case):
        headers = {"reference.cuh": self.write("reference.cuh", text)}
        return CudaTask({"case": case, "headers": headers}, os.path.join(self.folder, "cache"))

    def test_types_are_taken_apart_and_calls_are_made(self):
        bridge = self.task(size=3, seed=9).bridge(self.write("answer.cu", ANSWER), seed=7)
        tensor = lambda dtype, count: {"kind": "tensor", "dtype": dtype, "count": count}  # noqa: E731
        self.assertEqual(bridge.structure(Bridge.INPUT), {"kind": "tuple", "items": [
            tensor("f32", 3), {"kind": "tuple", "items": [tensor("i32", 2), {"kind": "value", "value": 0.5}]},
            {"kind": "tuple", "items": [tensor("u8", 3), tensor("u8", 1)]}]})
        self.assertEqual([len(each) for each in bridge.leaves(Bridge.INPUT)], [12, 8, 3, 1])
        self.assertEqual(bytes(bridge.leaves(Bridge.INPUT)[0]), b"\0\0\xe0\x40" * 3)  # 7.0, the seed that was asked for
        bridge.leaves(Bridge.INPUT)[2][:] = b"\1\2\x2a"
        bridge.ready()
        self.assertEqual(bridge.call(), 0)
        bridge.answered()
        self.assertEqual(bridge.structure(Bridge.OUTPUT), {"kind": "tuple", "items": [tensor("f32", 3), tensor("i64", 1)]})
        self.assertEqual(bytes(bridge.leaves(Bridge.OUTPUT)[1]), (44).to_bytes(8, "little"))
        again = self.task(size=0, seed=9).bridge(self.write("answer.cu", ANSWER))
        again.ready()
        self.assertEqual((again.call(), again.problem()), (1, "nothing to do"))
        self.assertEqual(self.calls(), ["assay_bridge.cu", "assay_answer.cu", "link"])  # once: what was made is kept
        self.task(size=3, seed=9).bridge(self.write("other.cu", ANSWER + "// another\n"))
        self.assertEqual(self.calls()[3:], ["assay_answer.cu", "link"])  # the bridge is the same for all answers
        self.task(size=3, seed=9).bridge()
        self.assertEqual(self.calls()[5:], ["link"])

    def test_processes_that_want_the_same_at_once_compile_it_once(self):
        script = ("import sys; sys.path.insert(0, sys.argv[1]); from cuda_task import CudaTask; "
                  "CudaTask({'case': {'size': 3, 'seed': 1}, 'headers': {'reference.cuh': sys.argv[2]}}, sys.argv[3]).bridge()")
        words = [sys.executable, "-c", script, os.path.dirname(cuda_task.__file__),
                 self.write("reference.cuh", REFERENCE), os.path.join(self.folder, "cache")]
        self.assertEqual([each.wait() for each in [subprocess.Popen(words) for _ in range(3)]], [0, 0, 0])
        self.assertEqual(self.calls(), ["assay_bridge.cu", "link"])

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "there is no NumPy")
    def test_inputs_and_reference_need_no_torch(self):
        task = self.task(size=3, seed=9)
        data = task.make_inputs(None, 5)
        self.assertEqual(data[0].tolist(), [5.0, 5.0, 5.0])
        self.assertEqual(task.reference(None, None)(data)[0].tolist(), [5.0, 5.0, 5.0])
        self.assertEqual([str(each.dtype) for each in tensors_of(data)], ["float32", "int32", "uint8", "uint8"])

    def test_mistakes_are_told_in_words(self):
        with self.assertRaisesRegex(CudaTaskError, "generate_input: the case has no 'seed'"):
            self.task(size=3).bridge()
        with self.assertRaisesRegex(CudaTaskError, "nvcc: .*nowhere"):
            self.task(size=3, seed=1).bridge(self.write("bad.cu", "int x = nowhere;\n"))
        missing = self.task(size=3, seed=1).bridge(self.write("missing.cu", "int x;\n"))
        missing.ready()
        self.assertEqual(missing.call(), 1)
        self.assertIn("defines no output_t custom_kernel", missing.problem())
        with self.assertRaisesRegex(CudaTaskError, "names no reference.cuh"):
            CudaTask({"case": {}, "headers": {}}, self.folder)
        os.environ["ASSAY_NVCC"] = "none"
        with self.assertRaisesRegex(NoCompiler, "needs nvcc"):
            self.task(REFERENCE + "// another\n", size=3, seed=1).bridge()


if __name__ == "__main__":
    unittest.main()
