# SPDX-License-Identifier: MIT
"""What torch.compile looks up once in a process, looked up before the fork: the pool of processes imports this module.

Nothing here may touch the GPU, and all of it is a matter of time alone: names that another version of PyTorch does not
have are left out, and the provider looks them up itself.
"""

import importlib

import torch._dynamo  # noqa: F401
import torch._inductor.compile_fx  # noqa: F401
import triton  # noqa: F401

# Imported at the first compilation otherwise.
MODULES = (
    "torch._dynamo.backends.inductor", "torch._functorch._aot_autograd.autograd_cache", "torch._inductor.async_compile",
    "torch._inductor.codegen.triton", "torch._inductor.codegen.wrapper", "torch._inductor.runtime.benchmarking",
    "torch._inductor.runtime.coordinate_descent_tuner", "torch._inductor.runtime.triton_heuristics",
    "triton.backends.nvidia.compiler", "triton.compiler.compiler",
)
# Hashes of all sources of PyTorch and of Triton, for the keys of their caches; the table of known functions.
LOOKED_UP = (
    ("torch._inductor.codecache", "torch_key"), ("torch._inductor.runtime.triton_compat", "triton_key"),
    ("torch._dynamo.trace_rules", "get_torch_obj_rule_map"),
)

not_here = []
for name in MODULES:
    try:
        importlib.import_module(name)
    except Exception as error:  # whatever a module of another version does
        not_here.append(f"{name}: {error}")
for name, function in LOOKED_UP:
    try:
        getattr(importlib.import_module(name), function)()
    except Exception as error:
        not_here.append(f"{name}.{function}: {error}")
