// SPDX-License-Identifier: MIT
// Any bytes as a conversation with the searcher, line after line.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "require.hpp"
#include "tune/ask_session.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  assay::tune::AskSession session;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const auto lines = session.hear(text.substr(0, end));
    if (!lines.ok()) {
      assay::fuzz::require(!lines.error().message.empty());
      return 0;
    }
    for (const std::string& line : *lines)
      assay::fuzz::require(line.starts_with("{") && line.find('\n') == std::string::npos);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return 0;
}
