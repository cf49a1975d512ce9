# SPDX-License-Identifier: MIT
"""The library as assay measures it, one C call into outputs that are there:

  assay bench kernels/attention/tensor_core --candidate library --baseline sdpa
"""

import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))
from assay_attention import library  # noqa: E402


def attention(inputs, outputs, scalars, dims):
    q, k, v, o = inputs["q"], inputs["k"], inputs["v"], outputs["o"]
    strides = [stride for tensor in (q, k, v, o) for stride in tensor.stride()[:3]]
    flags = library.CAUSAL if scalars["causal"] else 0
    dtype = library.BF16 if q.dtype == torch.bfloat16 else library.F16
    call = library.CALL.pack(library.CALL.size, flags, q.data_ptr(), k.data_ptr(), v.data_ptr(), o.data_ptr(), 0, *strides,
                             q.shape[0], q.shape[1], k.shape[1], q.shape[2], k.shape[2], q.shape[3], dtype,
                             scalars["scale"])
    status = library.load().assay_attention_forward(call, torch.cuda.current_stream().cuda_stream)
    if status:
        library.raise_for(status)
