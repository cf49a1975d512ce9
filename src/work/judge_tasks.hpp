// SPDX-License-Identifier: MIT
// Which tasks there are, their cases, and which file answers which task.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "formats/foreign.hpp"

namespace assay::work {

struct JudgeCase {
  std::string name;
  nlohmann::ordered_json values;  // arguments of generate_input
  bool timed = true;
};

struct JudgeTask {
  std::string name;
  std::string style;             // "model", "ref_kernel", "host_cuda"
  std::filesystem::path module;  // absolute
  std::vector<JudgeCase> cases;
  std::vector<formats::TaskTensor> inputs{};                             // as far as the text tells
  std::vector<std::pair<std::string, std::filesystem::path>> headers{};  // of a task of C++: by the names it includes
};

// A module of Python, a folder of them, or a folder with task.yml.
Result<std::vector<JudgeTask>> find_tasks(const std::filesystem::path& path, bool tests);

struct JudgePair {
  size_t task = 0;
  std::filesystem::path submission;  // empty: nobody answered
};
// A file answers the task; of a folder each file answers the task whose name it has, begins with, or whose number it
// names ("..._problem_23_..."). With one task all files answer it.
Result<std::vector<JudgePair>> pair_up(const std::vector<JudgeTask>& tasks, const std::filesystem::path& submission);

}  // namespace assay::work
