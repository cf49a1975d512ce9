# SPDX-License-Identifier: MIT
"""The smaller parts of the providers: traces, masks, the user's function, NVML and the driver behind fake libraries."""

import os
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

from support import CaseFolder

from case import read_case
from channel import Refusal, failure, one_line
from cuda_driver import Driver
from gpu_state import GpuState
import kernel_list
from kernel_list import count_threads, read_trace
from python_function import PythonFunction
from torch_compile import PROBLEMS, one_at_a_time
from torch_sdpa import Sdpa, mask_kind


def event(name, stream, start, kind="kernel"):
    return {"cat": kind, "name": name, "ts": start, "dur": 2.5, "args": {"stream": stream}}


class Traces(unittest.TestCase):
    def test_the_timed_stream_is_0_and_our_mark_is_left_out(self):
        kernels = read_trace([event("softmax", 13, 5), event("assay_spin", 13, 1),
                              event("aten::softmax", 0, 2, "cpu_op"), event("Memset (Device)", 13, 3, "gpu_memset")])
        self.assertEqual(kernels, [{"name": "Memset (Device)", "stream": 0, "us": 2.5},
                                   {"name": "softmax", "stream": 0, "us": 2.5}])

    def test_another_stream_keeps_its_number(self):
        self.assertEqual(read_trace([event("assay_spin", 13, 1), event("hidden", 7, 2)])[0]["stream"], 7)

    def test_nothing_launched(self):
        self.assertEqual(read_trace([event("assay_spin", 13, 1)]), [])

    def test_threads_are_counted(self):
        import threading
        before = count_threads()
        stop = threading.Event()
        thread = threading.Thread(target=stop.wait)
        thread.start()
        self.assertEqual(count_threads(), before + 1)
        stop.set()
        thread.join()


class LookedUpBeforeTheFork(unittest.TestCase):
    """compile_warm.py with a PyTorch that has some of the names and not others."""

    def look_up(self, codecache):
        code = (f"import sys; sys.path[:0] = [{os.path.dirname(kernel_list.__file__)!r}, sys.argv[1]]\n"
                "import compile_warm\nprint(*compile_warm.not_here, sep='\\n')\nprint(sys.modules['torch'].calls)")
        with tempfile.TemporaryDirectory() as folder:
            for path, text in {"torch/__init__.py": "calls = []", "torch/_dynamo/__init__.py": "",
                               "torch/_inductor/__init__.py": "", "torch/_inductor/compile_fx.py": "",
                               "torch/_inductor/codecache.py": codecache, "triton/__init__.py": ""}.items():
                os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
                with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
                    file.write(text)
            return subprocess.run([sys.executable, "-S", "-B", "-c", code, folder], stdout=subprocess.PIPE, text=True,
                                  check=True).stdout

    def test_what_is_there_is_looked_up_and_the_rest_left_out(self):
        told = self.look_up("import torch\ndef torch_key(): torch.calls.append('torch_key')")
        self.assertIn("['torch_key']", told)
        self.assertIn("torch._inductor.runtime.triton_compat.triton_key", told)
        self.assertNotIn("codecache", told)

    def test_what_fails_is_left_out(self):
        told = self.look_up("def torch_key(): raise OSError('no sources')")
        self.assertIn("torch._inductor.codecache.torch_key: no sources", told)


class Masks(unittest.TestCase):
    def test_bottom_right(self):
        self.assertEqual(mask_kind(False, 8, 16, "flash"), "none")
        self.assertEqual(mask_kind(True, 8, 8, "flash"), "is_causal")
        self.assertEqual(mask_kind(True, 1, 16, "flash"), "none")
        self.assertEqual(mask_kind(True, 8, 16, "flash"), "lower_right")
        self.assertEqual(mask_kind(True, 8, 16, "cudnn"), "boolean")

    def test_rows_without_keys_are_refused(self):
        with self.assertRaises(Refusal):
            mask_kind(True, 16, 8, "default")


