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
  if (text && !*text) return std::nullopt;
  auto calibration = text ? judge::calibration_from_json(nlohmann::json::parse(**text, nullptr, false))
                          : Result<judge::Calibration>(text.error());
  if (calibration) return std::move(*calibration);
  recording.complain(
      fmt::format("the calibration of this machine is damaged and not used ({}); assay calibrate makes one",
                  calibration.error().message));
  return std::nullopt;
}

}  // namespace assay::work
