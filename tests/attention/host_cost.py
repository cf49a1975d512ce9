# SPDX-License-Identifier: MIT
"""What a call costs the host, ours and PyTorch's, in one interleaved run. The GPU's queue never fills meanwhile."""

import statistics
import time
from unittest import mock

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

import assay_attention
from assay_attention import decision, library, routing
from reference import draw


def raw_calls(count, shape):
    """Ready-made C calls on `count` different sets of tensors."""
    calls = []
    for i in range(count):
        tensors = [torch.empty(shape, device="cuda", dtype=torch.float16) for _ in range(4)]
        strides = tensors[0].stride()[:3]
        calls.append((library.CALL.pack(library.CALL.size, 0, *(t.data_ptr() for t in tensors), 0, *strides * 4, shape[0],
                                        shape[1], shape[1], shape[2], shape[2], shape[3], 0, 0.125), tensors))
    return calls


def host_costs(rounds=40, burst=50):
    """name -> (p50, p90) in microseconds, per call of bursts that end in a synchronisation outside the clock."""
    q, k, v = draw(1, 1, 8, 512, 64)
    forward = library.load().assay_attention_forward
    stream = torch.cuda.current_stream().cuda_stream
    known, rotating = raw_calls(1, (1, 8, 64, 64))[0][0], raw_calls(1024, (1, 8, 64, 64))
    position = [0]

    def routed():
        F.scaled_dot_product_attention(q, k, v)

    def next_raw():
        position[0] = (position[0] + 1) % 1024
        forward(rotating[position[0]][0], stream)

    def same_raw():
        position[0] = (position[0] + 1) % 1024
        rotating[position[0]]
        forward(known, stream)

    operator = torch.ops.assay_attention.forward.default
    contenders = {
        "ours: attention": lambda: assay_attention.attention(q, k, v),
        "ours: attention, causal, log-sum-exp": lambda: assay_attention.attention(q, k, v, causal=True, return_lse=True),
        "ours: torch.ops.assay_attention.forward": lambda: operator(q, k, v, False, 0.125, False),
        "ours: inside sdpa()": routed,
        "ours: C call by ctypes, maps cached": same_raw,
        "ours: C call by ctypes, maps encoded anew": next_raw,
        "SDPA, default": lambda: F.scaled_dot_product_attention(q, k, v),
        "SDPA, flash": lambda: F.scaled_dot_product_attention(q, k, v),
        "SDPA, cuDNN": lambda: F.scaled_dot_product_attention(q, k, v),
        "torch.empty_like alone": lambda: torch.empty_like(q),
    }
    around = {"SDPA, flash": lambda: sdpa_kernel(SDPBackend.FLASH_ATTENTION),
              "SDPA, cuDNN": lambda: sdpa_kernel(SDPBackend.CUDNN_ATTENTION), "ours: inside sdpa()": assay_attention.sdpa}
    times = {name: [] for name in contenders}
    # The cost of the decision counts; what this GPU's table says of the shape does not.
    always = {index: decision.FASTER for index in range(torch.cuda.device_count())}
    with torch.no_grad(), mock.patch.object(routing, "_trees", always), mock.patch.object(routing, "_decided", {}):
        for turn in range(rounds + 3):
            for name, call in contenders.items():
                context = around[name]() if name in around else torch.no_grad()
                with context:
                    torch.cuda.synchronize()
                    start = time.perf_counter_ns()
                    for _ in range(burst):
                        call()
                    stop = time.perf_counter_ns()
                    torch.cuda.synchronize()
                if turn >= 3:
                    times[name].append((stop - start) / 1e3 / burst)
    return {name: (statistics.median(t), sorted(t)[int(0.9 * len(t))]) for name, t in times.items()}
