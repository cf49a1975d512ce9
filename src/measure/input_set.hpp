// SPDX-License-Identifier: MIT
// Inputs of a case, as files that every contender reads: the same bytes for all of them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/result.hpp"
#include "base/scratch_files.hpp"
#include "check/oracle.hpp"
#include "measure/problem_case.hpp"

namespace assay::measure {

enum class Draw {
  as_specified,
  random_floats,  // floating-point tensors whose fill has no randomness (zeros, ones) are normal instead
};

struct InputSet {
  uint64_t seed = 0;
  ArgumentFiles files;
  std::map<std::string, std::string> hashes;  // of the files' contents

  // Its files are those that `scratch` calls PREFIX.ARGUMENT. Tensors are drawn on all cores.
  static Result<InputSet> make(const ProblemCase& problem, uint64_t seed, ScratchFiles& scratch,
                               const std::string& prefix, Draw draw = Draw::as_specified);
  // The elements, as a reference wants them.
  Result<check::InputValues> values(const ProblemCase& problem) const;
};

// `count` sets, called PREFIX0, PREFIX1, ..., with seeds drawn from `random`.
Result<std::vector<InputSet>> make_input_sets(const ProblemCase& problem, size_t count, Random& random,
                                              ScratchFiles& scratch, const std::string& prefix);

// The whole `prepare` request of a contender.
nlohmann::json prepare_request(const ProblemCase& problem, const Protocol& protocol, const TimingFiles& timing,
                               const std::vector<InputSet>& sets, const spec::Options& options);

// The bytes of a file that must be exactly as long as the argument.
Result<std::vector<uint8_t>> read_tensor(const std::filesystem::path& file, const spec::ResolvedArgument& argument);

}  // namespace assay::measure
