// SPDX-License-Identifier: MIT
#include "work/stored_measurement.hpp"

#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "work/measuring.hpp"

namespace assay::work {

Result<StoredMeasurement> load_measurement(ledger::Ledger& ledger, int64_t id) {
  StoredMeasurement stored;
  ASSAY_TRY(stored.attempt, ledger.attempt(id));
  if (stored.attempt.kind == ledger::Kind::imported)
    return Error{fmt::format("attempt {} was imported: what others measured is not compared with our own", id),
                 Place{ledger.file().string()}, "measure it here: assay bench"};
  const auto contract = nlohmann::json::parse(stored.attempt.contract, nullptr, false);
  if (contract.is_object()) {
    for (const auto& [field, value] : contract.items()) {
      if (value.is_string()) stored.contract.set(field, value.get<std::string>());
    }
  }
  ASSAY_TRY(const std::vector<ledger::Samples> all, ledger.samples(id));
  const auto number = [&](const char* field, size_t otherwise) {
    const std::string text = stored.contract.value(field);
    std::from_chars(text.data(), text.data() + text.size(), otherwise);
    return otherwise;
  };
  for (const ledger::Samples& samples : all) {
    if (samples.role == ledger::Role::candidate)
      stored.batches = batches_of(samples, number("protocol.batch", 1), number("protocol.batches", 0));
  }
  if (stored.batches.empty())
    return Error{
        fmt::format("attempt {} is a {} and holds no samples of a candidate", id, to_string(stored.attempt.kind)),
        Place{ledger.file().string()}, "assay log --kind measure lists measurements"};
  return stored;
}

Result<void> check_contracts(const measure::Contract& one, const measure::Contract& other, bool force) {
  const std::vector<std::string> lines = measure::differences(one, other);
  if (lines.empty() || force) return {};
  return Error{fmt::format("these figures were measured under different contracts:\n  {}", join(lines, "\n  ")),
               {},
               "measure both in the same way on the same machine; --force compares them all the same"};
}

}  // namespace assay::work
