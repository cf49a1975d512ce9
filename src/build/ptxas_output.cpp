// SPDX-License-Identifier: MIT
//   ptxas info    : Compiling entry function 'scale' for 'sm_80'
//   ptxas info    : Function properties for scale
//       272 bytes stack frame, 536 bytes spill stores, 560 bytes spill loads
//   ptxas info    : Used 32 registers, used 1 barriers, 1280 bytes smem, 372 bytes cmem[0]
//   ptxas info    : Function properties for _Z6helperf        (not inlined: its spills are the entry's, too)
#include "build/ptxas_output.hpp"

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace assay::build {
namespace {

constexpr std::string_view kInfo = "ptxas info";

// "NUMBER words", nothing else; or empty.
std::optional<int64_t> number_of(std::string_view part, std::string_view words) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
  if (error != std::errc() || value < 0 || part.substr(static_cast<size_t>(end - part.data())) != words)
    return std::nullopt;
  return value;
}

// The text after "ptxas info    : ", or empty.
std::string_view message_of(std::string_view line) {
  if (!line.starts_with(kInfo)) return {};
  const size_t colon = line.find(':');
  return colon == std::string_view::npos ? std::string_view() : trim(line.substr(colon + 1));
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

struct EntryReader {
  ResourceUsage usage;
  size_t functions = 0;   // announced by "Function properties for"
  size_t properties = 0;  // understood

  void read_properties(std::string_view line, bool own) {
    const std::vector<std::string_view> parts = split(line, ',');
    if (parts.size() != 3) return;
    const auto frame = number_of(trim(parts[0]), " bytes stack frame");
    const auto stores = number_of(trim(parts[1]), " bytes spill stores");
    const auto loads = number_of(trim(parts[2]), " bytes spill loads");
    if (!frame || !stores || !loads) return;
    ++properties;
    if (own) usage.stack_bytes = frame;
    usage.spill_store_bytes = usage.spill_store_bytes.value_or(0) + *stores;
    usage.spill_load_bytes = usage.spill_load_bytes.value_or(0) + *loads;
  }

  void read_use(std::string_view message) {
    if (!take_prefix(message, "Used ")) return;
    bool understood_all = true;
    std::optional<int64_t> shared;
    for (std::string_view part : split(message, ',')) {
      part = trim(part);
      take_prefix(part, "used ");
      if (const auto registers = number_of(part, " registers")) {
        usage.registers = static_cast<int>(std::min<int64_t>(*registers, 1 << 20));
      } else if (const auto barriers = number_of(part, " barriers")) {
        usage.barriers = static_cast<int>(std::min<int64_t>(*barriers, 1 << 20));
      } else if (const auto bytes = number_of(part, " bytes smem")) {
        shared = bytes;
      } else if (!number_of(part, " bytes cumulative stack size") &&
                 part.find(" bytes cmem[") == std::string_view::npos && !number_of(part, " textures") &&
                 !number_of(part, " surfaces") && !number_of(part, " samplers") && !number_of(part, " bytes lmem") &&
                 !number_of(part, " bytes gmem")) {
        understood_all = false;  // perhaps shared memory in other words
      }
    }
    // A kernel without shared memory is not mentioned to have 0 bytes of it.
    if (shared || understood_all) usage.static_shared_bytes = shared.value_or(0);
  }

  ResourceUsage finish() {
    if (properties != functions || functions == 0) {
      usage.spill_store_bytes.reset();
      usage.spill_load_bytes.reset();
    }
    return std::move(usage);
  }
};

}  // namespace

std::vector<ResourceUsage> read_ptxas_output(std::string_view text) {
  std::vector<ResourceUsage> usages;
  std::optional<EntryReader> entry;
  std::string_view function;  // whose properties the next line holds
  for (const std::string_view line : split(text, '\n')) {
    std::string_view message = message_of(line);
    if (take_prefix(message, "Compiling entry function '")) {
      if (entry) usages.push_back(entry->finish());
      entry = EntryReader{.usage = {.entry = std::string(message.substr(0, message.find('\'')))}};
      function = {};
    } else if (entry && take_prefix(message, "Function properties for ")) {
      ++entry->functions;
      function = trim(message);
    } else if (entry && !function.empty() && message.empty()) {
      entry->read_properties(trim(line), function == entry->usage.entry);
      function = {};
    } else if (entry && message.starts_with("Used ")) {
      entry->read_use(message);
    }
  }
  if (entry) usages.push_back(entry->finish());
  std::ranges::sort(usages, {}, &ResourceUsage::entry);
  return usages;
}

}  // namespace assay::build
