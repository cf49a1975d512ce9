// SPDX-License-Identifier: MIT
// Are the outputs of a contender right? Judged element by element against float64, and as a whole: an error several
// times that of the correctly rounded result is a precision that was given away, however wide the tolerance.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "check/compare.hpp"
#include "check/oracle.hpp"
#include "measure/input_set.hpp"
#include "measure/problem_case.hpp"

namespace assay::measure {

using OutputBytes = std::map<std::string, std::vector<uint8_t>>;

struct Accuracy {
  double error = 0;     // |got - expected| / |expected| over all elements of all outputs, in the 2-norm
  double rounding = 0;  // the same of the expected values, rounded to the output's type
  double limit = 0;     // error must stay below
  double share = 0;     // of the elements that were compared with float64
};

struct Verification {
  std::optional<std::string> mismatch;  // the first wrong element, in words
  std::optional<Error> no_verdict;      // the comparison failed: that says nothing about the outputs
  Accuracy accuracy;

  bool passed() const { return !mismatch && !no_verdict && accuracy.error <= accuracy.limit; }
  std::string text() const;  // why it did not pass
};

class Verifier {
 public:
  Verifier(const ProblemCase& problem, const check::Oracle& oracle) : problem_(problem), oracle_(oracle) {}

  // Work of the reference, in operations, beyond which only a sample of the rows is compared with it, of so much work,
  // or nothing if the reference cannot compute a sample.
  static constexpr double kMostWork = 3e10;
  static constexpr double kWorkOfSample = 5e9;
  bool knows_all() const { return problem_.work.flops.value_or(0) <= kMostWork; }
  bool knows_some() const { return knows_all() || oracle_.samples(); }

  // With NaN where nothing is known.
  Result<reference::Outputs> expected(const InputSet& inputs) const;
  // The first element that holds what was there before in both of two calls, in words: outputs of all bits set, and of
  // bytes 0xa5.
  std::optional<std::string> unwritten(const OutputBytes& after_ff, const OutputBytes& after_a5) const;
  // The first element in which two contenders differ by more than twice the tolerance, in words.
  std::optional<std::string> disagreement(const OutputBytes& accepted, const OutputBytes& outputs) const;
  Verification verify(const reference::Outputs& expected, const OutputBytes& outputs) const;

 private:
  Verification judged(const reference::Outputs& expected, const OutputBytes& outputs) const;

  const ProblemCase& problem_;
  const check::Oracle& oracle_;
};

// How many times the rounding error an honest kernel may have. Outputs of 16 bits and less are dominated by their last
// rounding; wider ones show every approximation on the way.
double accuracy_factor(spec::DType type);

uint64_t fingerprint(const OutputBytes& outputs);  // of several outputs: the sum

}  // namespace assay::measure
