// SPDX-License-Identifier: MIT
// The words that [expect] may use.
#include "spec/kernel_spec.hpp"

namespace assay::spec {

const std::vector<std::string>& expected_verdicts() {
  static const std::vector<std::string> words{"finding",      "incorrect", "does_not_fit",
                                              "build_failed", "crash",     "timeout"};
  return words;
}

const std::vector<std::string>& expected_kinds() {
  static const std::vector<std::string> words{"misaligned",
                                              "out_of_bounds",
                                              "null",
                                              "freed",
                                              "uninitialised",
                                              "race",
                                              "barrier",
                                              "async_copy",
                                              "trap",
                                              "assert",
                                              "instruction_limit",
                                              "deadlock",
                                              "stack",
                                              "illegal_address",
                                              "invalid_free",
                                              "illegal_instruction",
                                              "nan",
                                              "wrong_value",
                                              "unwritten",
                                              "input_changed",
                                              "red_zone"};
  return words;
}

const std::vector<std::string>& expected_spaces() {
  static const std::vector<std::string> words{"global", "shared", "local", "constant", "param", "generic"};
  return words;
}

}  // namespace assay::spec
