// SPDX-License-Identifier: MIT
// Many kernels and shapes beside their baselines, in one run that can be resumed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "assay/executor.hpp"
#include "assay/kernel_choice.hpp"
#include "assay/result.hpp"

namespace assay::work {

struct SuiteRequest {
  std::string file;  // docs/suite_toml.md describes it
  std::string device;
  bool restart = false;  // measure everything anew
  uint64_t seed = 1;
  ExecutorOptions executor;
  RecordOptions record;
};

struct SuiteRow {
  std::string kernel;
  std::string configuration;
  std::string shape;
  std::string status;  // "measured", "rejected", "failed", "skipped"
  std::string reason;  // why it is not measured
  std::optional<double> p50_us;
  std::optional<double> speedup;  // over the fastest baseline
};

struct SuiteDetails;

struct SuiteReport {
  ExitCode exit_code = ExitCode::good;
  std::string suite;
  std::string device;
  std::string gpu;
  std::vector<SuiteRow> rows;
  std::vector<WorkerDevice> devices;  // with an executor
  size_t workers_started = 0;
  std::string page;  // the HTML report that was written; empty: none, because nothing is recorded
  std::shared_ptr<const SuiteDetails> details;
};

// What is measured and where, before it begins.
struct SuiteStart {
  std::string suite;
  size_t items = 0;
  std::string device;
  std::string gpu;
};

Result<SuiteReport> suite(const SuiteRequest& request, const Context& context = {},
                          const std::function<void(const SuiteStart&)>& on_start = {});
std::string to_json(const SuiteReport& report);

// One item, as a worker measures it; nothing is recorded.
struct SuiteItemRequest {
  std::string file;
  std::string item;  // its key; "device": only say which GPU is here
  std::string gpu;   // only on this one, as "device" names it; empty: on any
  std::string device;
  uint64_t seed = 1;
};

Result<std::string> suite_item(const SuiteItemRequest& request, const Context& context = {});  // a JSON document

struct SuitePlanDetails;

// What would be measured.
struct SuitePlan {
  std::string suite;
  std::vector<SuiteRow> rows;
  std::shared_ptr<const SuitePlanDetails> details;
};

Result<SuitePlan> plan_suite(const std::string& file);
std::string to_json(const SuitePlan& plan);

}  // namespace assay::work
