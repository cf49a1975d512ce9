# SPDX-License-Identifier: MIT
"""Tests of the Python package assay_attention that need no GPU. Those of the C library are skipped where it is not built
(make attention), those of tensors where PyTorch is not installed."""

import contextlib
import ctypes
import importlib
import importlib.util
import io
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import assay_attention  # noqa: E402
from assay_attention import LibraryNotFound, Unsupported, decision, library  # noqa: E402

BUILT = library.candidates() and any(path.is_file() for path in library.candidates())
HAS_TORCH = importlib.util.find_spec("torch") is not None


def python(program, **environment):
    """Runs a program in a fresh interpreter; returns its output and errors."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1", **environment})
    return (done.stdout + done.stderr).strip()


class Package(unittest.TestCase):
    def test_imports_without_pytorch(self):
        self.assertEqual(python("import sys; sys.modules['torch'] = None; import assay_attention; print(assay_attention.query)")[:9],
                         "<function")

    def test_unknown_names(self):
        with self.assertRaises(AttributeError):
            assay_attention.attend
        self.assertIn("attention", dir(assay_attention))
        self.assertIn("flash_attn_with_kvcache", dir(assay_attention))

    def test_struct_has_the_size_of_the_header(self):
        self.assertEqual(library.CALL.size, 176)  # tests/attention/call_check_test.cpp has the same number
        self.assertEqual(library.SERVING_CALL.size, 240)
        self.assertEqual(library.APPEND_CALL.size, 192)

    def test_search(self):
        with tempfile.TemporaryDirectory() as folder:
            missing = pathlib.Path(folder) / "none.so"
            said = python("import assay_attention; assay_attention.version()", ASSAY_ATTENTION_LIBRARY=str(missing))
            self.assertIn("LibraryNotFound", said)
            self.assertIn(str(missing), said)
            self.assertIn("make attention", said)
            wrong = pathlib.Path(folder) / "text.so"
            wrong.write_text("no library")
            said = python("import assay_attention; assay_attention.version()", ASSAY_ATTENTION_LIBRARY=str(wrong))
            self.assertIn("LibraryNotFound", said)
            self.assertIn("cannot use", said)

    def test_exceptions_say_what_is_supported(self):
        self.assertIn("multiple of 8 up to 256", str(Unsupported("because")))
        self.assertIsInstance(Unsupported("because"), ValueError)
        self.assertIsInstance(LibraryNotFound("where"), RuntimeError)


H200 = (90, "NVIDIA H200")


def random_shapes(count, seed):
    """Keyword arguments of assay_attention.measured, also outside of what any table knows."""
    draw = random.Random(seed)
    for _ in range(count):
        key_heads, rows = draw.choice((1, 2, 8, 16)), draw.choice((1, 16, 63, 64, 160, 161, 320, 321, 512, 1024, 4096, 16385))
        yield {"batch": draw.choice((1, 2, 8, 64, 200)), "query_heads": key_heads * draw.choice((1, 1, 4)), "query_rows": rows,
               "head_dim": draw.choice((40, 64, 72, 80, 96, 128, 192, 256)), "key_heads": key_heads,
               "key_rows": draw.choice((rows, rows, 4096)), "dtype": draw.choice(("fp16", "bf16")),
               "causal": draw.random() < 0.5, "layout": draw.choice(("bhsd", "bshd"))}


class Measured(unittest.TestCase):
    """The decision behind sdpa(): ours only where it was measured to be faster."""

    def test_every_gpu_needs_a_measurement_of_its_own(self):
        shape = {"batch": 4, "query_heads": 8, "query_rows": 512, "head_dim": 64}
        self.assertEqual(assay_attention.measured(**shape, gpu=H200), "faster")
        for gpu in ((90, "NVIDIA H100 80GB HBM3"), (89, "NVIDIA L4"), (80, "NVIDIA H200"), (100, "NVIDIA B200")):
            self.assertEqual(assay_attention.measured(**shape, gpu=gpu), "not measured", gpu)

    def test_a_shape_outside_of_what_was_measured_stays_pytorchs(self):
        for table in decision.tables().values():
            gpu = (table["gpu"]["compute_capability"], table["gpu"]["name"])
            most = max(most for _, most in table["domain"]["heads"])
            self.assertEqual(assay_attention.measured(most + 1, 1, 1024, 64, gpu=gpu), "not measured")
            self.assertEqual(assay_attention.measured(4, 8, 0, 64, gpu=gpu), "not measured")

    def test_tables_say_how_they_were_measured_and_keep_their_rule(self):
        self.assertTrue(decision.tables())

        def leaves(tree):
            return [tree] if "is" in tree else leaves(tree["then"]) + leaves(tree["else"])

        for table in decision.tables().values():
            for fact in ("date", "driver", "pytorch", "cudnn", "library", "shapes", "command"):
                self.assertTrue(table["measured"][fact], fact)
            for leaf in leaves(table["tree"]):
                self.assertIn(leaf["is"], decision.VERDICTS)
                if leaf["is"] == "faster":
                    self.assertGreaterEqual(leaf["quantile_5"], 0.985)
                    self.assertGreaterEqual(leaf["shapes"], 10)
            self.assertIn("faster", {leaf["is"] for leaf in leaves(table["tree"])})

    def test_domain_and_tree(self):
        tree = decision.compiled({"domain": {"head_dim": [[64, 64], [96, 128]]},
                                  "tree": {"feature": "causal", "at_most": 0, "then": {"is": "faster"}, "else": {"is": "not faster"}}})
        for dim, causal, expected in ((56, 0, decision.NOT_MEASURED), (64, 0, decision.FASTER), (64, 1, decision.NOT_FASTER),
                                      (72, 0, decision.NOT_MEASURED), (96, 0, decision.FASTER), (128, 1, decision.NOT_FASTER),
                                      (136, 0, decision.NOT_MEASURED)):
            self.assertEqual(decision.verdict(tree, 1, 1, 1, 9, 9, dim, causal, False, False), expected)

    def test_features(self):
        self.assertEqual(dict(zip(decision.FEATURES, decision.features(3, 8, 2, 129, 300, 80, True, True, False))),
                         {"heads": 24, "group": 4, "query_rows": 129, "key_rows": 300, "rows_differ": 1, "head_dim": 80, "tiles": 48,
                          "causal": 1, "bf16": 1, "rows_first": 0})

    def test_the_c_library_has_the_same_tables(self):
        script = ROOT / "kernels" / "attention" / "library" / "measured.py"
        done = subprocess.run([sys.executable, "-B", str(script), "header", "--check"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)

    @unittest.skipUnless(BUILT, "libassay_attention.so is not built (make attention)")
    def test_the_c_library_says_the_same(self):
        seen = set()
        for shape in random_shapes(3000, 5):
            said = assay_attention.measured(**shape, gpu=H200)
            seen.add(said)
            layout = shape.pop("layout")
            self.assertEqual(decision.VERDICTS[library.measured(**shape, rows_first=layout == "bshd", gpu=H200)], said, shape)
        self.assertEqual(seen, set(decision.VERDICTS))
        with self.assertRaises(Unsupported):
            library.measured(1, 8, 512, 20, gpu=H200)

    def test_the_decision_is_cheap(self):
        tree = decision.tree_of(*H200)
        start = time.perf_counter()
        for _ in range(1000):
            decision.verdict(tree, 8, 16, 16, 512, 512, 64, False, False, False)
        self.assertLess((time.perf_counter() - start) / 1000, 1e-4)


class Fit(unittest.TestCase):
    """From a sweep to a table."""

    def setUp(self):
        folder = ROOT / "kernels" / "attention" / "library"
        sys.path.insert(0, str(folder))
        self.addCleanup(sys.path.remove, str(folder))
        self.measured, self.sweep = importlib.import_module("measured"), importlib.import_module("sweep")

    def samples(self, speedup, count=1200):
        lines = []
        for number in range(count):
            shape = self.sweep.random_shape(7, number)
            lines.append({**shape, "us": {"ours": 10.0, "cudnn": 10.0 * speedup(shape, number), "flash": 100.0}})
        return [self.measured.Sample(line) for line in lines]

    def table(self, samples):
        return {"domain": self.measured.domain(samples), "tree": self.measured.learn(samples)}

    def test_shapes_are_a_function_of_seed_and_number(self):
        self.assertEqual(self.sweep.random_shape(1, 17), self.sweep.random_shape(1, 17))
        self.assertNotEqual(self.sweep.random_shape(1, 17), self.sweep.random_shape(2, 17))
        for number in range(500):
            shape = self.sweep.random_shape(1, number)
            self.assertLessEqual(self.sweep.flops(shape), self.sweep.MOST_FLOPS)
            self.assertEqual(shape["query_heads"] % shape["key_heads"], 0)
            self.assertFalse(shape["causal"] and shape["query_rows"] != shape["key_rows"], "SDPA aligns such masks differently")

    def test_shapes_of_short_sequences(self):
        shapes = [self.sweep.random_shape(1, number, {"pairs": 1}) for number in range(300)]
        for shape in shapes:
            self.assertLessEqual(max(shape["query_rows"], shape["key_rows"]), 160)
            self.assertIn(shape["head_dim"], range(64, 129, 8))
            self.assertEqual(shape["query_heads"] % shape["key_heads"], 0)
            self.assertFalse(shape["causal"] and shape["query_rows"] != shape["key_rows"], "SDPA aligns such masks differently")
        self.assertGreater(sum(shape["query_heads"] != shape["key_heads"] for shape in shapes), 40)
        self.assertEqual(self.sweep.options_of(["a.jsonl", "--only", "pairs"]).only, {"pairs": self.sweep.KINDS["pairs"]})
        with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit):
            self.sweep.options_of(["a.jsonl", "--only", "pears"])

    def test_shapes_and_summary_of_own_tiles(self):
        folder = ROOT / "kernels/attention/own_tiles"
        specification = importlib.util.spec_from_file_location("own_tiles_bench", folder / "bench.py")
        bench = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(bench)
        self.assertEqual(bench.random_shape(1, 17, bench.KINDS), bench.random_shape(1, 17, bench.KINDS))
        for number in range(500):
            shape = bench.random_shape(1, number, bench.KINDS)
            self.assertLessEqual(self.sweep.set_bytes(shape), bench.MOST_BYTES)
            self.assertEqual(shape["query_heads"] % shape["key_heads"], 0)
            self.assertLessEqual(shape["key_rows"], 512, "choice_sweep.py takes no more for measured")
            self.assertFalse(shape["causal"] and shape["query_rows"] != shape["key_rows"], "SDPA aligns such masks differently")
        self.assertEqual(bench.kernel_of("own_tiles_long_bf16_d128_causal"), "own_tiles_long")
        lines = [{"kind": "square", "chosen": "streaming_2", "us": {"own_tiles": 5.0, "own_tiles_long": 4.0, "streaming_2": 6.0, "flash": us}}
                 for us in (2.0, 8.0)]
        with contextlib.redirect_stdout(io.StringIO()) as output:
            bench.summary(lines)
        self.assertIn("square: best of cuDNN and flash over own_tiles: 2 shapes, median 1.25, 0.50 ... 2.00, 1 below 0.98", output.getvalue())
        self.assertIn("streaming_2, where it is taken over own_tiles: 2 shapes, median 1.50", output.getvalue())

    def test_a_shape_that_hangs_is_written_down(self):
        with tempfile.TemporaryDirectory() as folder:
            program = ("import sys, time; sys.path.insert(0, sys.argv[1]); import sweep\n"
                       "with open(sys.argv[2], 'w') as output, sweep.watched({'number': 7}, 0.05, output): time.sleep(20)")
            path = pathlib.Path(folder) / "sweep.jsonl"
            done = subprocess.run([sys.executable, "-c", program, str(ROOT / "kernels/attention/library"), str(path)], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertEqual(json.loads(path.read_text())["number"], 7)
            self.assertIn("hung", json.loads(path.read_text()))
            with path.open("w") as output, self.sweep.watched({"number": 8}, 20, output):
                pass
            self.assertEqual(path.read_text(), "", "one that does not")

    def sweep_file(self, folder, name, library, ours):
        """A made-up sweep; ours: of a shape, its time."""
        lines = [{"gpu": {"name": "A GPU", "compute_capability": 90}, "measured": {"library": library, "date": "2026-01-01"}}]
        for number in range(400):
            shape = self.sweep.random_shape(3, number)
            lines.append({"number": number, **shape, "us": {"ours": ours(shape), "cudnn": 10.0}})
        path = pathlib.Path(folder) / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    def test_what_hung_or_was_refused_is_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.sweep_file(folder, "a.jsonl", 200, lambda _: 8.0)
            with path.open("a") as output:
                print(json.dumps({"number": 400, "hung": "no answer within 30 s"}), file=output)
                print(json.dumps({"number": 401, "us": {"ours": 1.0}}), file=output)
            self.assertEqual(len(self.measured.read([path])[1]), 400)

    def test_sweeps_are_of_one_version(self):
        with tempfile.TemporaryDirectory() as folder:
            old = self.sweep_file(folder, "old.jsonl", 200, lambda _: 20.0)
            new = self.sweep_file(folder, "new.jsonl", 300, lambda _: 8.0)
            with self.assertRaisesRegex(SystemExit, "another GPU or version"):
                self.measured.read([old, new])

    def test_learns_where_ours_loses(self):
        def speedup(shape, _):
            few = shape["query_rows"] <= 64 and shape["key_rows"] >= 256
            return 0.2 if few else 0.9 if shape["head_dim"] > 192 else 1.2

        samples = self.samples(speedup)
        tree = decision.compiled(self.table(samples[::2]))
        wrong = [s for s in samples[1::2] if self.measured.routed(tree, s) and s.speedup < 1.0]
        missed = [s for s in samples[1::2] if not self.measured.routed(tree, s) and s.speedup > 1.0]
        self.assertLessEqual(len(wrong), len(samples) // 200)
        self.assertLessEqual(len(missed), len(samples) // 20)

    def test_unreliable_wins_are_not_faster(self):
        samples = self.samples(lambda _, number: 0.8 if number % 5 == 3 else 1.3, 400)
        tree = decision.compiled(self.table(samples[::2]))
        tested = samples[1::2]
        ours = [s for s in tested if self.measured.routed(tree, s)]
        self.assertLess(len(ours), len(tested) // 10, "losses that nothing announces must keep all of it PyTorch's")

    def test_leaves_keep_the_rule(self):
        samples = self.samples(lambda _, number: 0.8 if number % 10 == 3 else 1.3, 100)
        wins = [s for s in samples if s.speedup > 1.0]
        self.assertEqual(self.measured.leaf(wins, 1.0)["is"], "faster")
        self.assertEqual(self.measured.leaf(samples, 1.0)["is"], "not faster", "a tenth of the shapes loses")
        self.assertEqual(self.measured.leaf(wins, 0.5)["is"], "not faster", "the forest is not sure")
        self.assertEqual(self.measured.leaf(wins[:9], 1.0)["is"], "not faster", "too few shapes to tell")
        self.assertEqual(self.measured.leaf([], 1.0)["is"], "not measured")

    def test_the_shipped_tables_are_what_their_sweeps_say(self):
        folder = ROOT / "kernels" / "attention" / "library" / "sweeps"
        for table in decision.tables().values():
            facts, samples = self.measured.read([folder / name for name in table["measured"]["sweeps"]])
            self.assertEqual(json.loads(json.dumps(self.measured.make_table(facts, samples, samples))), table)
            slower = [s.speedup for s in samples if self.measured.routed(decision.compiled(table), s) and s.speedup < 0.98]
            self.assertLessEqual(len(slower), len(samples) // 100)

    def test_the_file_is_read_back(self):
        samples = self.samples(lambda shape, _: 0.9 if shape["causal"] else 1.1)
        facts = {"gpu": {"name": "A GPU", "compute_capability": 90}}
        table = {**facts, **self.table(samples)}
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(decision, "FOLDER", pathlib.Path(folder)):
            path = self.measured.write_table(table)
            self.assertEqual(path.name, "a_gpu.json")
            self.assertEqual(json.loads(path.read_text()), table)
        text = self.measured.header({(90, "A GPU"): table})
        self.assertIn('{90, "A GPU", kNodesAGpu, ', text)


@unittest.skipUnless(BUILT, "libassay_attention.so is not built (make attention)")
class Query(unittest.TestCase):
    def test_names_the_kernel(self):
        for capability in (80, 86, 89):
            self.assertEqual(assay_attention.query(8, 16, 4096, 64, compute_capability=capability), "warp_f16_d64_128x64x2")
        self.assertTrue(assay_attention.query(1, 1, 1, 256, dtype="bf16", compute_capability=90).startswith("warp_bf16_d256"))
        self.assertTrue(assay_attention.query(2, 8, 64, 64, compute_capability=90).startswith("warp_f16_d64"), "few keys")
        self.assertTrue(assay_attention.query(4, 8, 65, 64, compute_capability=90).startswith("resident"))
        for rows, length in ((1, 64), (64, 64), (65, 128), (128, 128)):
            for head_dim, size in ((64, 64), (72, 96), (96, 96), (104, 128), (128, 128)):
                for dtype, element in (("fp16", "half"), ("bf16", "bf16")):
                    for causal, mask in ((False, "full"), (True, "causal")):
                        name = assay_attention.query(32, 16, rows, head_dim, dtype=dtype, causal=causal, compute_capability=90)
                        self.assertEqual(name, f"pairs_{length}_{element}_d{size}_{mask}")
        self.assertRegex(assay_attention.query(32, 16, 128, 128, compute_capability=89), "^warp_")
        self.assertRegex(assay_attention.query(32, 16, 129, 128, compute_capability=90), "^(streaming|own_tiles)_")
        for head_dim, size in ((40, 64), (64, 64), (72, 96), (96, 96), (104, 128), (128, 128), (136, 256), (256, 256)):
            decoding = {"batch": 1, "query_heads": 32, "query_rows": 1, "head_dim": head_dim, "key_heads": 8, "key_rows": 4096}
            self.assertRegex(assay_attention.query(**decoding, compute_capability=90), f"^split_keys_f16_d{size}_")
            self.assertRegex(assay_attention.query(**decoding, compute_capability=89), "^warp_")
        for head_dim in range(8, 257, 8):
            for causal in (False, True):
                for capability in (80, 89, 90):
                    name = assay_attention.query(2, 8, 300, head_dim, key_heads=2, key_rows=777, causal=causal,
                                                 compute_capability=capability)
                    self.assertEqual(name.startswith("warp_"), capability != 90, name)
                    sizes = (64, 96, 128, 192, 256) if capability == 90 else (64, 128, 192, 256)
                    if "_d" in name:
                        self.assertIn(f"_d{min(size for size in sizes if size >= head_dim)}_", name + "_")

    def test_benches_find_their_functions(self):
        for name in ("split_keys", "serving_tiles", "pairs", "own_tiles"):
            self.assertTrue(hasattr(library.load(), f"assay_attention_testing_{name}"), name)

    def test_refuses(self):
        for words, options in (("compute capability 12.0", {"compute_capability": 120}),
                               ("compute capability 7.5", {"compute_capability": 75}),
                               ("head_dim is 20", {"head_dim": 20}),
                               ("head_dim is 512", {"head_dim": 512}),
                               ("no multiple of key_heads", {"key_heads": 3}),
                               ("query_rows is 0", {"query_rows": 0, "key_rows": 1}),
                               ("batch is -1", {"batch": -1}),
                               ("32-bit", {"batch": 1 << 40}),
                               ("fp16", {"dtype": "fp32"})):
            call = {"batch": 1, "query_heads": 8, "query_rows": 512, "head_dim": 64, "compute_capability": 90, **options}
            with self.assertRaises(Unsupported) as caught:
                assay_attention.query(**call)
            self.assertIn(words, str(caught.exception))

    def test_errors_belong_to_their_thread(self):
        loaded = library.load()
        seen = {}

        def refuse(head_dim):
            try:
                assay_attention.query(1, 1, 1, head_dim, compute_capability=90)
            except Unsupported as error:
                seen[head_dim] = error.reason

        threads = [threading.Thread(target=refuse, args=(d,)) for d in (12, 300)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertIn("12", seen[12])
        self.assertIn("300", seen[300])
        self.assertEqual(loaded.assay_attention_status_name(2), b"ASSAY_ATTENTION_UNSUPPORTED")
        self.assertEqual(loaded.assay_attention_status_name(99), b"unknown")

    def test_bad_structs(self):
        loaded = library.load()
        self.assertEqual(loaded.assay_attention_forward(None, None), library.INVALID)
        self.assertEqual(loaded.assay_attention_query(bytes(176), 90, None), library.INVALID)
        self.assertEqual(loaded.assay_attention_forward(bytes(176), None), library.INVALID)
        self.assertIn(b"struct_size is 0", loaded.assay_attention_last_error())

    def test_depends_on_no_cuda_or_pytorch_library(self):
        text = library.library_path().read_bytes()
        for name in (b"libcudart.so", b"libtorch", b"libc10", b"libstdc++.so"):
            self.assertNotIn(name + b"\0", text)


class FakeTensor:
    """A tensor object of a framework with DLPack's exchange table; its memory is nowhere."""

    def __init__(self, *shape, strides=None, code=2, bits=16, device=2, index=0, data=1 << 20):
        self.shape = (ctypes.c_int64 * len(shape))(*shape)
        if strides is None:
            strides = [math.prod(shape[i + 1:]) for i in range(len(shape))]
        self.strides = (ctypes.c_int64 * len(shape))(*strides)
        self.rest = (code, bits, device, index, data)


class DlpackTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("index", ctypes.c_int32), ("dimensions", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


@ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DlpackTensor))
def describe(tensor, out):
    if not isinstance(tensor, FakeTensor):
        return -1
    code, bits, device, index, data = tensor.rest
    out[0] = DlpackTensor(data, device, index, len(tensor.shape), code, bits, 1, tensor.shape, tensor.strides, 0)
    return 0


@ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.c_void_p)
def stream_of(device_type, index, out):
    return 0 if index == 0 else -1


class ExchangeTable(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("pointers", ctypes.c_void_p * 4),
                ("describe", ctypes.c_void_p), ("stream", ctypes.c_void_p)]


def tensor_type(major):
    """FakeTensor's kind with a table of this version."""
    table = ExchangeTable(major, 0, (ctypes.c_void_p * 4)(), ctypes.cast(describe, ctypes.c_void_p),
                          ctypes.cast(stream_of, ctypes.c_void_p))
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    capsule = make(ctypes.addressof(table), b"dlpack_exchange_api", None)
    return type("Tensor", (), {"__dlpack_c_exchange_api__": capsule, "table": table})


@unittest.skipUnless(BUILT, "libassay_attention.so is not built (make attention)")
class Objects(unittest.TestCase):
    def setUp(self):
        self.type = tensor_type(1)
        self.forward = library.forward_objects(self.type)
        self.q, self.k = FakeTensor(2, 8, 100, 64), FakeTensor(2, 4, 300, 64)

    def assert_refused(self, text, *tensors, lse=None, flags=0, scale=0.0):
        self.assertIn(self.forward(*tensors, lse, flags, scale), (library.INVALID, library.UNSUPPORTED))
        self.assertIn(text, library.load().assay_attention_last_error().decode())

    def test_refusals(self):
        q, k = self.q, self.k
        self.assert_refused("query is not on a GPU", FakeTensor(2, 8, 100, 64, device=1), k, k, q)
        self.assert_refused("key has 3 dimensions", q, FakeTensor(2, 8, 64), k, q)
        self.assert_refused("value is neither", q, k, FakeTensor(2, 4, 300, 64, bits=32), q)
        self.assert_refused("query is neither", FakeTensor(2, 8, 100, 64, code=0), k, k, q)
        self.assert_refused("different types", q, k, FakeTensor(2, 4, 300, 64, code=4), q)
        self.assert_refused("different GPUs", q, FakeTensor(2, 4, 300, 64, index=1), k, q)
        self.assert_refused("last dimension", q, k, k, FakeTensor(2, 8, 100, 64, strides=(51200, 6400, 1, 100)))
        self.assert_refused("too long", FakeTensor(1 << 40, 8, 100, 64), k, k, q)
        for wrong in ((q, k, FakeTensor(2, 4, 200, 64), q), (q, FakeTensor(3, 4, 300, 64), k, q), (q, k, k, k),
                      (q, FakeTensor(2, 4, 300, 32), k, q)):
            self.assert_refused("do not fit together", *wrong)
        self.assert_refused("no tensor", q, 5, k, q)
        for lse in (FakeTensor(2, 8, 100, bits=16), FakeTensor(2, 100, 8, bits=32), FakeTensor(2, 8, 100, bits=32, device=1), 7):
            self.assert_refused("log_sum_exp must be", q, k, k, q, lse=lse)
        self.assert_refused("not contiguous", q, k, k, q, lse=FakeTensor(2, 8, 100, bits=32, strides=(1600, 200, 2)))
        self.assert_refused("flags", q, k, k, q, flags=1 << 17)
        self.assert_refused("scale", q, k, k, q, scale=float("nan"))
        self.assert_refused("multiple of key_heads", q, k, k, q, flags=library.ROWS_BEFORE_HEADS)  # 100 and 300 heads

    def test_wrong_arguments_are_exceptions(self):
        for arguments in ((), (self.q,) * 6, (self.q, self.k, self.k, self.q, None, "flags", 0.0),
                          (self.q, self.k, self.k, self.q, None, 0, None)):
            with self.assertRaises(TypeError):
                self.forward(*arguments)

    def test_frameworks_without_a_table(self):
        self.assertIsNone(library.forward_objects(object))
        self.assertIsNone(library.forward_objects(type("Tensor", (), {"__dlpack_c_exchange_api__": 5})))
        framework = tensor_type(2)
        newer = library.forward_objects(framework)
        self.assertEqual(newer(self.q, self.k, self.k, self.q, None, 0, 0.0), library.INVALID)
        self.assertIn(b"DLPack 1.x", library.load().assay_attention_last_error())


@unittest.skipUnless(HAS_TORCH, "PyTorch is not installed")
@unittest.skipUnless(BUILT, "libassay_attention.so is not built (make attention)")
class Arguments(unittest.TestCase):
    def test_refusals_without_a_gpu(self):
        import torch
        x = torch.zeros(1, 1, 4, 64, dtype=torch.float16)
        for tensors in ((x, x, x), (x.float(), x.float(), x.float())):
            with self.assertRaises(Unsupported):
                assay_attention.attention(*tensors)
        with self.assertRaises(TypeError):
            assay_attention.attention(1, 2, 3)
        with self.assertRaises(ValueError):
            assay_attention.attention(x, x, x, layout="hbsd")
        meta = torch.empty(2, 4, 8, 64, dtype=torch.float16, device="meta")
        self.assertEqual(assay_attention.attention(meta, meta, meta).shape, meta.shape)
        with assay_attention.sdpa():
            out = torch.nn.functional.scaled_dot_product_attention(x.float(), x.float(), x.float())
        self.assertEqual(out.shape, x.shape)


if __name__ == "__main__":
    unittest.main()
