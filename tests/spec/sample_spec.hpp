// SPDX-License-Identifier: MIT
// One specification that uses most of the format, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>
#include <string>

#include "spec/kernel_spec.hpp"

namespace assay::spec {

inline const std::string kSampleText = R"toml([kernel]
name = "sample"
source = "sample.cu"
entry = "sample_{dtype}_d{D}_{FAST}"
targets = ["sm_80", "sm_90a"]
flags = ["-O3", "--use_fast_math", "-Iinclude"]
include = ["../primitives"]

[problem]
reference = "copy"
options = { op = "sum", epsilon = 1e-5, axis = 1, keep = true }
flops = "4*S*D*(causal ? 0.5 : 1)"

[[argument]]
name = "q"
tensor = { dtype = "{dtype}", shape = ["S", "D"], strides = ["pitch", 1], fill = { kind = "uniform", low = 0, high = "D" } }

[[argument]]
name = "table"
tensor = { dtype = "i32", shape = ["S"], fill = 3 }

[[argument]]
name = "o"
tensor = { dtype = "f32", shape = ["S", "D"], output = true }

[[argument]]
name = "scale"
scalar = { type = "f32", value = "1/sqrt(D)" }

[[argument]]
name = "causal"
scalar = { type = "bool", value = "causal" }

[let]
tiles = "ceil_div(S, BLOCK)"
pitch = "round_up(D, 64) + pad"
pad = 8

[launch]
grid = ["tiles", 2]
block = ["32*WARPS"]
shared_bytes = "sizeof(dtype)*BLOCK*pitch"

[tunable]
BLOCK = [64, 128]
WARPS = [4, 8]
FAST = [false, true]
constraints = ["BLOCK % (16*WARPS) == 0", "BLOCK <= 2*S"]

[defaults]
FAST = true

[shapes]
defaults = { dtype = "f16" }
constraints = ["S*D <= 100000"]
canonical = [{ S = 512, D = 64 }, { S = 512, D = 128, dtype = "bf16" }]
edges = { S = [1, 65], D = 64, causal = [false, true] }
huge = [{ S = 64, D = 64 }, { S = 100000, D = 64 }]

[tolerance]
atol = 1e-2
rtol = 2e-2
[tolerance.bf16]
atol = 3e-2
rtol = 4e-2

[baseline.torch]
provider = "torch_sample"
compile = true
warmup = 10
)toml";

inline KernelSpec sample_spec() {
  auto spec = parse(kSampleText, "kernel.toml", ".", {.check_files = false});
  EXPECT_TRUE(spec.ok()) << to_string(spec.error());
  return std::move(spec).value();
}

}  // namespace assay::spec