class Problems(CaseFolder):
    def test_sdpa_wants_its_arguments(self):
        with self.assertRaisesRegex(Refusal, "input 'q'"):
            Sdpa().prepare(read_case(self.request()), types.SimpleNamespace(torch=None), [])

    def test_every_built_in_reference_is_written_in_pytorch(self):
        from support import ROOT
        text = (ROOT / "src/reference/reference.cpp").read_text()
        for name in PROBLEMS:
            self.assertIn(f'"{name}"', text)
        self.assertEqual(set(PROBLEMS), {"attention_forward", "copy", "gemm", "layer_norm", "row_reduction", "softmax"})


class Compilation(unittest.TestCase):
    def test_processes_compile_one_after_the_other(self):
        with tempfile.TemporaryDirectory() as folder:
            code = "from torch_compile import one_at_a_time\nwith one_at_a_time(): print('compiled')"
            environment = {**os.environ, "TMPDIR": folder, "PYTHONPATH": os.pathsep.join(sys.path)}
            command = [sys.executable, "-B", "-c", code]
            with unittest.mock.patch.object(tempfile, "tempdir", folder):
                with one_at_a_time():
                    other = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
                    with self.assertRaises(subprocess.TimeoutExpired, msg="the other one must wait"):
                        other.wait(1)
                self.assertEqual(other.communicate(timeout=60)[0], "compiled\n")
                with self.assertRaises(ZeroDivisionError):
                    with one_at_a_time():
                        raise ZeroDivisionError
                with one_at_a_time():  # a failure has released it
                    pass


class FakeTensor:
    shape, dtype = (3,), "f32"

    def __init__(self):
        self.address = 64

    def data_ptr(self):
        return self.address

    @staticmethod
    def stride():
        return (1,)


class UserFunctions(CaseFolder):
    def call(self, text, function="candidate"):
        (self.folder / "mine.py").write_text(text)
        request = self.request()
        request["options"] = {"file": str(self.folder / "mine.py"), "function": function}
        x, y = FakeTensor(), FakeTensor()
        own = types.SimpleNamespace(inputs=lambda: {"x": x}, outputs=lambda: {"y": y})
        problem = PythonFunction()
        variant = problem.prepare(read_case(request), None, [own])
        self.assertEqual(variant, f"{function} of mine.py")
        problem.call(0)

    def test_it_is_called_with_everything_by_name(self):
        self.call("def candidate(inputs, outputs, scalars, dims):\n"
                  "  assert list(inputs) == ['x'] and list(outputs) == ['y']\n"
                  "  assert scalars == {'COLUMNS': 5} and dims == {'ROWS': 3, 'COLUMNS': 5}\n"
                  "  scalars.clear()\n")

    def refused(self, text, **options):
        with self.assertRaises(Refusal) as caught:
            self.call(text, **options)
        return str(caught.exception)

    def test_a_result_must_be_written_and_not_returned_or_replaced(self):
        head = "def candidate(inputs, outputs, scalars, dims):\n"
        self.assertIn("returned a dict", self.refused(head + "  return {}\n"))
        self.assertIn("another tensor", self.refused(head + "  outputs['y'] = inputs['x']\n"))
        self.assertIn("another tensor", self.refused(head + "  del outputs['y']\n"))
        self.assertIn("another tensor", self.refused(head + "  outputs['y'].address = 128\n"))

    def test_files_that_do_not_load(self):
        self.assertIn("SyntaxError", self.refused("def ("))
        self.assertIn("SystemExit", self.refused("raise SystemExit"))
        self.assertIn("no function 'other'", self.refused("candidate = print", function="other"))


class FakeNvml:
    def __init__(self, reasons, newer=True):
        self._reasons = reasons
        if newer:
            self.nvmlDeviceGetCurrentClocksEventReasons = self._answer
        else:
            self.nvmlDeviceGetCurrentClocksThrottleReasons = self._answer

    def nvmlInit_v2(self):
        return 0

    def nvmlDeviceGetHandleByPciBusId_v2(self, name, device):
        return 0 if name == b"0000:01:00.0" else 2

    def nvmlDeviceGetClockInfo(self, device, kind, clock):
        clock._obj.value = 1755
        return 0

    def _answer(self, device, reasons):
        reasons._obj.value = self._reasons
        return 0


