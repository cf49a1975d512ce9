// SPDX-License-Identifier: MIT
// The workers that a request asks for.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "assay/executor.hpp"
#include "base/progress.hpp"
#include "cluster/crew.hpp"

namespace assay::work {

// `folder`: of this run's work.
Result<std::unique_ptr<cluster::Crew>> gather_crew(const ExecutorOptions& options, const std::filesystem::path& folder,
                                                   const Context& context);
// How many there are to be.
size_t worker_count(const ExecutorOptions& options);

// Where work was done, for a command's document.
nlohmann::json devices_document(const std::vector<WorkerDevice>& devices);

// The folder of a run below `place`: a new one, or that of the last run if `resume` and there is one.
Result<std::filesystem::path> run_folder(const std::filesystem::path& place, bool resume);

}  // namespace assay::work
