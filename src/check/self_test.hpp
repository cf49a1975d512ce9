// SPDX-License-Identifier: MIT
// Can this check fail at all? Wrong copies of the expected output go through the same comparison as the kernel's, and
// each must be caught; the reference must depend on its inputs. A tolerance that takes a wrong copy for right, a
// reference that says the same of everything or nothing at all, or a comparison that accepts whatever it is given,
// makes every kernel "correct".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check/cases.hpp"
#include "reference/problem.hpp"
#include "spec/kernel_spec.hpp"
#include "spec/resolved_argument.hpp"

namespace assay::check {

enum class Perturbation {
  element,           // the largest element is zero, as where nothing was added up
  row,               // a row holds its neighbour's values, as after an index that is off by one
  beyond_tolerance,  // one element, by the first number of its type that the tolerance does not allow
  nan,               // one element; integers have none
  everything,        // all elements of all outputs are rubbish; for a comparison of the user's
};

std::string_view name(Perturbation perturbation);
std::optional<Perturbation> perturbation_from_name(std::string_view text);

struct PerturbationTrial {
  Perturbation perturbation = Perturbation::element;
  std::string tensor;
  std::vector<int64_t> index;  // of the element, or of the first in the row
  double expected = 0;
  double planted = 0;
  double allowed = 0;  // atol + rtol * |expected|, or what rounding takes
  bool caught = false;
};

struct SelfTest {
  Case test;                              // whose expected output was perturbed
  std::vector<PerturbationTrial> trials;  // those that the outputs allow: equal rows cannot be exchanged
  bool inputs_vary = false;               // between two seeds
  bool results_vary = false;              // of the reference, between the same two
  std::vector<std::string> suspicions;    // about the reference: such as an output of equal values
  bool by_function = false;               // a comparison of the user's judges: several results may be right

  // The first that was not caught. A function of the user's may have reasons to take some of them for right, but not
  // all: one is missed if none was caught.
  const PerturbationTrial* missed() const;
  bool reference_ignores_inputs() const { return inputs_vary && !results_vary; }
};

// What the comparison says of wrong copies of one output.
std::vector<PerturbationTrial> try_perturbations(const std::string& name, const spec::ResolvedTensor& tensor,
                                                 const reference::NumbersView& expected,
                                                 const spec::Tolerance& tolerance);

// A wrong copy of one output that a kernel wrote, for a comparison of the user's; what it says of it is still open.
struct WrongCopy {
  PerturbationTrial trial;
  reference::Numbers values;
};
std::vector<WrongCopy> wrong_copies(const std::string& name, const spec::ResolvedTensor& tensor,
                                    const reference::NumbersView& written);
// Numbers that have nothing to do with the problem, as its type holds them.
std::vector<double> rubbish(const spec::ResolvedTensor& tensor);

// The same values everywhere, NaN for NaN.
bool same_results(const reference::Outputs& one, const reference::Outputs& other);

// "y: all 40 values are 0.5", or "".
std::string suspicion_of(const reference::Tensor& output);

std::string describe(const PerturbationTrial& trial);  // "o[0, 3] = 0 passes where 1.5 is expected (off by up to 9 ..."

}  // namespace assay::check
