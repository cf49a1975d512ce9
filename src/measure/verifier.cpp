// SPDX-License-Identifier: MIT
#include "measure/verifier.hpp"

#include <cmath>
#include <fmt/format.h>

#include "check/element.hpp"
#include "check/poison.hpp"
#include "check/reference_mistake.hpp"
#include "measure/fingerprint.hpp"

namespace assay::measure {

double accuracy_factor(spec::DType type) {
  constexpr double kNarrow = 4;
  constexpr double kWide = 64;
  return spec::size_bytes(type) <= 2 ? kNarrow : kWide;
}

uint64_t fingerprint(const OutputBytes& outputs) {
  uint64_t sum = 0;
  for (const auto& [name, bytes] : outputs) sum += fingerprint(std::span(bytes));
  return sum;
}

std::string Verification::text() const {
  if (mismatch) return *mismatch;
  return fmt::format(
      "the error of the whole output is {:.3g}, that of a correctly rounded one {:.3g}; at most {:.3g} is honest",
      accuracy.error, accuracy.rounding, accuracy.limit);
}

Result<reference::Outputs> Verifier::expected(const InputSet& inputs) const {
  ASSAY_TRY(const check::InputValues values, inputs.values(problem_));
  reference::RowSample sample;
  if (!knows_all()) sample = {kWorkOfSample / *problem_.work.flops, inputs.seed};
  ASSAY_TRY(reference::Outputs outputs,
            oracle_.expected(*problem_.spec, problem_.shape, problem_.arguments, values, sample));
  if (!knows_all()) return outputs;
  std::vector<check::WantedOutput> wanted;
  for (const spec::ResolvedArgument* output : problem_.outputs()) wanted.push_back({output->name, *output->tensor()});
  const auto mistake = check::mistake_of_reference(*problem_.spec, wanted, outputs, check::Distribution::specified);
  if (mistake)
    return Error{fmt::format("the reference '{}' is to blame, not the kernel: {} (shape {})",
                             problem_.spec->problem.reference, mistake->message, problem_.shape.text()),
                 problem_.spec->problem.reference_place, mistake->hint};
  return outputs;
}

std::optional<std::string> Verifier::unwritten(const OutputBytes& after_ff, const OutputBytes& after_a5) const {
  for (const spec::ResolvedArgument* output : problem_.outputs()) {
    const auto positions =
        check::unwritten(*output->tensor(), after_ff.at(output->name), after_a5.at(output->name), check::Poison::ff);
    if (!positions.empty())
      return fmt::format("element {} of '{}' (row-major) was not written", positions.front(), output->name);
  }
  return std::nullopt;
}

std::optional<std::string> Verifier::disagreement(const OutputBytes& accepted, const OutputBytes& outputs) const {
  for (const spec::ResolvedArgument* output : problem_.outputs()) {
    const spec::ResolvedTensor& tensor = *output->tensor();
    spec::Tolerance tolerance = spec::tolerance(*problem_.spec, output->name, tensor.dtype);
    tolerance.atol *= 2;
    tolerance.rtol *= 2;
    const check::Comparison comparison = check::compare(tensor, check::decode(tensor, accepted.at(output->name)),
                                                        check::decode(tensor, outputs.at(output->name)), tolerance);
    if (!comparison.passed()) return check::describe(output->name, *comparison.first);
  }
  return std::nullopt;
}

// A function of the user's has the word instead of tolerances; then nothing is known of the accuracy.
Verification Verifier::judged(const reference::Outputs& expected, const OutputBytes& outputs) const {
  Verification verification;
  verification.accuracy.share = 1;
  check::InputValues got;
  for (const spec::ResolvedArgument* output : problem_.outputs()) {
    const auto bytes = outputs.find(output->name);
    if (bytes == outputs.end()) {
      verification.mismatch = fmt::format("there is no output '{}'", output->name);
      return verification;
    }
    got[output->name] = check::decode(*output->tensor(), bytes->second);
  }
  const auto verdict = oracle_.judge(*problem_.spec, problem_.shape, problem_.arguments, expected, got);
  if (verdict) verification.mismatch = *verdict;
  if (!verdict) verification.no_verdict = verdict.error();
  return verification;
}

Verification Verifier::verify(const reference::Outputs& expected, const OutputBytes& outputs) const {
  if (oracle_.judges()) return judged(expected, outputs);
  Verification verification;
  double error = 0;
  double rounding = 0;
  double norm = 0;
  double factor = 0;
  size_t compared = 0;
  size_t elements = 0;
  for (const spec::ResolvedArgument* output : problem_.outputs()) {
    const spec::ResolvedTensor& tensor = *output->tensor();
    const auto wanted = expected.find(output->name);
    const auto bytes = outputs.find(output->name);
    if (wanted == expected.end() || bytes == outputs.end()) {
      verification.mismatch = fmt::format("there is no output '{}'", output->name);
      return verification;
    }
    const reference::Numbers read = check::decode(tensor, bytes->second);
    const std::vector<double>& got = read.values;
    const std::vector<double>& values = wanted->second.values;
    const check::Comparison comparison =
        check::compare(tensor, wanted->second, read, spec::tolerance(*problem_.spec, output->name, tensor.dtype));
    if (!comparison.passed()) {
      verification.mismatch = check::describe(output->name, *comparison.first);
      return verification;
    }
    factor = std::max(factor, accuracy_factor(tensor.dtype));
    elements += values.size();
    compared += values.size() - static_cast<size_t>(comparison.undefined);
    for (size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i]) || !std::isfinite(got[i])) continue;
      const double rounded = check::round_to(tensor.dtype, values[i]);
      if (!std::isfinite(rounded)) continue;  // that would excuse everything else
      error += (got[i] - values[i]) * (got[i] - values[i]);
      rounding += (rounded - values[i]) * (rounded - values[i]);
      norm += values[i] * values[i];
    }
  }
  Accuracy& accuracy = verification.accuracy;
  accuracy.share = elements == 0 ? 0 : static_cast<double>(compared) / static_cast<double>(elements);
  const double scale = norm > 0 ? 1 / std::sqrt(norm) : 0;
  accuracy.error = std::sqrt(error) * scale;
  accuracy.rounding = std::sqrt(rounding) * scale;
  // Results that are exact in the type (sums of small integers) leave a rounding error of nothing to multiply.
  accuracy.limit = factor * std::max(accuracy.rounding, norm > 0 ? 0x1p-24 : 0.0);
  return verification;
}

}  // namespace assay::measure
