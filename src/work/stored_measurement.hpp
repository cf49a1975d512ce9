// SPDX-License-Identifier: MIT
// A measurement that lies in the ledger, ready to be compared.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "judge/batch.hpp"
#include "ledger/ledger.hpp"
#include "measure/contract.hpp"

namespace assay::work {

struct StoredMeasurement {
  ledger::Attempt attempt;
  measure::Contract contract;
  judge::Batches batches;  // of the candidate
};

// An error if the attempt is no measurement or its record is damaged.
Result<StoredMeasurement> load_measurement(ledger::Ledger& ledger, int64_t attempt);

// Refuses to go on where the contracts differ, naming how; `force` lets it pass.
Result<void> check_contracts(const measure::Contract& one, const measure::Contract& other, bool force);

}  // namespace assay::work
