// SPDX-License-Identifier: MIT
// How much of the corpus the engine understands: a kernel of it decodes, or is refused with the opcode and the source
// line for one of the instructions that are known to be missing.
#include <algorithm>
#include <array>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <zstd.h>

#include "base/file.hpp"
#include "vgpu/machine/gpu.hpp"

namespace assay::vgpu {
namespace {

std::string decompress(const std::filesystem::path& path) {
  const std::string packed = *read_file(path);
  std::string text(ZSTD_getFrameContentSize(packed.data(), packed.size()), '\0');
  EXPECT_FALSE(ZSTD_isError(ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size()))) << path;
  return text;
}

struct Tally {
  int kernels = 0;
  int decoded = 0;
  std::map<std::string, int> reasons;
};

Tally decode_corpus() {
  Tally tally;
  for (const auto& entry : std::filesystem::directory_iterator(ASSAY_SOURCE_DIR "/tests/ptx_corpus/compiled")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".sm_80.ptx.zst") && !name.ends_with(".sm_89.ptx.zst")) continue;
    Gpu gpu(*find_model("l4"));
    const auto program = gpu.load(decompress(entry.path()), name);
    EXPECT_TRUE(program.ok()) << to_string(program.error());
    if (!program.ok()) continue;
    for (const Function& function : (*program)->functions) {
      if (!function.is_entry) continue;
      ++tally.kernels;
      if (!function.undecodable) {
        ++tally.decoded;
        continue;
      }
      // A refusal names the instruction and where it stands.
      EXPECT_GT(function.undecodable->place.line, 0) << name << " " << function.name;
      ++tally.reasons[function.undecodable->message.substr(0, function.undecodable->message.find(" (source"))];
    }
  }
  return tally;
}

TEST(CorpusDecode, OnlyWhatIsKnownToBeMissingIsRefused) {
  constexpr std::array kMissing = {
      "wmma.", "mma.sp.", "mbarrier.", "tex.", "createpolicy.", "prefetch.", "registers of the type '.b128'"};
  const Tally tally = decode_corpus();
  for (const auto& [reason, count] : tally.reasons) {
    const bool known =
        std::any_of(kMissing.begin(), kMissing.end(), [&](const char* missing) { return reason.starts_with(missing); });
    EXPECT_TRUE(known) << count << " x " << reason;
  }
  EXPECT_EQ(tally.kernels, 218);
  EXPECT_GE(tally.decoded, 192);
}

}  // namespace
}  // namespace assay::vgpu
