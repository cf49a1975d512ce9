// SPDX-License-Identifier: MIT
// A task as the files of a kernel folder. What the task does not say is marked "open", as assay new does.
#pragma once

#include <string>
#include <vector>

#include "formats/foreign.hpp"

namespace assay::work {

struct TaskFolder {
  std::string name;  // letters, digits, _ and -
  std::vector<formats::TextFile> files;
  std::vector<formats::Lost> lost;
};

TaskFolder task_folder(const formats::Task& task, const std::string& origin);

// A relative path that stays inside its folder.
bool is_safe_path(const std::string& path);

}  // namespace assay::work
