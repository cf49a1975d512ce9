// SPDX-License-Identifier: MIT
#include "vgpu/observe/shared_bounds.hpp"

#include "vgpu/machine/kernel_run.hpp"

namespace assay::vgpu {
namespace {

// Two arrays of 64 words side by side; thread i has its word of each at %x and %y.
std::string two_arrays_kernel(const std::string& body) {
  return R"(
.visible .entry kernel(.param .u64 data)
{
  .shared .align 4 .b8 left[256];
  .shared .align 4 .b8 right[256];
  .reg .b32 %i, %l, %r, %x, %y, %z, %n, %v;
  .reg .b64 %p, %g;
  .reg .pred %q;
  mov.u32 %i, %tid.x;
  mov.u32 %l, left;
  mov.u32 %r, right;
  mad.lo.u32 %x, %i, 4, %l;
  shl.b32 %n, %i, 2;
  add.u32 %y, %n, %r;
  ld.param.u64 %p, [data];
  ld.global.u32 %v, [%p];
  setp.ne.u32 %q, %v, 0;
)" + body +
         R"(
  ret;
}
)";
}

std::vector<Finding> bounds_findings(const std::string& body) {
  KernelRun run(two_arrays_kernel(body));
  run.launch().block = {64, 1, 1};
  run.add_words(std::vector<uint32_t>(64, 0), "data");
  MemoryCheck check;
  const LaunchResult result = run.run_checked(check);
  EXPECT_FALSE(result.fault.has_value()) << result.fault->message;
  return check.found().findings();
}

TEST(SharedBounds, AnIndexThatReachesIntoTheNextArrayIsFound) {
  const auto findings = bounds_findings("st.shared.u32 [%x+4], %i;\n");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, FindingKind::out_of_bounds);
  EXPECT_EQ(findings[0].address, 256u);
  EXPECT_NE(findings[0].message.find("outside of 'left' (256 bytes)"), std::string::npos) << findings[0].message;
  EXPECT_NE(findings[0].allocation.find("'right'"), std::string::npos) << findings[0].allocation;
  EXPECT_EQ(findings[0].count, 1u) << "thread 63 alone";
  EXPECT_EQ(bounds_findings("ld.shared.u32 %v, [%y+-4];\n").size(), 1u);
  EXPECT_EQ(bounds_findings("atom.shared.add.u32 %v, [%x+64], 1;\n").size(), 1u);
}

TEST(SharedBounds, AddressesInsideAreClean) {
  EXPECT_TRUE(bounds_findings("st.shared.u32 [%x], %i;\nld.shared.u32 %v, [%y];\n").empty());
  // Swizzles, indices from memory, and loops that move an address.
  EXPECT_TRUE(bounds_findings("xor.b32 %z, %x, 4;\nst.shared.u32 [%z], %i;\n").empty());
  EXPECT_TRUE(bounds_findings("add.u32 %z, %l, %v;\nst.shared.u32 [%z], %i;\n").empty());
  EXPECT_TRUE(
      bounds_findings("mov.u32 %z, %l;\nagain:\nst.shared.u32 [%z], %i;\nadd.u32 %z, %z, 4;\nadd.u32 %v, %v, 1;\n"
                      "setp.lt.u32 %q, %v, 64;\n@%q bra again;\n")
          .empty());
}

TEST(SharedBounds, AnAddressThatMayComeFromSeveralArraysIsLeftAlone) {
  EXPECT_TRUE(bounds_findings("selp.b32 %z, %y, %x, %q;\nst.shared.u32 [%z+256], %i;\n").empty()) << "of two arrays";
  EXPECT_TRUE(bounds_findings("sub.u32 %z, %r, %l;\nadd.u32 %z, %x, %z;\nst.shared.u32 [%z], %i;\n").empty())
      << "a difference of addresses";
  EXPECT_TRUE(bounds_findings("mov.u32 %z, 256;\nadd.u32 %z, %z, %n;\nst.shared.u32 [%z], %i;\n").empty())
      << "a number";
}

}  // namespace
}  // namespace assay::vgpu
