// SPDX-License-Identifier: MIT
// The rules for sectors and wavefronts against what Nsight Compute said on a GPU, access by access.
#include <array>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>

#include "vgpu/observe/access_cost.hpp"

namespace assay::vgpu {
namespace {

struct Observation {
  std::string kernel;
  std::string pattern;
  std::array<uint32_t, 2> figures{};  // wavefronts and conflicts, or requests and sectors
  std::array<uint64_t, kLanes> offsets{};
  LaneMask lanes = 0;
};

std::vector<Observation> read_observations() {
  std::ifstream file(ASSAY_SOURCE_DIR "/tests/vgpu/observe/counters_h200.txt");
  std::vector<Observation> all;
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    Observation seen;
    words >> seen.kernel >> seen.pattern >> seen.figures[0] >> seen.figures[1];
    for (size_t lane = 0; lane < kLanes; ++lane) {
      int64_t offset = -1;
      words >> offset;
      if (offset < 0) continue;
      seen.offsets[lane] = static_cast<uint64_t>(offset);
      seen.lanes |= LaneMask{1} << lane;
    }
    EXPECT_TRUE(static_cast<bool>(words)) << line;
    all.push_back(seen);
  }
  return all;
}

// "shared_load_16" -> 16.
uint32_t width(const std::string& kernel) {
  return static_cast<uint32_t>(std::stoul(kernel.substr(kernel.rfind('_') + 1)));
}

// The addresses that lanes beyond the last matrix give are not used.
LaneMask matrix_lanes(const std::string& kernel) {
  if (kernel.find("_x1") != std::string::npos) return 0xff;
  if (kernel.find("_x2") != std::string::npos) return 0xffff;
  return kAllLanes;
}

std::array<uint32_t, 2> expected(const Observation& seen) {
  const auto in_shared = [](const SharedCost& cost) { return std::array{cost.wavefronts, cost.conflicts()}; };
  if (seen.kernel.find("_matrix_") != std::string::npos)
    return in_shared(matrix_cost({seen.offsets.data(), seen.lanes & matrix_lanes(seen.kernel), 16}));
  const LaneAddresses access{seen.offsets.data(), seen.lanes, width(seen.kernel)};
  if (seen.kernel.starts_with("shared_load")) return in_shared(shared_load_cost(access));
  if (seen.kernel.starts_with("shared_store")) return in_shared(shared_store_cost(access));
  if (seen.kernel.starts_with("shared_atomic")) return in_shared(shared_atomic_cost(access));
  if (seen.kernel.starts_with("local")) return {1, local_sectors(access)};
  if (seen.kernel.starts_with("global_atomic") || seen.kernel.starts_with("global_reduction"))
    return {1, atomic_sectors(access)};
  return {1, sectors(access)};
}

TEST(CounterTruth, TheRulesAgreeWithAGpu) {
  std::map<std::string, int> seen_of;
  for (const Observation& seen : read_observations()) {
    ++seen_of[seen.kernel];
    EXPECT_EQ(expected(seen), seen.figures) << seen.kernel << " " << seen.pattern;
  }
  EXPECT_GE(seen_of.size(), 28u);
  for (const char* kernel : {"shared_load_16", "shared_store_8", "shared_atomic_4", "load_matrix_x4", "global_load_16"})
    EXPECT_GT(seen_of[kernel], 10) << kernel;
}

}  // namespace
}  // namespace assay::vgpu
