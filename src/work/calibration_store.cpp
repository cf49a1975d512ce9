// SPDX-License-Identifier: MIT
#include "work/calibration_store.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "judge/gate_json.hpp"
#include "ledger/machine.hpp"

namespace assay::work {
namespace {

std::string key(const gpu::GpuModel& model) {
  return fmt::format("calibration/{}", model.name);
}

}  // namespace

Result<void> store_calibration(Recording& recording, const gpu::GpuModel& model,
                               const judge::Calibration& calibration) {
  if (recording.ledger() == nullptr) return {};
  return recording.ledger()->set_machine_value(ledger::this_machine().id, key(model),
                                               judge::to_json(calibration).dump());
}

std::optional<judge::Calibration> stored_calibration(Recording& recording, const gpu::GpuModel& model) {
  if (recording.ledger() == nullptr) return std::nullopt;
  const auto text = recording.ledger()->machine_value(ledger::this_machine().id, key(model));
  if (!text || !*text) return std::nullopt;
  const auto json = nlohmann::json::parse(**text, nullptr, false);
  auto calibration = judge::calibration_from_json(json);
  return calibration ? std::optional(std::move(*calibration)) : std::nullopt;
}

}  // namespace assay::work
