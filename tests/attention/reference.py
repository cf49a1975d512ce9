# SPDX-License-Identifier: MIT
"""Input and float64 truth for the GPU tests of the attention library."""

import math

import torch


def draw(seed, batch, heads, rows, dim, dtype=torch.float16, key_heads=None, key_rows=None, bshd=False, spread=1.0):
    """Query, key and value as (batch, heads, rows, dim); bshd: lying in memory as (batch, rows, heads, dim)."""
    generator = torch.Generator(device="cuda").manual_seed(seed)

    def tensor(h, s):
        shape = (batch, s, h, dim) if bshd else (batch, h, s, dim)
        drawn = (torch.randn(shape, device="cuda", generator=generator) * spread).to(dtype)
        return drawn.transpose(1, 2) if bshd else drawn

    return tensor(heads, rows), tensor(key_heads or heads, key_rows or rows), tensor(key_heads or heads, key_rows or rows)


def attention_float64(q, k, v, causal, scale=None):
    """Attention and log-sum-exp in float64; rows that see no key are 0 and -inf."""
    group = q.shape[1] // k.shape[1]
    q, k, v = q.double(), k.double().repeat_interleave(group, 1), v.double().repeat_interleave(group, 1)
    scores = q @ k.transpose(-1, -2) * (scale or q.shape[3] ** -0.5)
    if causal:
        beside = torch.arange(q.shape[2], device=q.device)[:, None] + k.shape[2] - q.shape[2]
        scores.masked_fill_(torch.arange(k.shape[2], device=q.device)[None, :] > beside, -math.inf)
    lse = torch.logsumexp(scores, -1)
    return torch.exp(scores - lse.nan_to_num(neginf=0.0)[..., None]) @ v, lse


def relative_error(got, expected):
    """NaN where something is not finite."""
    return ((got.double() - expected).norm() / expected.norm().clamp_min(1e-30)).item()
