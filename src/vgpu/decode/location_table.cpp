// SPDX-License-Identifier: MIT
#include "vgpu/decode/location_table.hpp"

#include "ptx/demangle.hpp"

namespace assay::vgpu {

void LocationTable::enter_function(const std::string& name) {
  function_ = ptx::demangle(name);
  current_ = -1;
  run_open_ = false;
}

void LocationTable::add(const ptx::Location& location) {
  LocationEntry entry{location.file, location.line, location.column, function_, -1};
  if (!run_open_) run_start_ = static_cast<int32_t>(program_.locations.size());
  if (location.inlined_at) {
    entry.function = debug_strings_.function_of(location);
    entry.caller = caller_of(*location.inlined_at);
  }
  run_open_ = true;
  current_ = static_cast<int32_t>(program_.locations.size());
  program_.locations.push_back(std::move(entry));
}

int32_t LocationTable::caller_of(const ptx::Location::Inlined& inlined) {
  for (auto at = static_cast<int32_t>(program_.locations.size()) - 1; at >= run_start_ && at >= 0; --at) {
    const LocationEntry& entry = program_.locations[static_cast<size_t>(at)];
    if (entry.file == inlined.file && entry.line == inlined.line && entry.column == inlined.column) return at;
  }
  // The call's own place was not given: it is known from this directive alone.
  program_.locations.push_back({inlined.file, inlined.line, inlined.column, function_, -1});
  return static_cast<int32_t>(program_.locations.size()) - 1;
}

}  // namespace assay::vgpu
