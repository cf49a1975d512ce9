// SPDX-License-Identifier: MIT
// Races of the kernel itself: blocks that write to one place do so from several threads of the host, as they would on a
// GPU. They are the kernel's, and racecheck's to find; the machine must not be disturbed by them.
#include "kernel_run.hpp"

#if defined(__SANITIZE_THREAD__)
// Accesses of the kernel to its own memory end in this file; only they are excused, not what is around them.
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier): ThreadSanitizer's name
  return "race_top:vgpu/execute/memory.cpp\n";
}
#endif

namespace assay::vgpu {
namespace {

TEST(KernelRaces, OneOfTheValuesStays) {
  constexpr uint32_t kRacers = 300;
  KernelRun run(R"(
.visible .entry kernel(.param .u64 data) {
  .reg .b64 %a;
  .reg .b32 %r;
  ld.param.u64 %a, [data];
  mov.u32 %r, %ctaid.x;
  st.global.u32 [%a], %r;
  ret;
}
)");
  const uint64_t data = run.add_words({kRacers}, "data");
  run.launch().grid = {kRacers, 1, 1};
  run.launch().host_threads = 4;
  EXPECT_FALSE(run.run().fault);
  EXPECT_LT(run.words(data, 1).front(), kRacers);
}

}  // namespace
}  // namespace assay::vgpu
