// SPDX-License-Identifier: MIT
// A small kernel and its specification, in a folder of its own.
#pragma once

#include "fake_toolkit.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::build {

inline constexpr const char* kSmallSource = R"cuda(#include "tile.cuh"

extern "C" __global__ void scale(float* out, const float* in, int n) {
  __shared__ float staged[THREADS];
  const int i = blockIdx.x * THREADS + threadIdx.x;
  staged[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  if (i < n) out[i] = staged[THREADS - 1 - threadIdx.x] * kScale * UNROLL;
}
)cuda";

// `tunables` are the lines of [tunable]; the block must be THREADS threads.
inline Result<spec::KernelSpec> write_small_kernel(const TemporaryFolder& folder, const std::string& tunables,
                                                   const std::string& targets = "\"sm_80\"") {
  folder.write("scale.cu", kSmallSource);
  folder.write("tile.cuh", "constexpr float kScale = 2.0f;\n");
  folder.write("kernel.toml", R"toml([kernel]
name    = "scale"
source  = "scale.cu"
entry   = "scale"
targets = [)toml" + targets + R"toml(]

[problem]
reference = "softmax"

[[argument]]
name = "out"
tensor = { dtype = "f32", shape = ["N"], output = true }

[[argument]]
name = "in"
tensor = { dtype = "f32", shape = ["N"], fill = "normal" }

[[argument]]
name = "n"
scalar = { type = "i32", value = "N" }

[launch]
grid         = ["ceil_div(N, THREADS)"]
block        = ["THREADS"]
shared_bytes = "N > 1000 ? 65536 : 0"

[tunable]
)toml" + tunables + R"toml(

[shapes]
canonical = [{ N = 100 }, { N = 200 }, { N = 5000 }]

[tolerance]
atol = 1e-5
rtol = 1e-5
)toml");
  return spec::load(folder.path());
}

}  // namespace assay::build
