// SPDX-License-Identifier: MIT
#include "build/resource_usage.hpp"

#include <algorithm>

#include "build/cubin.hpp"
#include "build/ptxas_output.hpp"

namespace assay::build {
namespace {

template <class T>
void merge(std::optional<T>& from_cubin, const std::optional<T>& from_text) {
  if (!from_cubin) {
    from_cubin = from_text;
  } else if (from_text && *from_cubin != *from_text) {
    from_cubin.reset();
  }
}

}  // namespace

const ResourceUsage* find_entry(const std::vector<ResourceUsage>& usages, std::string_view entry) {
  const auto found = std::ranges::find(usages, entry, &ResourceUsage::entry);
  return found == usages.end() ? nullptr : &*found;
}

std::vector<ResourceUsage> resource_usage(std::string_view cubin, std::string_view ptxas_output) {
  std::vector<ResourceUsage> written = read_ptxas_output(ptxas_output);
  Result<std::vector<ResourceUsage>> read = read_cubin(cubin);
  if (!read) return written;
  for (ResourceUsage& usage : *read) {
    const ResourceUsage* text = find_entry(written, usage.entry);
    if (text == nullptr) continue;
    merge(usage.registers, text->registers);
    merge(usage.stack_bytes, text->stack_bytes);
    merge(usage.static_shared_bytes, text->static_shared_bytes);
    merge(usage.barriers, text->barriers);
    usage.spill_store_bytes = text->spill_store_bytes;
    usage.spill_load_bytes = text->spill_load_bytes;
  }
  return std::move(*read);
}

}  // namespace assay::build
