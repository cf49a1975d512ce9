# SPDX-License-Identifier: MIT
"""The package assay_attention inside PyTorch, on a GPU: graphs, streams, threads, compilation, refusals, routing, cost.

  python3 tests/attention/gpu_pytorch_test.py [-v] [Class.test ...]
"""

import contextlib
import os
import subprocess
import sys
import threading
import unittest
import unittest.mock

from gpu_case import HERE, MISSING, PACKAGE, GpuTest

if MISSING is None:
    import torch
    import torch.nn.functional as F
    from torch.nn.attention import SDPBackend, sdpa_kernel

    import assay_attention
    from assay_attention import Unsupported, attention, decision, library, routing
    from gpu_case import BF16, F16
    from host_cost import host_costs
    from reference import attention_float64, draw


class InPyTorch(GpuTest):
    def test_graph_capture_and_replay(self):
        for dim in (64, 128, 256):
            q, k, v = draw(10, 2, 4, 300, dim)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                out = attention(q, k, v, causal=True)
            for seed in (11, 12):
                for old, new in zip((q, k, v), draw(seed, 2, 4, 300, dim)):
                    old.copy_(new)
                graph.replay()
                self.assert_close(out, attention_float64(q, k, v, True)[0], F16)

    def test_first_use_of_a_kernel_may_be_captured(self):
        # In a process of its own: nothing is loaded yet when the capture, which is strict, begins.
        program = """
import sys, torch
sys.path[:0] = sys.argv[1:]
import assay_attention
from reference import attention_float64, draw, relative_error
for dim in (40, 64, 128, 192):
    q, k, v = draw(1, 2, 4, 300, dim)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="global"):
        out = assay_attention.attention(q, k, v, causal=True)
    graph.replay()
    assert relative_error(out, attention_float64(q, k, v, True)[0]) < 6e-4, dim
q, k, v = draw(2, 2, 8, 1, 128, key_heads=2, key_rows=4000)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="global"):
    out = assay_attention.attention(q, k, v)
graph.replay()
assert relative_error(out, attention_float64(q, k, v, False)[0]) < 6e-4, "few queries"
print("captured")
"""
        for loading in ("LAZY", "EAGER"):
            done = subprocess.run([sys.executable, "-c", program, str(HERE), str(PACKAGE)],
                                  capture_output=True, text=True, timeout=120, env={**os.environ, "CUDA_MODULE_LOADING": loading})
            self.assertEqual(done.stdout.strip(), "captured", done.stderr)

    def test_prepare(self):
        assay_attention.prepare()
        q, k, v = draw(4, 1, 1, 64, 64)
        attention(q, k, v)
        torch.cuda.synchronize()

    def test_other_stream(self):
        q, k, v = draw(20, 4, 16, 1024, 64)
        expected = attention(q, k, v)
        torch.cuda.synchronize()
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(50_000_000)  # the copy below must wait for it, and our kernel for the copy
            late = q.clone()
            out = attention(late, k, v)
        stream.synchronize()
        self.assertTrue(torch.equal(out, expected))

    def test_overlap_gives_the_same_bits(self):
        q, k, v = draw(21, 4, 8, 512, 64)
        expected = attention(attention(q, k, v), k, v)
        for _ in range(20):
            self.assertTrue(torch.equal(attention(attention(q, k, v, overlap=True), k, v, overlap=True), expected))

    def test_threads(self):
        inputs = [draw(30 + i, 2, 4, 100 + 50 * i, (64, 128, 40, 256)[i % 4]) for i in range(8)]
        expected = [attention(*i, causal=True) for i in inputs]
        torch.cuda.synchronize()
        wrong = []

        def work(index):
            with torch.cuda.stream(torch.cuda.Stream()):
                for _ in range(50):
                    if not torch.equal(attention(*inputs[index], causal=True), expected[index]):
                        wrong.append(index)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_compile(self):
        def both(q, k, v):
            out, lse = attention(q * 1.5, k, v, causal=True, return_lse=True)
            return out + 1, lse, attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), layout="bshd")

        q, k, v = draw(40, 2, 4, 200, 64, key_heads=2)
        expected = both(q, k, v)
        for backend in ("aot_eager", "inductor"):
            got = torch.compile(both, fullgraph=True, backend=backend)(q, k, v)
            for a, b in zip(got, expected):
                self.assertTrue(torch.equal(a, b), backend)
                self.assertEqual(a.stride(), b.stride())

    def test_compile_with_graphs(self):
        compiled = torch.compile(lambda q, k, v: attention(q, k, v) * 2, fullgraph=True, mode="reduce-overhead")
        q, k, v = draw(41, 2, 4, 200, 64)
        for _ in range(4):
            self.assertTrue(torch.equal(compiled(q, k, v), attention(q, k, v) * 2))

    def test_operator_checks(self):
        for dim, bshd in ((64, True), (256, False)):
            arguments = (*draw(42, 2, 4, 50, dim, bshd=bshd), True, 0.125, False)
            for operator in (torch.ops.assay_attention.forward.default, torch.ops.assay_attention.forward_lse.default):
                torch.library.opcheck(operator, arguments, test_utils=("test_schema", "test_faketensor"))

    def test_fake_and_meta_tensors(self):
        from torch._subclasses.fake_tensor import FakeTensorMode
        with FakeTensorMode():
            q = torch.empty(2, 50, 4, 64, device="cuda", dtype=BF16).transpose(1, 2)
            out, lse = attention(q, q, q, return_lse=True)
            self.assertEqual((out.shape, out.stride(), out.dtype), (q.shape, q.stride(), BF16))
            self.assertEqual((tuple(lse.shape), lse.dtype), ((2, 4, 50), torch.float32))
        q = torch.empty(2, 4, 50, 64, device="meta", dtype=F16)
        self.assertEqual(attention(q, q, q).device.type, "meta")

    def test_inference_mode(self):
        with torch.inference_mode():
            q, k, v = draw(43, 1, 2, 64, 64)
            self.assert_close(attention(q, k, v), attention_float64(q, k, v, False)[0], F16)

    def test_both_ways_to_the_library_agree(self):
        from assay_attention import launch
        forward = launch._load()
        self.assertTrue(forward, "this PyTorch has no DLPack exchange table")
        for bshd in (False, True):
            q, k, v = draw(46, 2, 4, 70, 64)
            by_objects = launch.enqueue(q, k, v, True, None, True, bshd, False)
            by_numbers = launch.launch(q, k, v, True, None, True, bshd, False)
            for a, b in zip(by_objects, by_numbers):
                self.assertTrue(torch.equal(a, b))
        lse = torch.empty(2, 4, 70, device="cuda")
        out = torch.empty_like(q)
        self.assertEqual(forward(q, k, v, out, lse, 0, 0.0), 0)
        self.assertEqual(forward(q, k, v, out, None, 1, 0.5), 0)
        for arguments in ((q.float(), k, v, out, None), (q, k[0], v, out, None), (q, k, v, out[:1], None),
                          (q, k, v[:, :2], out, None), (q, k.cpu(), v, out, None), (q, k, v.bfloat16(), out, None),
                          (q, k, v, out, lse[:1]), (q, k, v, out, lse.double())):
            self.assertNotEqual(forward(*arguments, 0, 0.0), 0)
        self.assertNotEqual(forward(q, k, v, out, None, 4, 0.0), 0)
        for arguments in ((q, k, v, out, None, 0), (q, k, v, out, None, "0", 0.0), (q, k, v, out, None, 0, "1")):
            with self.assertRaises(TypeError):
                forward(*arguments)

    def test_trace_keeps_the_call(self):
        first, second = draw(44, 1, 2, 64, 64), draw(45, 1, 2, 64, 64)
        traced = torch.jit.trace(lambda q, k, v: attention(q, k, v), first)
        self.assertTrue(torch.equal(traced(*second), attention(*second)))


