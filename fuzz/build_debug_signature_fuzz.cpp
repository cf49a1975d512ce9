// SPDX-License-Identifier: MIT
// Any bytes as debug information give signatures whose values lie in their parameters and can be written down, or say
// what is missing. The input is the bytes of the kernel's parameter, the length of the abbreviation section (two
// bytes), that section, and .debug_info.
#include <cstdint>
#include <string>
#include <string_view>

#include "build/kernel_signature.hpp"
#include "require.hpp"

namespace {

std::string section(const char* name, std::string_view bytes) {
  std::string text = std::string("\t.section ") + name + "\n{\n";
  for (const char byte : bytes) text += ".b8 " + std::to_string(static_cast<unsigned char>(byte)) + "\n";
  return text + "}\n";
}

bool is_plain(const std::string& name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  for (const char c : name) {
    const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!good) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMostBytes = 8192;
  if (size < 3 || size > kMostBytes) return 0;
  const size_t wanted = static_cast<size_t>(data[1]) + 256 * static_cast<size_t>(data[2]);
  const size_t bytes = data[0] == 0 ? 1 : data[0];
  const std::string_view all(reinterpret_cast<const char*>(data + 3), size - 3);
  const std::string_view abbreviations = all.substr(0, wanted);
  const std::string_view information = all.substr(abbreviations.size());
  const std::string ptx =
      ".version 8.0\n.target sm_80\n.address_size 64\n.const .align 4 .b8 c[32];\n"
      ".visible .entry kernel(.param .align 8 .b8 kernel_0[" +
      std::to_string(bytes) +
      "])\n{\n  .reg .f32 %f;\n  ld.const.f32 %f, [c];\n  "
      "ret;\n}\n" +
      section(".debug_abbrev", abbreviations) + section(".debug_info", information) +
      section(".debug_str", information);
  const auto read = assay::build::kernel_signatures(ptx, "input.ptx", "");
  assay::fuzz::require(read.ok() && read->size() == 1);
  const assay::build::KernelSignature& signature = read->front();
  assay::fuzz::require(signature.parameters.size() == 1);
  assay::fuzz::require(signature.from_debug_information || !signature.missing.empty());
  if (!signature.from_debug_information) return 0;
  size_t end = 0;
  for (const assay::build::SignatureValue& value : signature.parameters[0].values) {
    assay::fuzz::require(is_plain(value.name) && value.offset >= end && value.offset + value.bytes <= bytes);
    assay::fuzz::require(value.type.find_first_of("\n\r\"\\") == std::string::npos);
    end = value.offset;
  }
  return 0;
}