class State(unittest.TestCase):
    def test_reasons(self):
        for reasons, slow in ((0, False), (0x1, False), (0x2, False), (0x4, True), (0x41, True), (0x100, False)):
            for newer in (True, False):
                state = GpuState("0000:01:00.0", FakeNvml(reasons, newer))
                self.assertEqual(state.throttled(), slow, hex(reasons))
                self.assertEqual(state.clock_mhz(), 1755)

    def test_unknown_device(self):
        with self.assertRaises(OSError):
            GpuState("0000:02:00.0", FakeNvml(0))


class FakeCuda:
    """A capture with two kernels, an event, and an empty node; 512 bytes set aside for persisting lines."""

    def __init__(self):
        self.kinds = [0, 7, 0, 5, 2]
        self.persisting = 512
        self.resets = 0
        self.capturing = True

    def cuStreamGetCaptureInfo_v2(self, stream, status, identity, graph, *rest):
        graph._obj.value = 1 if stream.value == 9 else None
        return 0

    def cuGraphGetNodes(self, graph, nodes, count):
        count._obj.value = len(self.kinds)
        if nodes is not None:
            nodes[:] = [1 + i for i in range(len(self.kinds))]
        return 0

    def cuGraphNodeGetType(self, node, kind):
        kind._obj.value = self.kinds[node.value - 1]
        return 0

    def cuGraphKernelNodeGetParams_v2(self, node, about):
        if self.capturing:
            return 901
        if node.value == 1:
            about._obj.function = 71
        else:
            about._obj.kernel = 72  # of a library that was loaded without a context
        return 0

    def cuFuncGetName(self, text, function):
        text._obj.value = b"_Z7row_sumPf" if function.value == 71 else None
        return 0

    def cuKernelGetName(self, text, kernel):
        text._obj.value = b"row_max" if kernel.value == 72 else None
        return 0

    def cuCtxGetLimit(self, held, limit):
        held._obj.value = self.persisting
        return 0

    def cuCtxSetLimit(self, limit, value):
        self.persisting = value.value
        return 0

    def cuCtxResetPersistingL2Cache(self):
        self.resets += 1
        return 0

    def cuCtxSynchronize(self):
        return 700

    def cuGetErrorString(self, code, text):
        text._obj.value = b"an illegal memory access was encountered"
        return 0


class DriverCalls(unittest.TestCase):
    def test_nodes_that_do_work(self):
        driver = Driver(FakeCuda())
        self.assertEqual(driver.working_nodes(9), 3)
        self.assertIsNone(driver.working_nodes(8))

    def test_names_in_a_graph(self):
        cuda = FakeCuda()
        with self.assertRaises(RuntimeError):
            Driver(cuda).names_in(1)
        cuda.capturing = False
        self.assertEqual(Driver(cuda).names_in(1), ["_Z7row_sumPf", "row_max", "memset"])
        cuda.kinds = [0, 4]  # what is in a graph of its own is not seen
        self.assertIsNone(Driver(cuda).names_in(1))

    def test_an_old_driver_has_no_names(self):
        class OldCuda(FakeCuda):
            cuFuncGetName = property()  # hasattr says no
        self.assertIsNone(Driver(OldCuda()).names_in(1))

    def test_persisting_lines(self):
        cuda = FakeCuda()
        driver = Driver(cuda)
        self.assertEqual(driver.reset_persisting_l2(), 512)
        self.assertEqual(driver.reset_persisting_l2(), 0)
        self.assertEqual(cuda.resets, 2)

    def test_errors_say_which_call_and_why(self):
        with self.assertRaisesRegex(RuntimeError, "cuCtxSynchronize: an illegal memory access"):
            Driver(FakeCuda()).synchronize()


class Messages(unittest.TestCase):
    def test_one_line(self):
        self.assertEqual(one_line("\n  first \nsecond"), "first")
        self.assertEqual(one_line(""), "")
        self.assertEqual(len(one_line("x" * 9999)), 500)

    def test_a_full_memory_has_a_hint(self):
        import contextlib
        import io
        with contextlib.redirect_stderr(io.StringIO()):
            answer = failure(RuntimeError("CUDA out of memory. Tried to allocate"))
        self.assertFalse(answer["ok"])
        self.assertIn("memory is full", answer["hint"])


if __name__ == "__main__":
    unittest.main()
