# SPDX-License-Identifier: MIT
"""The operators behind flash-attn's functions, on a GPU: PyTorch's own checks of operators, compilation as one graph, with CUDA graphs
and for any length, fake and meta tensors. About half a minute on an H200, most of it compilation.

  python3 tests/attention/gpu_flash_operator_test.py [-v] [Class.test ...]
"""

import unittest

from gpu_case import MISSING, GpuTest

if MISSING is None:
    import torch

    from assay_attention import Unsupported, flash_attn_func, flash_attn_varlen_func, flash_attn_with_kvcache, flash_operator
    from gpu_case import BF16, F16

PLAIN = (True, -1, -1, 0.0, None, True)  # causal, left, right, softcap, scale, with_lse


class FlashOperators(GpuTest):
    def setUp(self):
        self.generator = torch.Generator(device="cuda").manual_seed(70)
        self.q, self.cache = self.tensor(3, 40, 8, 64), (self.tensor(3, 100, 2, 64), self.tensor(3, 100, 2, 64))
        self.new = self.tensor(3, 40, 2, 64), self.tensor(3, 40, 2, 64)
        self.lengths = torch.tensor([0, 33, 60], dtype=torch.int32, device="cuda")
        self.starts = torch.tensor([0, 40, 80, 120], dtype=torch.int32, device="cuda")

    def tensor(self, *shape, dtype=None):
        return torch.randn(shape, device="cuda", generator=self.generator).to(dtype or F16)

    def packed(self):
        return self.q.flatten(0, 1), *(each.flatten(0, 1) for each in self.new)

    def assert_same(self, found, expected):
        for a, b in zip(found, expected):
            self.assertTrue((a is None and b is None) or torch.equal(a, b))

    def test_operator_checks(self):
        checks = {"test_utils": ("test_schema", "test_faketensor")}
        for options in (PLAIN, (False, 7, 3, 30.0, 0.25, False)):
            torch.library.opcheck(flash_operator.flash, (self.q, *self.new, *options), **checks)
            torch.library.opcheck(flash_operator.flash_varlen, (*self.packed(), self.starts, self.starts, 40, 40, None, *options), **checks)
            torch.library.opcheck(flash_operator.flash_cache, (self.q, *self.cache, self.lengths, None, None, None, *options), **checks)
            torch.library.opcheck(flash_operator.flash_cache, (self.q, *self.cache, None, 50, None, None, *options), **checks)
            torch.library.opcheck(flash_operator.flash_append,
                                  (self.q, *self.cache, *self.new, self.lengths, None, None, None, *options), **checks)

    def test_compiled_as_one_graph(self):
        def everything(q, k, v, packed, starts, caches, lengths):
            dense = flash_attn_func(q * 1.5, k, v, causal=True, return_attn_probs=True)
            varlen = flash_attn_varlen_func(*packed, starts, starts, 40, 40, causal=True, window_size=(16, 0), return_attn_probs=True)
            decoded = flash_attn_with_kvcache(q, *caches, k, v, cache_seqlens=lengths, causal=True, return_softmax_lse=True)
            whole = flash_attn_with_kvcache(q, *caches, cache_seqlens=100)
            return *dense, *varlen, *decoded, whole + 1, caches[0].sum()

        first = [each.clone() for each in self.cache]
        second = [each.clone() for each in self.cache]
        for backend in ("aot_eager", "inductor"):
            for old, new in zip((*first, *second), (*self.cache, *self.cache)):
                old.copy_(new)
            expected = everything(self.q, *self.new, self.packed(), self.starts, first, self.lengths)
            torch._dynamo.reset()
            compiled = torch.compile(everything, fullgraph=True, backend=backend)
            found = compiled(self.q, *self.new, self.packed(), self.starts, second, self.lengths)
            self.assert_same(found[:-2], expected[:-2])
            self.assert_same(second, first)
            self.assertFalse(torch.equal(second[0], self.cache[0]), "nothing was written into the cache")

    def test_compiled_with_graphs(self):
        torch._dynamo.reset()
        compiled = torch.compile(lambda q, k, v: flash_attn_func(q, k, v, causal=True, softcap=20.0) * 2, fullgraph=True,
                                 mode="reduce-overhead")
        for _ in range(4):
            self.assert_same([compiled(self.q, *self.new)], [flash_attn_func(self.q, *self.new, causal=True, softcap=20.0) * 2])

    def test_compiled_for_any_length(self):
        torch._dynamo.reset()
        compiled = torch.compile(lambda q, k, v: flash_attn_func(q, k, v, causal=True), fullgraph=True, backend="aot_eager", dynamic=True)
        for rows in (17, 40, 130):
            q, k = self.tensor(2, rows, 4, 64, dtype=BF16), self.tensor(2, rows, 4, 64, dtype=BF16)
            self.assert_same([compiled(q, k, k)], [flash_attn_func(q, k, k, causal=True)])

    def test_fake_and_meta_tensors(self):
        from torch._subclasses.fake_tensor import FakeTensorMode
        with FakeTensorMode():
            q = torch.empty(2, 8, 50, 64, device="cuda", dtype=BF16).transpose(1, 2)
            out, lse, _ = flash_attn_func(q, q, q, return_attn_probs=True)
            self.assertEqual((out.shape, out.stride(), out.dtype), (q.shape, q.stride(), BF16))
            self.assertEqual((tuple(lse.shape), lse.dtype), ((2, 8, 50), torch.float32))
        q = torch.empty(2, 50, 8, 64, device="meta", dtype=F16)
        self.assertEqual(flash_attn_func(q, q, q).device.type, "meta")

    def test_gradients_are_refused(self):
        q = self.q.detach().requires_grad_()
        with self.assertRaisesRegex(Unsupported, "a gradient is required"):
            flash_operator.flash(q, *self.new, *PLAIN)
        with torch.no_grad():
            flash_operator.flash(q, *self.new, *PLAIN)


if __name__ == "__main__":
    unittest.main()
