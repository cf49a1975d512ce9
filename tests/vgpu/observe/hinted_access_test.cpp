// SPDX-License-Identifier: MIT
// To counters and checks an access with a cache policy is the same as without one, and the policy is no value.
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "vgpu/machine/kernel_run.hpp"
#include "vgpu/observe/counting.hpp"
#include "vgpu/observe/initialisation_check.hpp"
#include "vgpu/observe/memory_check.hpp"
#include "vgpu/observe/race_check.hpp"

namespace assay::vgpu {
namespace {

enum class Policy { none, made, unwritten };

// In `body` "@H" is where the hint goes and "@P" where its policy does; %p is the buffer, %at the thread's place in it,
// %u a word that nothing has written.
std::string hinted_kernel(const std::string& body, Policy policy) {
  const std::string text = R"(
.visible .entry kernel(.param .u64 data)
{
  .shared .align 16 .b8 box[256];
  .reg .b32 %i, %r<5>, %u;
  .reg .b64 %p, %at, %policy, %other;
  .reg .f32 %f<5>;
  mov.u32 %i, %tid.x;
  ld.param.u64 %p, [data];
  mad.wide.u32 %at, %i, 16, %p;
  createpolicy.fractional.L2::evict_first.b64 @MADE, 1.0;
  ld.shared.u32 %u, [box];
  mov.f32 %f1, 0f3F800000;
  mov.f32 %f2, 0f3F800000;
)" + body + "\n  ret;\n}\n";
  const std::string made = replace_all(text, "@MADE", policy == Policy::unwritten ? "%other" : "%policy");
  const bool none = policy == Policy::none;
  return replace_all(replace_all(made, "@H", none ? "" : ".L2::cache_hint"), "@P", none ? "" : ", %policy");
}

// What `tell` says of the observer; it may look at the program, which goes with the run.
template <class Observing, class Tell>
auto observed(const std::string& body, Policy policy, const Tell& tell) {
  KernelRun run(hinted_kernel(body, policy), "h100");
  run.launch().block = {64, 1, 1};
  run.add_words(std::vector<uint32_t>(64 * 4, 0), "data");
  Observing observing;
  const LaunchResult result = run.run_checked(observing);
  EXPECT_FALSE(result.fault.has_value()) << result.fault->message;
  return tell(observing);
}

template <class Checking>
size_t findings(const std::string& body, Policy policy) {
  return observed<Checking>(body, policy, [](const Checking& check) { return check.found().findings().size(); });
}

template <class Checking>
size_t same_findings(const std::string& body) {
  const size_t plain = findings<Checking>(body, Policy::none);
  EXPECT_EQ(findings<Checking>(body, Policy::made), plain) << body;
  EXPECT_EQ(findings<Checking>(body, Policy::unwritten), plain) << body;
  return plain;
}

gpu::Counters counted(const std::string& body, Policy policy) {
  return observed<Counting>(body, policy, [](Counting& counting) { return counting.counters().total; });
}

TEST(HintedAccess, CountsAsThePlainOne) {
  for (const std::string body :
       {"ld.global.nc@H.v4.b32 {%r1, %r2, %r3, %r4}, [%at]@P;", "ld.relaxed.gpu.global@H.b32 %r1, [%at]@P;",
        "st.global@H.v2.b32 [%at], {%i, %i}@P;", "st.release.gpu@H.b32 [%at], %i@P;",
        "atom.global.add@H.u32 %r1, [%p], %i@P;", "red.global.add@H.v2.f32 [%at], {%f1, %f2}@P;"}) {
    EXPECT_EQ(counted(body, Policy::made), counted(body, Policy::none)) << body;
  }
}

TEST(HintedAccess, RacesAsThePlainOne) {
  EXPECT_GT(same_findings<RaceCheck>("st.global@H.u32 [%p], %i@P;"), 0u);
  EXPECT_GT(same_findings<RaceCheck>("st.global@H.v2.u32 [%at], {%i, %i}@P;\nld.global@H.u32 %r1, [%p]@P;"), 0u);
  EXPECT_EQ(same_findings<RaceCheck>("red.global.add@H.u32 [%p], %i@P;"), 0u);
  EXPECT_EQ(same_findings<RaceCheck>("red.global.add@H.v2.f32 [%p], {%f1, %f2}@P;"), 0u);
  EXPECT_EQ(same_findings<RaceCheck>("st.relaxed.gpu.global@H.u32 [%p], %i@P;"), 0u);
  EXPECT_GT(same_findings<RaceCheck>("red.global.add@H.v2.f32 [%p], {%f1, %f2}@P;\nst.global@H.u32 [%p+4], %i@P;"), 0u)
      << "the second element counts too";
}

TEST(HintedAccess, StoresTheValueAndNotThePolicy) {
  EXPECT_EQ(same_findings<InitialisationCheck>("st.global@H.u32 [%at], %i@P;"), 0u);
  EXPECT_EQ(same_findings<InitialisationCheck>("atom.global.add@H.u32 %r1, [%p], %i@P;"), 0u);
  EXPECT_EQ(same_findings<InitialisationCheck>("ld.global@H.u32 %r1, [%at]@P;\nst.global@H.u32 [%at], %r1@P;"), 0u);
  EXPECT_GT(same_findings<InitialisationCheck>("add.u32 %r1, %u, 1;\nst.global@H.u32 [%at], %r1@P;"), 0u);
  EXPECT_GT(same_findings<InitialisationCheck>("add.u32 %r1, %u, 1;\nred.global.add@H.u32 [%at], %r1@P;"), 0u);
  EXPECT_GT(same_findings<InitialisationCheck>("add.u32 %r1, %u, 1;\nst.global@H.v2.u32 [%at], {%i, %r1}@P;"), 0u);
}

TEST(HintedAccess, MustLieInMemory) {
  EXPECT_GT(same_findings<MemoryCheck>("ld.global.nc@H.v4.u32 {%r1, %r2, %r3, %r4}, [%at+16]@P;"), 0u);
  EXPECT_GT(same_findings<MemoryCheck>("st.global@H.u32 [%at+16], %i@P;"), 0u);
  EXPECT_GT(same_findings<MemoryCheck>("red.global.add@H.v4.f32 [%at+4], {%f1, %f1, %f2, %f2}@P;"), 0u);
  EXPECT_EQ(same_findings<MemoryCheck>("st.global@H.u32 [%at+12], %i@P;"), 0u);
}

}  // namespace
}  // namespace assay::vgpu
