# SPDX-License-Identifier: MIT
"""The attention library's results on a GPU against float64, and their precision beside PyTorch's. Needs PyTorch.

  python3 tests/attention/gpu_test.py [-v] [Class.test ...]
"""

import contextlib
import unittest

from gpu_case import MISSING, GpuTest

if MISSING is None:
    import torch
    import torch.nn.functional as F
    from torch.nn.attention import SDPBackend, sdpa_kernel

    import assay_attention
    from assay_attention import attention
    from gpu_case import BF16, F16
    from reference import attention_float64, draw, relative_error


def raw_launch(q, k, v, out, causal):
    """The C function with an output of the caller's."""
    from assay_attention import library
    call = library.CALL.pack(library.CALL.size, int(causal), q.data_ptr(), k.data_ptr(), v.data_ptr(), out.data_ptr(), 0,
                             *q.stride()[:3], *k.stride()[:3], *v.stride()[:3], *out.stride()[:3], q.shape[0], q.shape[1],
                             k.shape[1], q.shape[2], k.shape[2], q.shape[3], 0, q.shape[3] ** -0.5)
    status = library.load().assay_attention_forward(call, torch.cuda.current_stream().cuda_stream)
    if status:
        library.raise_for(status)


class Correctness(GpuTest):
    # (query rows, key rows), with ends of tiles, fewer and more queries than keys
    LENGTHS = [(1, 1), (1, 77), (63, 65), (64, 64), (65, 1), (128, 512), (129, 127), (200, 1000), (300, 77), (1025, 1025)]

    def check(self, seed, dim, dtype, rows, keys, causal):
        key_heads = (4, 2, 1)[seed % 3]
        q, k, v = draw(seed, 2, 4, rows, dim, dtype, key_heads=key_heads, key_rows=keys, bshd=seed % 2 == 0,
                       spread=3.0 if seed % 5 == 0 else 1.0)
        kernel = assay_attention.query(2, 4, rows, dim, key_heads=key_heads, key_rows=keys, causal=causal,
                                       dtype="fp16" if dtype == F16 else "bf16")
        with self.subTest(seed=seed, dim=dim, dtype=dtype, rows=rows, keys=keys, causal=causal, kernel=kernel):
            expected, expected_lse = attention_float64(q, k, v, causal)
            out, lse = attention(q, k, v, causal=causal, return_lse=True)
            again = attention(q, k, v, causal=causal)
            self.assertEqual((out.shape, out.dtype), (q.shape, dtype))
            self.assert_close(out, expected, dtype)
            self.assertTrue(torch.equal(out, again), "two runs differ")
            seen = torch.isfinite(expected_lse)
            self.assertTrue(torch.allclose(lse[seen].double(), expected_lse[seen], atol=2e-3, rtol=0))
            self.assertTrue(torch.equal(lse[~seen].double(), expected_lse[~seen]), "rows without keys: log-sum-exp")
            self.assertFalse(out[~seen].any(), "rows without keys: output")

    def test_against_float64(self):
        seed = 0
        for dim in (8, 32, 40, 64, 72, 80, 96, 104, 128, 136, 192, 256):
            for rows, keys in self.LENGTHS:
                for causal in (False, True):
                    seed += 1
                    self.check(seed, dim, BF16 if seed % 4 == 0 else F16, rows, keys, causal)

    def test_many_keys(self):
        for seed, dim in enumerate((40, 64, 96, 128, 160, 256), start=1000):
            for causal in (False, True):
                self.check(seed, dim, F16, 700, 4100, causal)

    def test_kernels_of_older_gpus(self):
        # Expanded keys have a stride of 0, which sends them to the kernels without TMA on every GPU.
        seed = 2000
        for dim in (8, 40, 64, 72, 96, 128, 192, 256):
            for batch, heads, rows, keys in ((1, 2, 65, 130), (2, 4, 130, 65), (1, 1, 1, 1), (1, 4, 1, 333), (4, 8, 1100, 600),
                                             (4, 8, 1100, 1200)):
                for causal in (False, True):
                    seed += 1
                    dtype = BF16 if seed % 3 == 0 else F16
                    q, k, v = draw(seed, batch, heads, rows, dim, dtype, key_heads=1, key_rows=keys, bshd=seed % 2 == 0)
                    k, v = (t.expand(-1, max(2, heads // 2), -1, -1) if heads > 1 else t for t in (k, v))
                    with self.subTest(seed=seed, dim=dim, rows=rows, keys=keys, causal=causal):
                        expected, expected_lse = attention_float64(q, k, v, causal)
                        out, lse = attention(q, k, v, causal=causal, return_lse=True)
                        self.assert_close(out, expected, dtype)
                        self.assertTrue(torch.equal(out, attention(q, k, v, causal=causal)), "two runs differ")
                        self.assertTrue(torch.allclose(lse.double(), expected_lse, atol=2e-3, rtol=0))

    def test_few_queries(self):
        seed = 3000
        for dim in (64, 72, 128, 192, 256):
            for batch, heads, key_heads, rows, keys in ((1, 32, 8, 1, 5000), (3, 8, 8, 1, 257), (40, 8, 2, 1, 1000), (2, 12, 2, 7, 3333),
                                                        (1, 8, 1, 64, 2000), (2, 4, 4, 33, 300), (1, 1, 1, 1, 100000)):
                for causal in (False, True):
                    seed += 1
                    dtype, bshd = BF16 if seed % 3 == 0 else F16, seed % 2 == 0
                    q, k, v = draw(seed, batch, heads, rows, dim, dtype, key_heads=key_heads, key_rows=keys, bshd=bshd)
                    with self.subTest(seed=seed, dim=dim, heads=heads, rows=rows, keys=keys, causal=causal):
                        expected, expected_lse = attention_float64(q, k, v, causal)
                        out, lse = attention(q, k, v, causal=causal, return_lse=True)
                        self.assert_close(out, expected, dtype)
                        self.assertTrue(torch.equal(out, attention(q, k, v, causal=causal)), "two runs differ")
                        self.assertTrue(torch.allclose(lse.double(), expected_lse, atol=2e-3, rtol=0))

    def test_few_queries_with_special_values(self):
        q, k, v = draw(5, 1, 8, 1, 128, key_heads=2, key_rows=3000)
        k[0, 0, 2999, 0] = float("nan")
        out = attention(q, k, v)
        self.assertTrue(out[0, :4].isnan().all())
        self.assertFalse(out[0, 4:].isnan().any())
        q, k, v = draw(6, 1, 8, 1, 128, key_heads=2, key_rows=3000, spread=30.0)  # one key takes all of a row
        self.assert_close(attention(q, k, v), attention_float64(q, k, v, False)[0], F16)
        shared = k[:, :1].expand(-1, 4, -1, -1), v[:, :1].expand(-1, 4, -1, -1)  # strides of 0
        self.assert_close(attention(q, *shared), attention_float64(q, *shared, False)[0], F16)

    def test_many_short_sequences(self):
        seed = 4000
        for dim in (64, 72, 80, 96, 104, 128):
            for batch, heads, key_heads, rows, keys in ((32, 8, 8, 64, 64), (20, 16, 4, 128, 128), (300, 1, 1, 1, 128), (33, 12, 3, 65, 40),
                                                        (70, 4, 2, 17, 63), (9, 40, 8, 100, 127), (128, 2, 1, 1, 1)):
                for causal in (False, True):
                    seed += 1
                    dtype, bshd = BF16 if seed % 3 == 0 else F16, seed % 2 == 0
                    q, k, v = draw(seed, batch, heads, rows, dim, dtype, key_heads=key_heads, key_rows=keys, bshd=bshd,
                                   spread=3.0 if seed % 5 == 0 else 1.0)
                    with self.subTest(seed=seed, dim=dim, heads=heads, rows=rows, keys=keys, causal=causal):
                        expected, expected_lse = attention_float64(q, k, v, causal)
                        out, lse = attention(q, k, v, causal=causal, return_lse=True)
                        self.assert_close(out, expected, dtype)
                        self.assertTrue(torch.equal(out, attention(q, k, v, causal=causal)), "two runs differ")
                        self.assertTrue(torch.allclose(lse.double(), expected_lse, atol=2e-3, rtol=0))  # -inf equals -inf

    def test_many_short_sequences_do_not_touch_each_other(self):
        q, k, v = draw(7, 40, 8, 100, 64)
        v[3, 5, 99, 0] = float("nan")
        wrong = attention(q, k, v).isnan()
        self.assertTrue(wrong[3, 5, :, 0].all())
        self.assertEqual(int(wrong.sum()), 100)

    def test_columns_beyond_head_dim_are_not_written(self):
        for dim in (72, 80, 104):  # of many short sequences
            for causal in (False, True):
                q, k, v = draw(dim, 40, 8, 100, dim)
                wide = torch.full((40, 8, 100, 128), 7.0, device="cuda", dtype=F16)
                raw_launch(q, k, v, wide[..., :dim], causal)
                self.assertTrue((wide[..., dim:] == 7.0).all(), f"head_dim {dim}")
                self.assert_close(wide[..., :dim], attention_float64(q, k, v, causal)[0], F16)
        for dim in (8, 40, 64, 72, 128, 136, 192, 200):
            for causal in (False, True):
                q, k, v = draw(dim, 2, 3, 130, dim)
                wide = torch.full((2, 3, 130, 256), 7.0, device="cuda", dtype=F16)
                raw_launch(q, k, v, wide[..., :dim], causal)
                self.assertTrue((wide[..., dim:] == 7.0).all(), f"head_dim {dim}")
                self.assert_close(wide[..., :dim], attention_float64(q, k, v, causal)[0], F16)

    def test_layouts_and_strides(self):
        q, k, v = draw(1, 2, 4, 100, 64, key_heads=2, key_rows=150)
        expected, _ = attention_float64(q, k, v, True)
        turned = [t.transpose(1, 2).contiguous() for t in (q, k, v)]
        out = attention(*turned, causal=True, layout="bshd")
        self.assertTrue(out.is_contiguous())
        self.assert_close(out.transpose(1, 2), expected, F16)
        packed = torch.randn(2, 100, 3, 4, 64, device="cuda", dtype=F16)  # as a fused projection leaves it
        parts = [t.transpose(1, 2) for t in packed.unbind(2)]
        out = attention(*parts)
        self.assert_close(out, attention_float64(*parts, False)[0], F16)
        self.assertTrue(out.transpose(1, 2).is_contiguous())
        shared = [q, k[:, :1].expand(-1, 4, -1, -1), v[:, :1].expand(-1, 4, -1, -1)]  # strides of 0
        self.assert_close(attention(*shared), attention_float64(*shared, False)[0], F16)
        row = torch.randn(2, 4, 64, device="cuda", dtype=F16)[:, :, None]  # a dimension of size 1
        self.assert_close(attention(row, k, v), attention_float64(row, k, v, False)[0], F16)

    def test_scale(self):
        q, k, v = draw(2, 1, 2, 70, 80)
        self.assert_close(attention(q, k, v, scale=0.3), attention_float64(q, k, v, False, scale=0.3)[0], F16)

    def test_nan_stays_in_its_head(self):
        for dim in (64, 128, 256):
            q, k, v = draw(3, 1, 2, 64, dim)
            k[0, 0, 5, 0] = float("nan")
            out = attention(q, k, v)
            self.assertTrue(out[0, 0].isnan().all())
            self.assertFalse(out[0, 1].isnan().any())

    def test_as_precise_as_pytorch(self):
        backends = {"flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION,
                    "efficient": SDPBackend.EFFICIENT_ATTENTION}
        for dim in (40, 64, 96, 128, 192, 256):
            for dtype in (F16, BF16):
                for causal in (False, True):
                    q, k, v = draw(dim, 2, 8, 512, dim, dtype)
                    expected, _ = attention_float64(q, k, v, causal)
                    ours = relative_error(attention(q, k, v, causal=causal), expected)
                    theirs = {}
                    for name, backend in backends.items():
                        with contextlib.suppress(RuntimeError), sdpa_kernel(backend):
                            theirs[name] = relative_error(F.scaled_dot_product_attention(q, k, v, is_causal=causal), expected)
                    self.assertTrue(theirs)
                    kernel = assay_attention.query(2, 8, 512, dim, causal=causal, dtype="fp16" if dtype == F16 else "bf16")
                    with self.subTest(dim=dim, dtype=dtype, causal=causal, kernel=kernel, ours=ours, theirs=theirs):
                        self.assertLessEqual(ours, 1.02 * max(theirs.values()))  # on so few rows, noise


if __name__ == "__main__":
    unittest.main()
