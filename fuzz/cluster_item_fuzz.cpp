// SPDX-License-Identifier: MIT
// Any bytes as the files of a shared folder: a work item, a worker, a result. What is read can be written and read
// again.
#include <cstddef>
#include <cstdint>
#include <string>

#include "cluster/work_item.hpp"
#include "require.hpp"

using namespace assay;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto item = cluster::read_item(text)) {
    require(!item->words.empty() && item->time_limit_s > 0);
    require(cluster::read_item(cluster::to_text(*item)).ok());
  }
  if (const auto worker = cluster::read_worker(text)) require(cluster::read_worker(cluster::to_text(*worker)).ok());
  if (const auto result = cluster::read_result(text)) require(cluster::read_result(cluster::to_text(*result)).ok());
  return 0;
}
