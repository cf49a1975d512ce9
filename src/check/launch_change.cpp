// SPDX-License-Identifier: MIT
#include "check/launch_change.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "check/result_json.hpp"

namespace assay::check {
namespace {

using nlohmann::json;

gpu::Dim3 dim3_from(const json& value) {
  return {value.at(0).get<uint32_t>(), value.at(1).get<uint32_t>(), value.at(2).get<uint32_t>()};
}

}  // namespace

json to_json(const gpu::LaunchChange& change) {
  json document = {{"more_shared_bytes", change.more_shared_bytes},
                   {"pointer_offset", change.pointer_offset},
                   {"cold_caches", change.cold_caches}};
  if (change.grid) document["grid"] = dimensions(*change.grid);
  if (change.block) document["block"] = dimensions(*change.block);
  if (change.second) document["second"] = {{"entry", change.second->entry}, {"grid", dimensions(change.second->grid)}};
  return document;
}

gpu::LaunchChange launch_change_from(const json& value) {
  gpu::LaunchChange change;
  change.more_shared_bytes = value.at("more_shared_bytes").get<uint32_t>();
  change.pointer_offset = value.at("pointer_offset").get<uint32_t>();
  change.cold_caches = value.at("cold_caches").get<bool>();
  if (value.contains("grid")) change.grid = dim3_from(value.at("grid"));
  if (value.contains("block")) change.block = dim3_from(value.at("block"));
  if (value.contains("second")) {
    const json& second = value.at("second");
    change.second = gpu::LaunchChange::Second{second.at("entry").get<std::string>(), dim3_from(second.at("grid"))};
  }
  return change;
}

std::map<std::string, uint64_t> shifted(std::map<std::string, uint64_t> addresses, const gpu::LaunchChange& change) {
  for (auto& [name, address] : addresses) address += change.pointer_offset;
  return addresses;
}

Result<void> apply(const gpu::LaunchChange& change, std::vector<device::LaunchRequest>& requests) {
  if (change.plain()) return {};
  if (requests.size() != 1)
    return Error{fmt::format("the call launches {} kernels; experiments change one", requests.size()),
                 {},
                 "describe the kernel that matters by itself",
                 ExitCode::usage};
  device::LaunchRequest& request = requests.front();
  if (change.grid) request.grid = *change.grid;
  if (change.block) request.block = *change.block;
  request.shared_bytes += change.more_shared_bytes;
  if (change.second) {
    device::LaunchRequest second = request;
    second.entry = change.second->entry;
    second.grid = change.second->grid;
    requests.push_back(std::move(second));
  }
  return {};
}

}  // namespace assay::check
