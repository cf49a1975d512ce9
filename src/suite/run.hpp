// SPDX-License-Identifier: MIT
// Takes a plan through to its rows, from where an earlier run was stopped.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "ledger/ledger.hpp"
#include "suite/plan.hpp"
#include "suite/row.hpp"

namespace assay::suite {

// An item that is still to be measured.
struct Pending {
  const Group* group = nullptr;
  const Item* item = nullptr;
};

// Measures. A command has one that uses the GPU.
class Runner {
 public:
  // Called for each item in order, as soon as it is stored, with the attempt that it has been stored as; an error of it
  // ends the measurement.
  using OnFinished = std::function<Result<void>(Row row)>;

  virtual ~Runner() = default;
  // Told before anything is measured what will be asked for, in order: for whoever can measure several at once. An
  // error ends the run.
  virtual Result<void> expect(const std::vector<Pending>& /*items*/) { return {}; }
  // Builds. What fails here fails all items of the group.
  virtual Result<void> prepare(const Group& group) = 0;
  // Measures these items of the group that was prepared last.
  virtual Result<void> measure(const Group& group, const std::vector<const Item*>& items,
                               const OnFinished& on_finished) = 0;
  // Stores that an item could not be measured. An error ends the run: what cannot be stored cannot be resumed.
  virtual Result<std::optional<int64_t>> record_failure(const Group& group, const Item& item, const Error& error) = 0;
};

// Where a suite's finished items are kept. Without a ledger nothing is, and every run begins anew.
struct Work {
  ledger::Ledger* ledger = nullptr;
  std::string suite;  // hash of the plan's meaning and of what else figures depend on: device, driver, version, seed
};

struct RunOptions {
  bool restart = false;
  // Told before anything is measured how many items earlier runs have finished.
  std::function<void(size_t finished, size_t runnable)> on_start = [](size_t, size_t) {};
  std::function<void(const Row&)> on_row = [](const Row&) {};  // each that this run adds
};

// One row for each item, in the plan's order. A failed item is a row with its reason, and the others go on.
Result<std::vector<Row>> run(const Plan& plan, const Work& work, Runner& runner, const RunOptions& options = {});

}  // namespace assay::suite
