// SPDX-License-Identifier: MIT
// Tiny kernels with hand-written PTX in a folder of their own: a right copy of N numbers, and copies with one mistake.
#pragma once

#include <string>

#include "../support/temporary_folder.hpp"
#include "check/case_runner.hpp"

namespace assay::check {

// Thread i of block b has %i = 32 b + i, %in and %out hold the addresses of x[%i] and y[%i], %p says %i < N.
// `body` follows; it may use %v (f32), %q, %k, %far and the label `end`.
inline std::string copy_ptx(const std::string& body) {
  return R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry copy_f32(.param .u64 x, .param .u64 y, .param .u32 n)
{
  .reg .pred %p, %q;
  .reg .b32 %i, %b, %n, %k;
  .reg .f32 %v;
  .reg .b64 %in, %out, %offset, %far;
  ld.param.u64 %in, [x];
  ld.param.u64 %out, [y];
  ld.param.u32 %n, [n];
  mov.u32 %i, %tid.x;
  mov.u32 %b, %ctaid.x;
  mad.lo.u32 %i, %b, 32, %i;
  mul.wide.u32 %offset, %i, 4;
  add.s64 %in, %in, %offset;
  add.s64 %out, %out, %offset;
  setp.lt.u32 %p, %i, %n;
)" + body +
         R"(
end:
  ret;
}
)";
}

inline constexpr const char* kRightCopy = "  @%p ld.global.f32 %v, [%in];\n  @%p st.global.f32 [%out], %v;\n";
// Right up to 20 elements; beyond, the last one is wrong.
inline constexpr const char* kWrongBeyond20 = R"(
  @%p ld.global.f32 %v, [%in];
  add.u32 %k, %i, 1;
  setp.eq.and.u32 %q, %k, %n, %p;
  @%q setp.gt.u32 %q, %n, 20;
  @%q add.f32 %v, %v, 0f40000000;
  @%p st.global.f32 [%out], %v;
)";
// No guard: every thread of the last block writes.
inline constexpr const char* kOverrun = R"(
  @%p ld.global.f32 %v, [%in];
  st.global.f32 [%out], %v;
)";

class CopyKernel {
 public:
  explicit CopyKernel(const std::string& body, const std::string& shapes = "{ N = [1, 5, 32, 40, 100] }",
                      const std::string& y = "shape = [\"N\"]") {
    folder_.write("copy.cu", "// the source of kernel.ptx\n");
    folder_.write("kernel.ptx", copy_ptx(body));
    folder_.write("kernel.toml", R"toml([kernel]
name = "copy"
source = "copy.cu"
entry = "copy_f32"
targets = ["sm_80"]
[problem]
reference = "copy"
[[argument]]
name = "x"
tensor = { dtype = "f32", shape = ["N"], fill = "normal" }
[[argument]]
name = "y"
tensor = { dtype = "f32", output = true, )toml" +
                                     y + R"toml( }
[[argument]]
name = "n"
scalar = { type = "u32", value = "N" }
[launch]
grid = ["ceil_div(N, 32)"]
block = ["32"]
[shapes]
grid = )toml" + shapes + "\n");
  }

  const std::filesystem::path& path() const { return folder_.path(); }
  RunnerSetup setup() const {
    RunnerSetup made;
    made.spec_file = folder_.path();
    made.ptx = folder_.path() / "kernel.ptx";
    made.device = "vgpu:l4";
    made.cache_folder = folder_.path() / "cache";
    return made;
  }
  static Case test(int64_t n, Distribution distribution = Distribution::specified) {
    return {Origin::specified, spec::Shape{{{"N", n}}}, distribution, 3};
  }
  TemporaryFolder& folder() { return folder_; }

 private:
  TemporaryFolder folder_;
};

}  // namespace assay::check
