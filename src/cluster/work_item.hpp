// SPDX-License-Identifier: MIT
// One piece of work for another machine is a command of this program: its words go there, its JSON document comes back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay::cluster {

struct WorkItem {
  std::vector<std::string> words;  // without the program; the command must answer with one JSON document
  double time_limit_s = 3600;
};

// Who did it.
struct Worker {
  std::string name;
  std::string host;
  std::string device;  // a GPU's UUID, so that samples of different GPUs are not mixed; "virtual": no GPU
  std::string gpu;     // what it is called
  std::string job;     // of the batch system; empty: none
  int restarts = 0;    // of that job
};

struct ItemResult {
  std::string item;  // the name that put() gave
  Worker worker;
  int exit_code = 0;     // of the command
  std::string document;  // what it printed: JSON text; empty if it printed none
  std::string problem;   // why there is no document; the end of what it wrote to standard error
  double seconds = 0;
  // --- not a part of the file
  bool recalled = false;  // it was there before this run began
  bool given_up = false;  // too many workers were lost over it
};

std::string to_text(const WorkItem& item);
Result<WorkItem> read_item(const std::string& text);
std::string to_text(const Worker& worker);
Result<Worker> read_worker(const std::string& text);
std::string to_text(const ItemResult& result);
Result<ItemResult> read_result(const std::string& text);

}  // namespace assay::cluster
