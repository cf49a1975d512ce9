// SPDX-License-Identifier: MIT
// What a session knows of one contender.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "measure/session.hpp"

namespace assay::measure {

struct Session::State {
  struct Starting {
    std::unique_ptr<Provider> process;
    std::future<Result<void>> ready;
  };

  struct Waiting {
    std::unique_ptr<Provider> process;
    std::optional<Error> failure;  // for which its contender is out when its turn comes
  };

  size_t index = 0;
  const Contender* contender = nullptr;
  std::unique_ptr<Provider> process;
  std::vector<Starting> starting;                  // beside what else is done
  std::vector<Waiting> ahead;                      // prepared, and waiting for their turn
  std::vector<std::unique_ptr<Provider>> retired;  // that had their turn, until all of them end
  ContenderResult* result = nullptr;
  Random placements{0};                           // of its memory, round after round
  std::vector<std::vector<OutputBytes>> outputs;  // of the untimed calls, by set, until they are verified
  std::vector<uint64_t> fingerprints;             // of verified outputs, by set
  size_t processes = 0;                           // before the one that runs
  size_t other_bits = 0;                          // processes that computed other bits than the one before
  std::optional<Error> no_verdict;                // of a comparison of its outputs, for a reason that is not theirs
  bool candidate = false;

  Provider& provider() const { return *process; }
  bool out() const { return result->failure.has_value(); }
};

}  // namespace assay::measure
