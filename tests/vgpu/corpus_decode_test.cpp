// SPDX-License-Identifier: MIT
// How much of the corpus the engine understands: a kernel of it decodes, or is refused with the opcode and the source
// line for one of the instructions that are known to be missing. The lists are exact: what is added leaves them.
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <zstd.h>

#include "base/file.hpp"
#include "vgpu/decode/decode.hpp"
#include "vgpu/machine/gpu.hpp"

namespace assay::vgpu {
namespace {

std::string decompress(const std::filesystem::path& path) {
  const std::string packed = *read_file(path);
  std::string text(ZSTD_getFrameContentSize(packed.data(), packed.size()), '\0');
  EXPECT_FALSE(ZSTD_isError(ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size()))) << path;
  return text;
}

// "mma.sp" of "mma.sp.sync...: this instruction is not supported"; a message without an opcode as it is.
std::string family_of(const std::string& message) {
  const size_t end = message.find('.', message.find('.') + 1);
  return message.substr(0, std::min(end, message.find(" (source")));
}

struct DecodedCorpus {
  int kernels = 0;
  int decoded = 0;
  std::map<std::string, int> reasons;
};

// The kernels of all files of the corpus that end in one of these, on this GPU.
DecodedCorpus decode_corpus(std::initializer_list<std::string_view> endings, const char* model) {
  DecodedCorpus tally;
  for (const auto& entry : std::filesystem::directory_iterator(ASSAY_SOURCE_DIR "/tests/ptx_corpus/compiled")) {
    const std::string name = entry.path().filename().string();
    if (std::ranges::none_of(endings, [&](std::string_view ending) { return name.ends_with(ending); })) continue;
    Gpu gpu(*gpu::find_model(model));
    const auto program = load(gpu, decompress(entry.path()), name);
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
      ++tally.reasons[family_of(function.undecodable->message)];
    }
  }
  return tally;
}

using Reasons = std::map<std::string, int>;

TEST(CorpusDecode, OnlyWhatIsKnownToBeMissingIsRefused) {
  const DecodedCorpus tally = decode_corpus({".sm_80.ptx.zst", ".sm_89.ptx.zst"}, "l4");
  EXPECT_EQ(tally.reasons, Reasons{});
  EXPECT_EQ(tally.kernels, 218);
  EXPECT_EQ(tally.decoded, 218);
}

TEST(CorpusDecode, OnAHopperGpuToo) {
  const DecodedCorpus tally = decode_corpus({".sm_90a.ptx.zst"}, "h200");
  EXPECT_EQ(tally.reasons, Reasons{});
  EXPECT_EQ(tally.kernels, 121);
  EXPECT_EQ(tally.decoded, 121);
}

}  // namespace
}  // namespace assay::vgpu
