# SPDX-License-Identifier: MIT
"""The provider `torch_sdpa`: torch.nn.functional.scaled_dot_product_attention on the arguments q, k, v, o.

Option `backend`: default (PyTorch chooses), flash, cudnn, efficient, math. `causal` and `scale` are scalar arguments or
dimensions; as in our reference, the diagonal of a causal mask is aligned to the bottom right, and query heads may share
key heads.
"""

import contextlib
import sys

from channel import Refusal, one_line
from harness import main

BACKENDS = {"flash": "FLASH_ATTENTION", "cudnn": "CUDNN_ATTENTION", "efficient": "EFFICIENT_ATTENTION", "math": "MATH"}


def mask_kind(causal, query_rows, key_rows, backend):
    """How to say "causal, aligned to the bottom right" to PyTorch, whose is_causal aligns to the top left."""
    if not causal or query_rows == 1:
        return "none"  # a single row at the bottom right sees every key
    if query_rows == key_rows:
        return "is_causal"
    if query_rows > key_rows:
        raise Refusal(f"causal with {query_rows} queries and {key_rows} keys leaves rows that see no key, for which "
                      "SDPA's backends disagree", "take shapes with at least as many keys as queries")
    return "boolean" if backend in ("math", "cudnn") else "lower_right"


def four_dimensions(tensor):
    """(..., heads, rows, dim) as (batch, heads, rows, dim), without a copy: `write` must reach what is called."""
    while tensor.dim() < 4:
        tensor = tensor.unsqueeze(0)
    return tensor.view(-1, *tensor.shape[-3:]) if tensor.dim() > 4 else tensor


class Sdpa:
    name = "torch_sdpa"

    def versions(self, gpu):
        return {}

    def prepare(self, case, gpu, sets):
        torch = gpu.torch
        for name in ("q", "k", "v"):
            if name not in case.tensors or case.tensors[name].role != "input":
                raise Refusal(f"SDPA needs an input '{name}'", "name the arguments q, k, v and o")
        others = [tensor.name for tensor in case.outputs() if tensor.name != "o"]
        if others or "o" not in case.tensors:
            raise Refusal("SDPA computes the output 'o' alone" + (f", not '{others[0]}'" if others else ""))
        backend = case.options.get("backend", "default")
        if backend != "default" and backend not in BACKENDS:
            raise Refusal(f"unknown backend '{backend}'", "expected one of default, " + ", ".join(BACKENDS))

        q, k = case.tensors["q"].shape, case.tensors["k"].shape
        kind = mask_kind(bool(case.parameter("causal", False)), q[-2], k[-2], backend)
        self._keywords = {"is_causal": kind == "is_causal", "attn_mask": self._mask(torch, kind, q[-2], k[-2])}
        if "scale" in case.scalars or "scale" in case.dims:
            self._keywords["scale"] = float(case.parameter("scale", 1.0))
        if len(q) >= 3 and q[-3] != k[-3]:
            self._keywords["enable_gqa"] = True
        self._shape = case.tensors["o"].shape
        self._inputs = []
        for own in sets:
            found = own.inputs()
            self._inputs.append([four_dimensions(found[name]) for name in ("q", "k", "v")])
        self._attention = torch.nn.functional.scaled_dot_product_attention
        self._chosen = self._context(backend)
        try:
            self.call(0)
        except RuntimeError as error:
            raise Refusal(f"SDPA cannot run this case with the backend {backend}: {one_line(error)}") from error
        return f"SDPA, backend {self._describe(torch, backend, kind)}"

    @staticmethod
    def _mask(torch, kind, query_rows, key_rows):
        if kind == "lower_right":
            from torch.nn.attention.bias import causal_lower_right
            return causal_lower_right(query_rows, key_rows)
        if kind == "boolean":
            ones = torch.ones(query_rows, key_rows, dtype=torch.bool, device="cuda")
            return ones.tril(diagonal=key_rows - query_rows)
        return None

    @staticmethod
    def _context(backend):
        if backend == "default":
            return contextlib.nullcontext
        from torch.nn.attention import SDPBackend, sdpa_kernel
        chosen = getattr(SDPBackend, BACKENDS[backend])
        return lambda: sdpa_kernel([chosen])

    def _describe(self, torch, backend, kind):
        """For `default`, what PyTorch chooses; the kernels themselves are in the answer to `kernels`."""
        if backend != "default" or kind == "lower_right":
            return backend
        try:
            number = torch._fused_sdp_choice(*self._inputs[0], **self._keywords)
            from torch.nn.attention import SDPBackend
            names = {int(getattr(SDPBackend, value).value): key for key, value in BACKENDS.items()}
            return f"default, which is {names.get(int(number), number)} here"
        except (AttributeError, RuntimeError, TypeError):
            return "default"  # this PyTorch does not tell

    def call(self, number):
        with self._chosen():
            result = self._attention(*self._inputs[number], **self._keywords)
        return {"o": result.reshape(self._shape) if len(self._shape) != 4 else result}


if __name__ == "__main__":
    sys.exit(main(Sdpa()))
