// SPDX-License-Identifier: MIT
// Any bytes as a recorded space: Kernel Tuner's cache, T4, compressed.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "formats/json_text.hpp"
#include "formats/t4.hpp"
#include "require.hpp"

using namespace assay;
using fuzz::require;

namespace {

void check(const Result<formats::ReadSpace>& read) {
  if (!read.ok()) {
    require(!read.error().message.empty());
    return;
  }
  const tune::RecordedSpace& recorded = read->recorded;
  require(recorded.milliseconds.size() == recorded.space.size() && recorded.failures.size() == recorded.space.size());
  for (size_t i = 0; i < recorded.space.size(); ++i) {
    require(recorded.milliseconds[i] ? *recorded.milliseconds[i] > 0 : !recorded.failures[i].empty());
    require(recorded.space.find(recorded.space.row(i)) == i);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(formats::parse_kernel_tuner_cache(text, "fuzz"));
  check(formats::parse_t4(text, "fuzz"));
  (void)formats::decompress_gzip(text, size_t{1} << 20).ok();
  return 0;
}
