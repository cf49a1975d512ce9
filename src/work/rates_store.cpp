// SPDX-License-Identifier: MIT
#include "work/rates_store.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ledger/machine.hpp"

namespace assay::work {
namespace {

std::string rates_key(const gpu::GpuModel& model) {
  return fmt::format("rates/{}", model.id);
}

std::string stored_text(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

Result<void> store_rates(Recording& recording, const gpu::GpuModel& model, const StoredRates& rates) {
  if (recording.ledger() == nullptr) return {};
  nlohmann::json list = nlohmann::json::object();
  for (const gpu::MeasuredRate& rate : rates.rates) list[rate.name] = rate.value;
  const nlohmann::json value = {
      {"device", rates.device}, {"gpu", rates.gpu}, {"time", rates.time}, {"rates", std::move(list)}};
  return recording.ledger()->set_machine_value(ledger::this_machine().id, rates_key(model),
                                               value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::optional<StoredRates> stored_rates(Recording& recording, const gpu::GpuModel& model) {
  if (recording.ledger() == nullptr) return std::nullopt;
  const auto text = recording.ledger()->machine_value(ledger::this_machine().id, rates_key(model));
  if (!text || !*text) return std::nullopt;
  const auto value = nlohmann::json::parse(**text, nullptr, false);
  if (!value.is_object() || !value.contains("rates") || !value["rates"].is_object()) return std::nullopt;
  StoredRates stored{stored_text(value, "device"), stored_text(value, "gpu"), stored_text(value, "time"), {}};
  for (const gpu::RateKind& kind : gpu::rate_kinds()) {
    const auto found = value["rates"].find(std::string(kind.name));
    if (found == value["rates"].end() || !found->is_number()) continue;
    const double rate = found->get<double>();
    if (gpu::why_implausible(rate, gpu::figure(gpu::rates_of(model), kind.name)).empty())
      stored.rates.push_back({std::string(kind.name), rate});
  }
  return stored.rates.empty() ? std::nullopt : std::optional(std::move(stored));
}

std::optional<StoredRates> stored_rates(Recording& recording, const std::string& device) {
  constexpr std::string_view kVirtual = "vgpu:";
  if (!device.starts_with(kVirtual)) return std::nullopt;
  const gpu::GpuModel* const model = gpu::find_model(std::string_view(device).substr(kVirtual.size()));
  return model == nullptr ? std::nullopt : stored_rates(recording, *model);
}

}  // namespace assay::work
