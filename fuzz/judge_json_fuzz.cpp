// SPDX-License-Identifier: MIT
// Any JSON as what the ledger keeps of a judgement: a comparison, a calibration. What is read can be written
// and read again.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "judge/comparison_json.hpp"
#include "judge/gate_json.hpp"
#include "require.hpp"

using namespace assay;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto json = nlohmann::json::parse(data, data + size, nullptr, false);
  if (json.is_discarded()) return 0;
  const auto comparison = judge::comparison_from_json(json);
  require(comparison.ok() ? judge::comparison_from_json(judge::to_json(*comparison)).ok()
                          : !comparison.error().message.empty());
  const auto calibration = judge::calibration_from_json(json);
  require(calibration.ok() ? judge::calibration_from_json(judge::to_json(*calibration)).ok()
                           : !calibration.error().message.empty());
  return 0;
}
