// SPDX-License-Identifier: MIT
// The process that runs kernels. It is this same program, started with a hidden command; it reads a setup and then
// cases from standard input, one JSON document a line, and answers each with one line. Whatever happens to it, the
// command that started it goes on.
#pragma once

#include <chrono>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "assay/context.hpp"
#include "base/child.hpp"
#include "base/result.hpp"
#include "check/case_runner.hpp"

namespace assay::check {

inline constexpr const char* kWorkerCommand = "--worker";

// The worker's side: serves until its input ends.
int serve_worker(std::istream& input, std::ostream& output);

// What a worker reads on its standard input to run one case and end: for running it under another program's eyes.
std::string worker_script(const RunnerSetup& setup, const Case& test);
// The result in what a worker wrote after such a script, among lines that others may have added.
Result<CaseResult> worker_answer(std::string_view output, const Case& test);

// The command's side.
class Worker {
 public:
  struct Options {
    RunnerSetup setup;
    std::chrono::milliseconds time_limit{std::chrono::minutes(2)};        // of one case
    std::chrono::milliseconds setup_time_limit{std::chrono::minutes(5)};  // a reference may have to be compiled
    Context context{};                                                    // its program is the one that is started
  };

  static Result<std::unique_ptr<Worker>> start(Options options);

  // Never fails: a crash or a hang is a result. The next case gets a fresh process then.
  // The time limit is one launch's: it grows with their number.
  CaseResult run(const Case& test, size_t repetitions = 1);
  // Of the reference and the comparison; see self_test.hpp.
  Result<SelfTest> self_test(const Case& test);
  Result<CheckCosts> costs(const Case& test);
  const std::vector<std::string>& approximate_instructions() const { return approximate_; }
  const std::vector<std::string>& fusible_places() const { return fusible_; }

 private:
  explicit Worker(Options options) : options_(std::move(options)) {}
  Result<void> launch();
  Result<void> set_up(Child& child);
  Result<std::string> question(const Case& test, const char* what);
  Child::Answer ask(Child& child, const std::string& request, std::string& line,
                    std::chrono::milliseconds time_limit) const;

  Options options_;
  std::unique_ptr<Child> child_;
  std::vector<std::string> approximate_;
  std::vector<std::string> fusible_;
};

}  // namespace assay::check
