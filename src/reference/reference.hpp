// SPDX-License-Identifier: MIT
// The built-in references, by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/problem.hpp"

namespace assay::reference {

struct Reference {
  std::string name;
  std::string summary;                  // one line for --help and error messages
  std::vector<std::string> inputs;      // tensors that must be there
  std::vector<std::string> optional;    // tensors that may be there
  std::vector<std::string> parameters;  // scalars or shape variables that it reads if they are there
  std::string output;
  // Inputs in which single infinities leave enough of the output defined to be worth a test.
  std::vector<std::string> infinities_in;
  Result<Outputs> (*evaluate)(const Problem& problem);
  bool exact = false;    // for 64-bit integers of any size; the others compute in float64
  bool samples = false;  // can compute some rows alone (Problem::sample); the others compute everything
};

const std::vector<Reference>& references();

// The reference of that name, or an error that lists the names there are.
Result<Reference> find_reference(std::string_view name);

// Whether the problem names the tensors that the reference wants; says what is missing, unknown or of wrong size.
Result<void> check_arguments(const Reference& reference, const Problem& problem);

// Checks the arguments, then evaluates.
Result<Outputs> evaluate(const Reference& reference, const Problem& problem);

}  // namespace assay::reference
