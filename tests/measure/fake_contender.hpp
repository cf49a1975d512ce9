// SPDX-License-Identifier: MIT
// A problem in a folder of its own and contenders that need no GPU: fake_provider.py.
#pragma once

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "../support/temporary_folder.hpp"
#include "base/process.hpp"
#include "measure/contender.hpp"
#include "measure/problem_case.hpp"

#define ASSAY_NEEDS_PYTHON() \
  if (::assay::find_program("python3").empty()) GTEST_SKIP() << "python3 is not here: the fake provider needs it"

namespace assay::measure {

inline Contender fake_contender(const std::string& name, const std::vector<std::string>& arguments = {}) {
  // -S and -E: nothing of this machine's Python is wanted, and it starts faster.
  Contender contender{name, "command", {find_program("python3").string(), "-S", "-E", "-B"}, {}, false};
  contender.arguments.push_back(ASSAY_SOURCE_DIR "/tests/measure/fake_provider.py");
  contender.arguments.insert(contender.arguments.end(), arguments.begin(), arguments.end());
  return contender;
}

// `problem` holds further lines of [problem], `rest` whatever else.
inline std::string row_sum_toml(const std::string& problem = "", const std::string& rest = "") {
  return R"toml([kernel]
name = "sum"
source = "sum.cu"
entry = "row_sum"
targets = ["sm_80"]
[problem]
reference = "row_reduction"
)toml" + problem +
         R"toml(
[[argument]]
name = "x"
tensor = { dtype = "f32", shape = ["ROWS", "COLUMNS"], fill = "normal" }
[[argument]]
name = "y"
tensor = { dtype = "f32", shape = ["ROWS"], output = true }
[[argument]]
name = "COLUMNS"
scalar = { type = "i32", value = "COLUMNS" }
[launch]
grid = ["ROWS"]
block = ["32"]
[shapes]
canonical = [{ ROWS = 8, COLUMNS = 12 }]
[tolerance]
atol = 2e-3
rtol = 2e-3
)toml" + rest;
}

// Weight and bias that are constant in the specification, as those of a fresh model are.
inline std::string layer_norm_toml() {
  return R"toml([kernel]
name = "norm"
source = "sum.cu"
entry = "norm"
targets = ["sm_80"]
[problem]
reference = "layer_norm"
[[argument]]
name = "x"
tensor = { dtype = "f32", shape = ["ROWS", "COLUMNS"], fill = "normal" }
[[argument]]
name = "weight"
tensor = { dtype = "f32", shape = ["COLUMNS"], fill = "ones" }
[[argument]]
name = "bias"
tensor = { dtype = "f32", shape = ["COLUMNS"], fill = "zeros" }
[[argument]]
name = "y"
tensor = { dtype = "f32", shape = ["ROWS", "COLUMNS"], output = true }
[launch]
grid = ["ROWS"]
block = ["32"]
[shapes]
canonical = [{ ROWS = 3, COLUMNS = 8 }]
[tolerance]
atol = 1e-3
rtol = 1e-3
)toml";
}

// A kernel.toml in a folder of its own, with its first shape resolved. The kernel itself is never built.
class ProblemFolder {
 public:
  explicit ProblemFolder(const std::string& toml = row_sum_toml()) {
    folder_.write("sum.cu", "// only the specification matters here\n");
    folder_.write("kernel.toml", toml);
    auto spec = spec::load(folder_.path());
    EXPECT_TRUE(spec.ok()) << (spec ? "" : to_string(spec.error()));
    if (!spec) return;
    spec_ = std::move(*spec);
    const auto configuration = spec::default_configuration(spec_);
    const auto shape = spec::first_shape(spec_);
    EXPECT_TRUE(configuration.ok() && shape.ok());
    auto problem = ProblemCase::make(spec_, *configuration, *shape);
    EXPECT_TRUE(problem.ok()) << (problem ? "" : to_string(problem.error()));
    if (problem) problem_ = std::move(*problem);
  }
  ProblemFolder(const ProblemFolder&) = delete;

  const TemporaryFolder& folder() const { return folder_; }
  const spec::KernelSpec& spec() const { return spec_; }
  const ProblemCase& problem() const { return problem_; }

 private:
  TemporaryFolder folder_;
  spec::KernelSpec spec_;
  ProblemCase problem_;
};

inline bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace assay::measure
