// SPDX-License-Identifier: MIT
// A task at one case as a kernel folder: what a session needs to draw inputs, to know what is right and to compare. The
// kernel in it is never built; the contenders are Python programs.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "formats/foreign.hpp"

namespace assay::work {

// What task_probe.py said of one case.
struct ProbedCase {
  std::string style;                // "model", "ref_kernel", "host_cuda"
  std::filesystem::path task;       // the module
  std::string name;                 // of the case, in words
  nlohmann::ordered_json values;    // arguments of generate_input
  nlohmann::ordered_json response;  // of the probe: inputs, outputs, structures
  nlohmann::ordered_json headers;   // of a task of C++: paths by the names it includes
  bool timed = true;
};

// Asks the task itself, in a process of its own. An error is the task's, or that PyTorch is missing.
Result<nlohmann::ordered_json> probe_task(const ProbedCase& wanted, const std::string& python,
                                          const std::filesystem::path& programs, const std::filesystem::path& scratch);

struct JudgeTolerance {
  std::optional<double> atol{};
  std::optional<double> rtol{};
};

// Writes kernel.toml, description.json, reference.py and what draws the inputs. `known` are inputs that the task's text
// tells how to draw; the others are drawn by the task's own function.
Result<void> write_judge_folder(const ProbedCase& probed, const std::vector<formats::TaskTensor>& known,
                                const JudgeTolerance& tolerance, const std::filesystem::path& programs,
                                const std::filesystem::path& folder);

}  // namespace assay::work
