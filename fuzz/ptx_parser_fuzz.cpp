// SPDX-License-Identifier: MIT
// Any bytes give an error with a place, or a module that is equal to itself after printing and parsing.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ptx/debug_strings.hpp"
#include "ptx/parser.hpp"
#include "ptx/printer.hpp"

namespace {

void require(bool holds, const char* what, const std::string& text) {
  if (holds) return;
  std::fprintf(stderr, "%s\n--- printed\n%s\n", what, text.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto module = assay::ptx::parse(text, "input.ptx");
  if (!module) {
    require(module.error().place.line >= 1 && module.error().place.column >= 1 && !module.error().message.empty(),
            "an error without a place or a message", "");
    return 0;
  }
  const std::string printed = assay::ptx::print(*module);
  const auto again = assay::ptx::parse(printed, "printed.ptx");
  require(again.ok(), again.ok() ? "" : to_string(again.error()).c_str(), printed);
  require(*again == *module, "the printed text is another module", printed);
  assay::ptx::DebugStrings(*module).by_label();
  return 0;
}