class Refusals(GpuTest):
    def setUp(self):
        self.q, self.k, self.v = draw(50, 2, 4, 64, 64)

    def assert_refused(self, text, *tensors, **options):
        with self.assertRaises(Unsupported) as caught:
            attention(*tensors, **options)
        self.assertIn(text, str(caught.exception))
        self.assertIn("supported:", str(caught.exception))

    def test_gradients(self):
        wants = self.q.clone().requires_grad_()
        self.assert_refused("gradient", wants, self.k, self.v)
        self.assert_refused("gradient", self.q, self.k, wants)
        with self.assertRaises(Unsupported):
            torch.ops.assay_attention.forward(wants, self.k, self.v, False, 1.0, False)
        with torch.no_grad():
            self.assertTrue(torch.equal(attention(wants, self.k, self.v), attention(self.q, self.k, self.v)))
        with torch.autograd.forward_ad.dual_level():
            dual = torch.autograd.forward_ad.make_dual(self.q, torch.ones_like(self.q))
            self.assert_refused("gradient", dual, self.k, self.v)

    def test_dtype(self):
        self.assert_refused("float32", self.q.float(), self.k.float(), self.v.float())
        self.assert_refused("bfloat16", self.q, self.k.bfloat16(), self.v)

    def test_device(self):
        self.assert_refused("cpu", self.q.cpu(), self.k.cpu(), self.v.cpu())
        self.assert_refused("cpu", self.q, self.k.cpu(), self.v)
        with self.assertRaises(Unsupported):
            torch.ops.assay_attention.forward(self.q.cpu(), self.k.cpu(), self.v.cpu(), False, 1.0, False)

    def test_shape(self):
        self.assert_refused("dimensions", self.q[0], self.k[0], self.v[0])
        self.assert_refused("shapes", self.q, self.k, self.v[:, :, :32])
        self.assert_refused("shapes", self.q, self.k[:1], self.v[:1])
        self.assert_refused("multiple of key_heads", self.q, self.k[:, :3], self.v[:, :3])
        self.assert_refused("head_dim is 12", *(t[..., :12].contiguous() for t in (self.q, self.k, self.v)))
        wide = torch.randn(1, 1, 4, 264, device="cuda", dtype=F16)
        self.assert_refused("head_dim is 264", wide, wide, wide)
        self.assert_refused("query_rows is 0", self.q[:, :, :0], self.k, self.v)

    def test_strides(self):
        turned = self.q.transpose(2, 3)
        self.assert_refused("last dimension", turned, turned, turned)
        odd = torch.randn(2, 4, 64, 68, device="cuda", dtype=F16)
        self.assert_refused("multiples of 8", odd[..., :64], self.k, self.v)
        flat = torch.randn(2 * 4 * 64 * 64 + 8, device="cuda", dtype=F16)[1:-7].view(2, 4, 64, 64)
        self.assert_refused("16 bytes", self.q, self.k, flat)

    def test_arguments(self):
        with self.assertRaisesRegex(ValueError, "layout"):
            attention(self.q, self.k, self.v, layout="sbhd")
        with self.assertRaisesRegex(TypeError, "not a torch.Tensor"):
            attention(self.q, [1], self.v)
        for scale in (0.0, -1.0, float("inf"), float("nan")):
            self.assert_refused("scale", self.q, self.k, self.v, scale=scale)
        torch.cuda.synchronize()  # nothing of the above reached the GPU


