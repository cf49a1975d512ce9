// SPDX-License-Identifier: MIT
// What other benchmarks call tasks and results, in the terms of this project. Every format maps to this model; what a
// file says and the model has no place for is listed, never dropped or replaced in silence.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/text_file.hpp"

namespace assay::formats {

// Something that could not be carried over.
struct Lost {
  std::string where;  // "row_sum.json: axes.rows"
  std::string why;

  bool operator==(const Lost&) const = default;
};

// --- tasks

struct TaskTensor {
  std::string name;
  std::string dtype;               // as kernel.toml spells it; "": the task does not say, or nothing here is like it
  std::vector<std::string> shape;  // expressions of dimensions
  bool scalar = false;             // a number instead of a tensor
  bool output = false;
  bool inout = false;   // an output that is read first
  std::string fill{};   // as kernel.toml spells it; "": the task does not say
  std::string value{};  // of a scalar; "": the task does not say
};

struct TaskShape {
  std::string name;  // as the task calls it; may be empty
  std::vector<std::pair<std::string, int64_t>> dimensions;
};

// A kernel that comes with the task; all texts are expressions or names as kernel.toml spells them.
struct TaskKernel {
  std::string source;  // a file of the task
  std::string entry;
  std::vector<std::string> grid;
  std::vector<std::string> block;
  std::string shared_bytes{};
  std::vector<std::string> flags{};
  std::vector<std::pair<std::string, std::vector<std::string>>> tunables{};
  std::vector<std::pair<std::string, std::string>> defaults{};
  std::vector<std::string> constraints{};
};

enum class ReferenceStyle {
  none,
  run,         // def run(inputs...) -> outputs; PyTorch
  model,       // class Model(nn.Module), get_inputs(), get_init_inputs()
  ref_kernel,  // generate_input(**case), ref_kernel(data), check_implementation(data, output)
  forward,     // class Model with forward(self, x, fn=forward_fn), get_inputs(**sizes)
};

struct Task {
  std::string name;
  std::string description{};
  std::string operation{};  // what kind of problem, in the words of the task
  std::vector<std::pair<std::string, int64_t>> constants{};
  std::vector<std::pair<std::string, std::string>> derived{};  // dimensions that are expressions of others
  std::vector<std::string> constraints{};                      // on dimensions
  std::vector<TaskTensor> tensors{};                           // in order; inputs first
  std::vector<TaskShape> measured{};                           // shapes that are timed
  std::vector<TaskShape> tested{};                             // shapes that are only checked
  std::optional<double> atol{};
  std::optional<double> rtol{};
  ReferenceStyle style = ReferenceStyle::none;
  std::string reference{};        // the file of `files` that holds it
  std::vector<TextFile> files{};  // that come with the task
  std::optional<TaskKernel> kernel{};
  std::vector<Lost> lost{};
};

// --- results

enum class Status {
  passed,
  unverified,  // timed, and nobody looked whether it was right
  incorrect,
  compile_error,
  runtime_error,
  timeout,
  cheating,
  skipped,
};
std::string_view name(Status status);
std::optional<Status> status_from_name(std::string_view text);

// Of one contender at one shape; microseconds. Nothing here is computed from anything else but by `describe`.
struct Statistics {
  std::optional<double> mean{};
  std::optional<double> median{};
  std::optional<double> least{};
  std::optional<double> most{};
  std::optional<double> deviation{};  // standard
  std::optional<double> lower{};      // quartile
  std::optional<double> upper{};
  std::optional<int64_t> count{};
  std::vector<double> samples{};
  std::vector<double> clocks_mhz{};  // beside the samples

  bool any() const { return mean || median || least || !samples.empty(); }
  bool operator==(const Statistics&) const = default;
};
// What samples say for themselves.
Statistics describe(std::vector<double> samples);

struct ForeignResult {
  std::string task;
  std::string contender;
  std::string shape{};          // "NAME=value,..."
  std::string configuration{};  // the same
  std::string device{};
  std::map<std::string, std::string> versions{};
  std::string when{};  // as the file has it
  Status status = Status::unverified;
  std::string message{};
  Statistics time{};
  Statistics baseline{};                  // the other side that was measured with it
  std::string baseline_name{};            // "" with no baseline
  std::string protocol{};                 // how it was timed, in words
  std::map<std::string, double> other{};  // further figures by name
  nlohmann::ordered_json record{};        // as the file has it; null: it was not read from one
  std::string record_format{};            // of the record
};

struct Imported {
  std::string format;
  std::vector<Task> tasks{};
  std::vector<ForeignResult> results{};
  std::vector<Lost> lost{};
  bool repaired = false;  // a file was cut off; what is whole was read
};

// A file that a writer made, and what it had no place for.
struct Written {
  std::string text;
  std::vector<TextFile> files{};  // that belong beside it
  std::vector<Lost> lost{};
};

// "ROWS=7,COLUMNS=256" and back.
std::string to_text(const std::vector<std::pair<std::string, int64_t>>& dimensions);
std::vector<std::pair<std::string, std::string>> named_values(std::string_view text);

}  // namespace assay::formats
