// SPDX-License-Identifier: MIT
// The four objects of FlashInfer's trace format: what is computed (definition), at which sizes (workload), by whom
// (solution), and what came out (trace). SOL-ExecBench has the same with further members; both are read and written
// here, and the dialect says which members may be there.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "formats/fields.hpp"
#include "formats/foreign.hpp"
#include "formats/text_file.hpp"

namespace assay::formats {

enum class TraceDialect { flashinfer, sol };

struct TraceAxis {
  enum class Kind { constant, variable, expression };
  Kind kind = Kind::variable;
  int64_t value = 0;
  std::string expression{};  // SOL
  std::optional<std::string> description{};
};

struct TraceTensor {
  std::optional<std::vector<std::string>> shape;  // nothing: a scalar
  std::string dtype;
  std::optional<std::string> description{};
};

struct TraceDefinition {
  std::string name;
  std::string op_type;
  std::vector<std::pair<std::string, TraceAxis>> axes;
  std::vector<std::pair<std::string, TraceTensor>> inputs;
  std::vector<std::pair<std::string, TraceTensor>> outputs;
  std::string reference;
  std::optional<std::vector<std::string>> constraints{};
  std::optional<std::vector<std::string>> tags{};
  std::optional<std::string> description{};
  std::optional<std::string> custom_inputs_entrypoint{};  // SOL
  std::optional<std::string> hf_id{};                     // SOL
};

struct TraceInput {
  std::string type;  // random, scalar, safetensors; SOL: custom
  ordered_json value{};
  std::optional<std::string> path{};
  std::optional<std::string> tensor_key{};
};

struct TraceTolerance {  // SOL
  std::optional<double> max_atol{};
  std::optional<double> max_rtol{};
  std::optional<double> required_matched_ratio{};
  std::optional<double> max_error_cap{};
  std::optional<bool> allow_negative_inf{};
};

struct TraceWorkload {
  std::string uuid;
  std::vector<std::pair<std::string, int64_t>> axes;
  std::vector<std::pair<std::string, TraceInput>> inputs;
  std::optional<TraceTolerance> tolerance{};
};

struct TraceSolution {
  std::string name;
  std::string definition;
  std::string author;
  ordered_json spec;  // an object; kept as it is
  std::vector<TextFile> sources;
  std::optional<std::string> description{};
};

struct TraceEvaluation {
  std::string status;
  std::string hardware;
  std::map<std::string, std::string> libs;
  std::string timestamp;
  std::string log;
  std::optional<double> max_relative_error{};
  std::optional<double> max_absolute_error{};
  ordered_json extra{};           // of the correctness; null: none
  std::optional<bool> has_nan{};  // SOL
  std::optional<bool> has_inf{};  // SOL
  std::optional<double> latency_ms{};
  std::optional<double> reference_latency_ms{};
  std::optional<double> speedup_factor{};
};

struct Trace {
  std::string definition;
  TraceWorkload workload;
  std::optional<std::string> solution{};
  std::optional<TraceEvaluation> evaluation{};
};

// What a set of files holds.
struct TraceSet {
  std::vector<std::pair<std::string, TraceDefinition>> definitions{};  // with the file's name
  std::vector<std::pair<std::string, TraceWorkload>> workloads{};      // the same; of the definition in its folder
  std::vector<TraceSolution> solutions{};
  std::vector<Trace> traces{};
  std::vector<Lost> lost{};
};

Result<TraceDefinition> read_definition(const ordered_json& json, TraceDialect dialect, const std::string& file,
                                        std::vector<Lost>& lost);
Result<TraceWorkload> read_workload(const ordered_json& json, TraceDialect dialect, const std::string& file,
                                    std::vector<Lost>& lost);
Result<TraceSolution> read_solution(const ordered_json& json, const std::string& file, std::vector<Lost>& lost);
Result<Trace> read_trace(const ordered_json& json, TraceDialect dialect, const std::string& file,
                         std::vector<Lost>& lost);

ordered_json to_json(const TraceDefinition& definition);
ordered_json to_json(const TraceWorkload& workload);
ordered_json to_json(const TraceSolution& solution);
ordered_json to_json(const Trace& trace);

// Files that hold one object, or one on each line (.jsonl); other files are passed over.
Result<TraceSet> read_trace_set(const TextFiles& files, TraceDialect dialect);

// As tasks and results.
Imported to_imported(const TraceSet& set, TraceDialect dialect);
Result<Imported> read_flashinfer(const TextFiles& files);

// Traces, one on each line.
Written write_traces(const std::vector<ForeignResult>& results, TraceDialect dialect);

// A dtype of theirs as ours; "": nothing here is like it. And back.
std::string dtype_from_trace(const std::string& dtype);

}  // namespace assay::formats