class Routing(GpuTest):
    """How calls are routed, as if every shape had been measured to be faster."""

    def setUp(self):
        self.q, self.k, self.v = draw(60, 2, 4, 128, 64)
        trees = {index: decision.FASTER for index in range(torch.cuda.device_count())}
        for name, value in (("_trees", trees), ("_decided", {})):
            patch = unittest.mock.patch.object(routing, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def assert_ours(self, out, *tensors, **options):
        self.assertTrue(torch.equal(out, attention(*tensors, **options)))

    def assert_theirs(self, *tensors, **options):
        expected = F.scaled_dot_product_attention(*tensors, **options)
        with assay_attention.sdpa():
            got = F.scaled_dot_product_attention(*tensors, **options)
        self.assertTrue(torch.equal(got, expected))
        return got

    def test_eligible_calls(self):
        ours = attention(self.q, self.k, self.v, causal=True)
        theirs = F.scaled_dot_product_attention(self.q, self.k, self.v, is_causal=True)
        self.assertFalse(torch.equal(ours, theirs), "the test cannot tell ours from PyTorch's")
        with assay_attention.sdpa():
            self.assert_ours(F.scaled_dot_product_attention(self.q, self.k, self.v), self.q, self.k, self.v)
            self.assertTrue(torch.equal(F.scaled_dot_product_attention(self.q, self.k, self.v, is_causal=True), ours))
            self.assert_ours(F.scaled_dot_product_attention(self.q, self.k, self.v, scale=0.2), self.q, self.k, self.v, scale=0.2)
            k, v = self.k[:, :2], self.v[:, :2]
            self.assert_ours(F.scaled_dot_product_attention(self.q, k, v, enable_gqa=True), self.q, k, v)
        self.assertTrue(torch.equal(F.scaled_dot_product_attention(self.q, self.k, self.v, is_causal=True), theirs))

    def test_causal_is_aligned_as_pytorch_does(self):
        for rows, keys in ((64, 128), (128, 64), (1, 128)):
            q, k, v = self.q[:, :, :rows], self.k[:, :, :keys], self.v[:, :, :keys]
            with sdpa_kernel(SDPBackend.MATH):
                expected = F.scaled_dot_product_attention(q.double(), k.double(), v.double(), is_causal=True)
            with assay_attention.sdpa():
                self.assert_close(F.scaled_dot_product_attention(q, k, v, is_causal=True), expected, F16)

    def test_others_stay_pytorchs(self):
        mask = torch.ones(128, 128, device="cuda", dtype=torch.bool).tril(3)
        self.assert_theirs(self.q, self.k, self.v, attn_mask=mask)
        self.assert_theirs(self.q.float(), self.k.float(), self.v.float())
        self.assert_theirs(self.q.cpu(), self.k.cpu(), self.v.cpu())
        self.assert_theirs(self.q[0], self.k[0], self.v[0])
        self.assert_theirs(*(t[..., :20].contiguous() for t in (self.q, self.k, self.v)))
        self.assert_theirs(self.q, self.k, self.v[..., :32])
        self.assert_theirs(self.q[:, :, :64], self.k, self.v, is_causal=True)
        torch.manual_seed(1)
        expected = F.scaled_dot_product_attention(self.q, self.k, self.v, dropout_p=0.5)
        torch.manual_seed(1)
        with assay_attention.sdpa():
            self.assertTrue(torch.equal(F.scaled_dot_product_attention(self.q, self.k, self.v, dropout_p=0.5), expected))

    def test_gradients_flow(self):
        wants = self.q.clone().requires_grad_()
        self.assert_theirs(wants, self.k, self.v).sum().backward()
        self.assertIsNotNone(wants.grad)

    def test_mistakes_are_pytorchs(self):
        with assay_attention.sdpa(), self.assertRaises((RuntimeError, TypeError)):
            F.scaled_dot_product_attention(self.q, self.k[:, :3], self.v[:, :3])

    def test_nesting_exceptions_and_decorator(self):
        original = F.scaled_dot_product_attention
        with assay_attention.sdpa():
            with assay_attention.sdpa():
                pass
            self.assert_ours(F.scaled_dot_product_attention(self.q, self.k, self.v), self.q, self.k, self.v)
        with contextlib.suppress(KeyError), assay_attention.sdpa():
            raise KeyError
        self.assertIs(F.scaled_dot_product_attention, original)

        @assay_attention.sdpa()
        def model():
            return F.scaled_dot_product_attention(self.q, self.k, self.v)
        self.assert_ours(model(), self.q, self.k, self.v)
        self.assertIs(F.scaled_dot_product_attention, original)

    def test_other_threads_are_not_routed(self):
        expected = F.scaled_dot_product_attention(self.q, self.k, self.v)
        torch.cuda.synchronize()
        results = []
        with assay_attention.sdpa():
            thread = threading.Thread(target=lambda: results.append(F.scaled_dot_product_attention(self.q, self.k, self.v).clone()))
            thread.start()
            thread.join()
        torch.cuda.synchronize()
        self.assertTrue(torch.equal(results[0], expected))

    def test_compile(self):
        compiled = torch.compile(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True) + 1, fullgraph=True,
                                 backend="aot_eager")
        with assay_attention.sdpa():
            self.assertTrue(torch.equal(compiled(self.q, self.k, self.v), attention(self.q, self.k, self.v, causal=True) + 1))
            flat = torch.randn(2 * 4 * 128 * 64 + 8, device="cuda", dtype=F16)[1:-7].view(2, 4, 128, 64)  # starts at 2 bytes
            expected = F.scaled_dot_product_attention(flat, self.k, self.v, is_causal=True) + 1
            self.assertTrue(torch.allclose(compiled(flat, self.k, self.v), expected, atol=2e-3))
        outside = F.scaled_dot_product_attention(self.q, self.k, self.v, is_causal=True) + 1
        self.assertTrue(torch.equal(compiled(self.q, self.k, self.v), outside))


