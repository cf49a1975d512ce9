// SPDX-License-Identifier: MIT
#include "check/reference_mistake.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "check/compare.hpp"
#include "check/element.hpp"

namespace assay::check {
namespace {

// Built-in references say NaN where there is no result; one that a user wrote may do so if the specification says so.
bool expects_nonfinite(const spec::KernelSpec& spec) {
  const auto option = spec.problem.options.find("nonfinite");
  const bool* said = option != spec.problem.options.end() ? std::get_if<bool>(&option->second) : nullptr;
  return !spec.problem.reference_is_file || (said != nullptr && *said);
}

std::string place_text(const WantedOutput& output, std::ptrdiff_t at) {
  return fmt::format("{}[{}]", output.name, fmt::join(index_of(output.tensor.dims, at), ", "));
}

// A number that no kernel can write is no fault of the kernel: half an integer, or one that its type cannot hold. A
// tolerance may take the nearest one for right, as where results are rounded.
std::optional<Error> out_of_reach(const spec::KernelSpec& spec, const WantedOutput& output,
                                  const std::vector<double>& values, Distribution distribution) {
  const spec::DType type = output.tensor.dtype;
  if (!spec.problem.compare.empty() || spec::is_floating(type)) return std::nullopt;
  const spec::Tolerance tolerance = tolerance_for(distribution, spec::tolerance(spec, output.name, type), type, values);
  const auto allowed = [&](double value) { return tolerance.atol + tolerance.rtol * std::abs(value); };
  const auto nearest = [&](double value) {
    return output.tensor.is_bool ? static_cast<double>(value >= 0.5) : round_to(type, value);
  };
  const auto beyond = std::ranges::find_if(
      values, [&](double value) { return std::isfinite(value) && std::abs(nearest(value) - value) > allowed(value); });
  if (beyond == values.end()) return std::nullopt;
  return Error{fmt::format("it gives {} for {}, and no {} is that near: the tolerance allows {:.3g}", *beyond,
                           place_text(output, beyond - values.begin()),
                           output.tensor.is_bool ? "bool" : spec::name(type), allowed(*beyond)),
               {},
               spec.problem.reference_is_file
                   ? "round, wrap or saturate in the reference as the kernel does; or widen [tolerance]"
                   : "choose a wider dtype for the output or smaller inputs, or write a reference of your own that "
                     "rounds, wraps or saturates as the kernel does"};
}

// From 2^53 on a result in float64 may stand for several integers. Where the tolerance takes all of them for right it
// does not matter which one is meant.
std::optional<Error> undecidable(const spec::KernelSpec& spec, const WantedOutput& output,
                                 const reference::Tensor& result, Distribution distribution) {
  const spec::DType type = output.tensor.dtype;
  if (!spec.problem.compare.empty() || integers_of(type) == reference::Integers::none || !result.words.empty())
    return std::nullopt;
  const spec::Tolerance tolerance =
      tolerance_for(distribution, spec::tolerance(spec, output.name, type), type, result.values);
  const auto doubtful = std::ranges::find_if(result.values, [&](double value) {
    if (!std::isfinite(value) || std::abs(value) < reference::kFirstInexact) return false;
    return tolerance.atol + tolerance.rtol * std::abs(value) < ulp(spec::DType::f64, value) / 2;
  });
  if (doubtful == result.values.end()) return std::nullopt;
  return Error{fmt::format("it gives {:.0f} for {} in float64, where neighbours of {} are the same number: what is "
                           "right cannot be told",
                           *doubtful, place_text(output, doubtful - result.values.begin()), spec::name(type)),
               {},
               spec.problem.reference_is_file
                   ? fmt::format("give integers exactly: assay_{}(tensor) in C++, an array of {}int64 in Python; or "
                                 "widen [tolerance]",
                                 spec::name(type), type == spec::DType::u64 ? "u" : "")
                   : "choose a fill with smaller numbers, write a reference of your own that gives integers exactly, "
                     "or widen [tolerance]"};
}

}  // namespace

std::optional<Error> mistake_of_reference(const spec::KernelSpec& spec, const std::vector<WantedOutput>& outputs,
                                          const reference::Outputs& given, Distribution distribution) {
  if (spec.problem.reference.empty()) return std::nullopt;  // a comparison of the user's knows more
  bool defined = false;
  for (const WantedOutput& output : outputs) {
    const auto tensor = given.find(output.name);
    if (tensor == given.end()) return Error{fmt::format("it gives no output '{}'", output.name)};
    const std::vector<double>& values = tensor->second.values;
    const auto strange = expects_nonfinite(spec)
                             ? values.end()
                             : std::ranges::find_if_not(values, [](double value) { return std::isfinite(value); });
    if (strange != values.end())
      return Error{fmt::format("it gives {} for {}", *strange, place_text(output, strange - values.begin())),
                   {},
                   "mend the reference; or say nonfinite = true in [problem.options], if it has no result there"};
    if (auto beyond = out_of_reach(spec, output, values, distribution)) return beyond;
    if (auto doubtful = undecidable(spec, output, tensor->second, distribution)) return doubtful;
    defined = defined || std::ranges::any_of(values, [](double value) { return !std::isnan(value); });
  }
  // Our own references know that inputs such as infinities have no result at all; those of the file must have one.
  const bool special = !spec.problem.reference_is_file && distribution != Distribution::specified;
  const bool nothing_to_compare =
      std::ranges::all_of(outputs, [](const WantedOutput& each) { return each.tensor.elements == 0; });
  if (defined || special || nothing_to_compare) return std::nullopt;
  return Error{"it has no result for any element, so nothing was compared",
               {},
               "NaN says that there is no result; at least one element of one output needs one"};
}

}  // namespace assay::check
