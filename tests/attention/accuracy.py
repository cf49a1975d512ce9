# SPDX-License-Identifier: MIT
"""The error of our attention beside that of each of SDPA's backends, against float64, over the table's shapes.

  python3 tests/attention/accuracy.py [shape ...]

Prints the relative 2-norm and the largest absolute error of each; exits 1 if ours is larger than the largest of theirs
somewhere by more than its noise (equal algorithms differ by 0.2 % where they round other elements).
Needs a GPU, PyTorch and build/attention/libassay_attention.so (make attention).
"""

import pathlib
import sys

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
import assay_attention  # noqa: E402

SEED = 7
ALLOWED = 1.002
SHAPES = {  # name: (batch, heads, rows, head_dim)
    "small": (1, 8, 512, 64), "base": (4, 8, 512, 64), "medium": (4, 16, 512, 64), "large": (8, 16, 512, 64),
    "s128": (4, 8, 128, 64), "s256": (4, 8, 256, 64), "s1024": (4, 8, 1024, 64), "s2048": (4, 8, 2048, 64),
    "d128_s512": (4, 16, 512, 128), "d128_s1k": (4, 16, 1024, 128), "d128_s2k": (4, 16, 2048, 128),
    "d128_s4k": (4, 16, 4096, 128), "d64_s4k": (4, 32, 4096, 64),
    "d96_s1k": (4, 16, 1024, 96), "d192_s1k": (4, 16, 1024, 192), "d256_s1k": (4, 16, 1024, 256),
}
BACKENDS = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION,
            "efficient": SDPBackend.EFFICIENT_ATTENTION, "math": SDPBackend.MATH}


def reference(q, k, v, causal):
    out = torch.empty(q.shape, dtype=torch.float64, device=q.device)
    rows = q.shape[2]
    hidden = torch.ones(rows, rows, dtype=torch.bool, device=q.device).triu(1) if causal else None
    for batch in range(q.shape[0]):
        scores = q[batch].double() @ k[batch].double().transpose(1, 2) / q.shape[3] ** 0.5
        if causal:
            scores.masked_fill_(hidden, float("-inf"))
        out[batch] = torch.softmax(scores, -1) @ v[batch].double()
    return out


def errors(out, expected):
    difference = out.double() - expected
    return (difference.norm() / expected.norm()).item(), difference.abs().max().item()


def main():
    torch.manual_seed(SEED)
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}, seed {SEED}")
    print("relative 2-norm error (largest absolute error); x: ours over the least and the largest of theirs")
    worse = 0
    largest = 0.0
    for name in sys.argv[1:] or SHAPES:
        for dtype in (torch.float16, torch.bfloat16):
            for causal in (False, True):
                q, k, v = (torch.randn(SHAPES[name], dtype=dtype, device="cuda") for _ in range(3))
                expected = reference(q, k, v, causal)
                ours = errors(assay_attention.attention(q, k, v, causal=causal), expected)
                theirs = {}
                for backend, kind in BACKENDS.items():
                    with sdpa_kernel(kind):
                        theirs[backend] = errors(
                            torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal), expected)
                norms = [norm for norm, _ in theirs.values()]
                largest = max(largest, ours[0] / max(norms))
                worse += ours[0] > max(norms)
                print(f"{name:9} {'bf16' if dtype == torch.bfloat16 else 'f16 '} {'causal' if causal else 'full  '} "
                      f"ours {ours[0]:.3e} ({ours[1]:.1e})  "
                      + "  ".join(f"{backend} {norm:.3e} ({most:.1e})" for backend, (norm, most) in theirs.items())
                      + f"  x {ours[0] / min(norms):.3f} {ours[0] / max(norms):.3f}", flush=True)
    print(f"larger than all of theirs in {worse} lines, at most {largest:.3f} times the largest")
    return 1 if largest > ALLOWED else 0


if __name__ == "__main__":
    sys.exit(main())