class RoutingByMeasurement(GpuTest):
    """A call is ours exactly where this GPU's table says that it is faster."""

    # (batch, heads, key heads, query rows, key rows, head_dim, rows before heads in memory)
    SHAPES = [(4, 8, 8, 512, 512, 64, False), (4, 8, 8, 512, 512, 64, True), (1, 8, 8, 512, 512, 64, False),
              (64, 16, 16, 128, 128, 64, False), (2, 16, 16, 2048, 2048, 128, False), (1, 32, 8, 1, 4096, 128, False),
              (2, 16, 16, 1024, 1024, 256, False), (1, 4, 4, 300, 300, 40, False)]

    def verdict(self, shape, causal, dtype):
        batch, heads, key_heads, rows, keys, dim, bshd = shape
        return assay_attention.measured(batch, heads, rows, dim, key_heads, keys, "bf16" if dtype == BF16 else "fp16", causal,
                                        "bshd" if bshd else "bhsd")

    def cases(self):
        for shape in self.SHAPES:
            for causal in (False, True):
                for dtype in (F16, BF16):
                    batch, heads, key_heads, rows, keys, dim, bshd = shape
                    if causal and rows != keys:
                        continue
                    tensors = draw(70, batch, heads, rows, dim, dtype, key_heads=key_heads, key_rows=keys, bshd=bshd)
                    options = {"is_causal": causal, "enable_gqa": heads != key_heads}
                    with self.subTest(shape=shape, causal=causal, dtype=dtype):
                        yield tensors, options, self.verdict(shape, causal, dtype)

    def launched(self, call):
        """Whether a kernel of ours ran."""
        from torch.profiler import ProfilerActivity, profile
        with profile(activities=[ProfilerActivity.CUDA]) as profiler:
            call()
            torch.cuda.synchronize()
        names = [event.key for event in profiler.key_averages()]
        self.assertTrue(names, "the profiler saw no kernel")
        return any("assay" in name for name in names)

    def test_eager(self):
        for tensors, options, verdict in self.cases():
            with assay_attention.sdpa():
                ours = self.launched(lambda: F.scaled_dot_product_attention(*tensors, **options))
            self.assertEqual(ours, verdict == "faster", verdict)

    def test_compiled(self):
        for tensors, options, verdict in self.cases():
            torch._dynamo.reset()
            compiled = torch.compile(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, **options), fullgraph=True,
                                     backend="aot_eager", dynamic=False)
            with assay_attention.sdpa():
                compiled(*tensors)
                ours = self.launched(lambda: compiled(*tensors))
            self.assertEqual(ours, verdict == "faster", verdict)

    def test_compiled_for_any_length(self):
        compiled = torch.compile(lambda q, k, v: F.scaled_dot_product_attention(q, k, v), fullgraph=True, backend="aot_eager",
                                 dynamic=True)
        with assay_attention.sdpa():
            for rows in (512, 520, 16, 480):
                tensors = draw(71, 4, 8, rows, 64)
                compiled(*tensors)
                ours = self.launched(lambda: compiled(*tensors))
                self.assertEqual(ours, assay_attention.measured(4, 8, rows, 64) == "faster", rows)

    def test_a_gpu_that_was_never_measured(self):
        tensors = draw(72, 4, 8, 512, 64)
        with unittest.mock.patch.object(routing, "_trees", {0: decision.tree_of(90, "another GPU")}), \
                unittest.mock.patch.object(routing, "_decided", {}), assay_attention.sdpa():
            self.assertFalse(self.launched(lambda: F.scaled_dot_product_attention(*tensors)))

    def test_the_c_library_agrees(self):
        for shape in self.SHAPES:
            batch, heads, key_heads, rows, keys, dim, bshd = shape
            said = library.measured(batch, heads, rows, dim, key_heads, keys, rows_first=bshd)
            self.assertEqual(decision.VERDICTS[said], self.verdict(shape, False, F16))


class HostCost(GpuTest):
    def test_report(self):
        print(f"\n{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, libassay_attention {assay_attention.version()}")
        for name, (p50, p90) in host_costs().items():
            print(f"host time per call  {name:44} p50 {p50:6.2f} us  p90 {p90:6.2f} us")


if __name__ == "__main__":
    unittest.main()
