// SPDX-License-Identifier: MIT
// Kernels, suites and measured cases for tests, made up but complete.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "../support/temporary_folder.hpp"
#include "judge/comparison_json.hpp"
#include "judge/json_fields.hpp"
#include "suite/plan.hpp"
#include "suite/row.hpp"

namespace assay::suite {

inline std::string kernel_text(const std::string& name) {
  return fmt::format(R"toml([kernel]
name = "{}"
source = "k.cu"
entry = "k"
targets = ["sm_80"]
[problem]
reference = "copy"
[[argument]]
name = "x"
tensor = {{ dtype = "{{dtype}}", shape = ["N"] }}
[[argument]]
name = "y"
tensor = {{ dtype = "{{dtype}}", shape = ["N"], output = true }}
[launch]
grid = ["ceil_div(N, BLOCK)"]
block = ["BLOCK"]
[tunable]
BLOCK = [64, 128]
constraints = ["N % BLOCK == 0 || N < 1000"]
[shapes]
constraints = ["N != 13"]
defaults = {{ dtype = "f32" }}
canonical = [{{ N = 64 }}, {{ N = 1024, dtype = "f16" }}]
edges = {{ N = [1, 13, 65], causal = [false, true] }}
[baseline.mine]
provider = "torch_compile"
)toml",
                     name);
}

// A folder with the kernels a and b.
class SuiteFiles {
 public:
  SuiteFiles() {
    for (const char* name : {"a", "b"}) {
      folder_.write(std::string(name) + "/kernel.toml", kernel_text(name));
      folder_.write(std::string(name) + "/k.cu", "extern \"C\" __global__ void k(const float* x, float* y) {}\n");
    }
  }

  const TemporaryFolder& folder() const { return folder_; }
  Result<Suite> read(const std::string& text) const { return parse(text, "suite.toml", folder_.path()); }
  Result<Plan> plan(const std::string& text) const {
    ASSAY_TRY(const Suite suite, read(text));
    return make_plan(suite);
  }

 private:
  TemporaryFolder folder_;
};

struct FakeBaseline {
  std::string name = "sdpa";
  double ratio = 0.5;  // candidate / baseline
  double p = 1e-9;
  judge::Verdict verdict = judge::Verdict::faster;
  bool good = true;
};

// The JSON of a bench's case. `guard_failed`: the candidate was rejected; `failure`: it could not be run.
inline std::string case_document(const std::string& shape, double p50_us, const std::vector<FakeBaseline>& baselines,
                                 bool guard_failed = false, const std::string& failure = "") {
  using nlohmann::json;
  const bool good = !guard_failed && failure.empty();
  json candidate = {{"name", "candidate"},
                    {"good", good},
                    {"objection", guard_failed ? "fingerprint: outputs differ" : failure},
                    {"guards", json::array({{{"guard", "fingerprint"},
                                             {"state", guard_failed ? "failed" : "passed"},
                                             {"detail", guard_failed ? "outputs differ" : ""}}})}};
  if (failure.empty()) candidate["measured"] = {{"p50_us", p50_us}};
  json contenders = json::array({candidate});
  for (const FakeBaseline& each : baselines) {
    judge::Comparison comparison;
    comparison.verdict = each.verdict;
    comparison.ratio = each.ratio;
    comparison.interval = {each.ratio * 0.98, each.ratio * 1.02};
    comparison.p = each.p;
    json contender = {{"name", each.name},
                      {"good", each.good},
                      {"objection", each.good ? "" : "it lies"},
                      {"guards", json::array()},
                      {"measured", {{"p50_us", judge::number(p50_us / each.ratio)}}}};
    if (failure.empty()) contender["comparison"] = judge::to_json(comparison);
    contenders.push_back(contender);
  }
  return json{{"shape", shape}, {"contenders", contenders}}.dump();
}

}  // namespace assay::suite
