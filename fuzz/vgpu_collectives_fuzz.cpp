// SPDX-License-Identifier: MIT
// Warp collectives under any masks and divergence do what the manual says: compared with a model of threads that wait
// for each other (tests/support/collective_program.hpp). A difference is printed with its kernel.
#include <cstdio>

#include "require.hpp"
#include "support/collective_run.hpp"

// The engine keeps memory for the next launch. That is no leak, but makes libFuzzer look for leaks after every input,
// which takes longer than the input.
extern "C" const char* __asan_default_options() {  // NOLINT(bugprone-reserved-identifier)
  return "detect_leaks=0";
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static assay::test::CollectiveTally tally;
  const auto difference = assay::test::compare_collectives(data, size, tally);
  if (difference) std::fputs(difference->c_str(), stderr);
  assay::fuzz::require(!difference.has_value());
  return 0;
}
