// SPDX-License-Identifier: MIT
#include "vgpu/observe/reach_watch.hpp"

#include <span>

#include "vgpu/machine/kernel_run.hpp"

namespace assay::vgpu {
namespace {

// Thread i of the grid writes word i, unless i is `limit` or more; thread 0 reads word 40.
constexpr const char* kStores = R"(
.visible .entry kernel(.param .u64 data, .param .u32 limit)
{
  .reg .b32 %i, %b, %n, %t, %l;
  .reg .b64 %at, %p;
  .reg .pred %o;
  mov.u32 %i, %tid.x;
  mov.u32 %b, %ctaid.x;
  mov.u32 %n, %ntid.x;
  mad.lo.u32 %i, %b, %n, %i;
  ld.param.u32 %l, [limit];
  ld.param.u64 %p, [data];
  setp.ge.u32 %o, %i, %l;
  @%o ret;
  mad.wide.u32 %at, %i, 4, %p;
  st.global.u32 [%at], %i;
  setp.ne.u32 %o, %i, 0;
  @!%o ld.global.u32 %t, [%p+160];
  ret;
}
)";

std::vector<uint64_t> reach_of(uint32_t limit, uint32_t blocks) {
  KernelRun run(kStores, "l4");
  run.launch().block = {32, 1, 1};
  run.launch().grid = {blocks, 1, 1};
  const uint64_t address = run.add_words(std::vector<uint32_t>(1024, 0), "data");
  std::vector<std::byte>& parameters = run.launch().parameters;
  const auto bytes = std::as_bytes(std::span(&limit, 1));
  parameters.insert(parameters.end(), bytes.begin(), bytes.end());
  ReachWatch watch({{address, 64}, {address + 64, 960 * 4}, {address + 4096, 4096}});
  run.launch().observers = {&watch};
  const auto result = run.gpu().launch(run.launch());
  EXPECT_TRUE(result.ok() && !result->fault) << (result && result->fault ? result->fault->message : "");
  return watch.reach();
}

TEST(ReachWatch, BytesUpToTheLastOneOfEachRange) {
  EXPECT_EQ(reach_of(1000, 2), (std::vector<uint64_t>{64, 64 * 4 - 64, 0}));
  EXPECT_EQ(reach_of(7, 2), (std::vector<uint64_t>{28, 164 - 64, 0})) << "a load counts as a store does";
}

TEST(ReachWatch, NothingIsTouched) {
  EXPECT_EQ(reach_of(0, 4), (std::vector<uint64_t>{0, 0, 0}));
}

}  // namespace
}  // namespace assay::vgpu
