// SPDX-License-Identifier: MIT
#include "vgpu/decode/location_table.hpp"

#include "ptx/demangle.hpp"

namespace assay::vgpu {

void LocationTable::enter_function(const std::string& name) {
  function_ = ptx::demangle(name);
  current_ = -1;
  latest_.clear();
}

void LocationTable::add(const ptx::Location& location) {
  // Line 0: the compiler's own, of no line. It belongs to what stands before it.
  if (location.line == 0 && current_ >= 0) return;
  LocationEntry entry{location.file, location.line, location.column, function_, -1};
  if (location.inlined_at) {
    entry.function = debug_strings_.function_of(location);
    entry.caller = caller_of(*location.inlined_at);
  }
  current_ = keep(std::move(entry));
}

int32_t LocationTable::caller_of(const ptx::Location::Inlined& inlined) {
  const auto known = latest_.find({inlined.file, inlined.line, inlined.column});
  if (known != latest_.end()) return known->second;
  // The call's own place was not given: it is known from this directive alone.
  return keep({inlined.file, inlined.line, inlined.column, function_, -1});
}

int32_t LocationTable::keep(LocationEntry entry) {
  const auto index = static_cast<int32_t>(program_.locations.size());
  latest_[{entry.file, entry.line, entry.column}] = index;
  program_.locations.push_back(std::move(entry));
  return index;
}

}  // namespace assay::vgpu
