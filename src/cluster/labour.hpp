// SPDX-License-Identifier: MIT
// The loop of a worker: claim an item, run its command in a child process, renew the lease, publish the result. It ends
// when the folder holds a stop file, or when nobody has waited for results for some time. A signal ends it too; then it
// gives its item back.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "cluster/work_folder.hpp"
#include "cluster/work_item.hpp"

namespace assay::cluster {

struct LabourOptions {
  std::chrono::milliseconds poll{200};            // between two looks for work
  std::chrono::milliseconds unattended{600'000};  // nobody waits for results since so long: end
};

struct LabourReport {
  size_t finished = 0;
  size_t given_back = 0;
  size_t overtaken = 0;  // another one had the item when it was done
};

Result<LabourReport> labour(WorkFolder& folder, const Worker& worker, const LabourOptions& options,
                            const Context& context);

}  // namespace assay::cluster
