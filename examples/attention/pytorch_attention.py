# SPDX-License-Identifier: MIT
"""Attention from PyTorch: one call, and the same by routing. PYTHONPATH=python python3 examples/attention/pytorch_attention.py"""

import torch
import torch.nn.functional as F

import assay_attention

q, k, v = (torch.randn(4, 16, 1024, 64, device="cuda", dtype=torch.float16) for _ in range(3))

out = assay_attention.attention(q, k, v, causal=True)

theirs = F.scaled_dot_product_attention(q, k, v, is_causal=True)
with assay_attention.sdpa():
    routed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
print("measured beside PyTorch's:", assay_attention.measured(4, 16, 1024, 64, causal=True))
print("kernel", assay_attention.query(4, 16, 1024, 64, causal=True))
print("largest difference from PyTorch's:", (out - theirs).abs().max().item())
print("routed call is ours:", torch.equal(out, routed))
