// SPDX-License-Identifier: MIT
#include "assay/rates.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/elapsed.hpp"
#include "device/cuda/nvml.hpp"
#include "ledger/time_text.hpp"
#include "measure/cuda/rate_probes.hpp"
#include "work/document.hpp"
#include "work/measuring.hpp"
#include "work/rates_store.hpp"

namespace assay::work {
namespace {

using device::cuda::CudaDevice;

// Nothing can be learnt of a GPU on which others compute. Without NVML that is not known.
Result<void> check_alone(const CudaDevice& gpu) {
  const auto state = device::cuda::read_state(gpu.ordinal());
  if (!state) return {};
  const auto own = static_cast<unsigned>(::getpid());
  const auto others =
      std::ranges::count_if(state->processes, [&](const device::cuda::GpuProcess& each) { return each.pid != own; });
  if (others == 0) return {};
  return Error{fmt::format("{} is used by others: its rates would be those of what they leave", gpu.name()),
               {},
               "end them (assay doctor names them), or choose another GPU with --device",
               ExitCode::environment};
}

// The model that this GPU is of. Not that of a product of which this is a part (MIG): its rates are another's.
const gpu::GpuModel* model_of_gpu(const CudaDevice& gpu) {
  const gpu::GpuModel* const model = gpu.known_product() ? gpu::find_model(gpu.model().id) : nullptr;
  return model != nullptr && model->sm_count == gpu.model().sm_count ? model : nullptr;
}

RatesReport compared_rates(const CudaDevice& gpu, const std::vector<gpu::MeasuredRate>& measured) {
  RatesReport report;
  report.device = gpu.name();
  report.gpu = gpu.model().name;
  const gpu::GpuModel* const model = model_of_gpu(gpu);
  if (model != nullptr) report.model = model->id;
  for (const gpu::RateKind& kind : gpu::rate_kinds()) {
    const auto found = std::ranges::find(measured, kind.name, &gpu::MeasuredRate::name);
    if (found == measured.end()) continue;
    ComparedRate rate{found->name, std::string(kind.unit), found->value, std::nullopt, ""};
    if (model != nullptr) rate.model = gpu::figure(gpu::rates_of(*model), kind.name);
    rate.refused = gpu::why_implausible(rate.measured, rate.model.value_or(rate.measured));
    if (!rate.refused.empty()) report.exit_code = ExitCode::inconclusive;
    report.rates.push_back(std::move(rate));
  }
  return report;
}

Result<void> keep_rates(RatesReport& report, Recording& recording) {
  if (report.model.empty()) {
    report.not_stored = "there is no model of this GPU, so that no estimate could use them";
    return {};
  }
  if (recording.ledger() == nullptr) {
    report.not_stored = "there is no ledger";
    return {};
  }
  StoredRates stored{report.device, report.gpu, report.time, {}};
  for (const ComparedRate& rate : report.rates) {
    if (rate.refused.empty()) stored.rates.push_back({rate.name, rate.measured});
  }
  if (stored.rates.empty()) {
    report.not_stored = "none of them can be right";
    return {};
  }
  ASSAY_CHECK(store_rates(recording, *gpu::find_model(report.model), stored));
  report.stored = true;
  return {};
}

}  // namespace

Result<RatesReport> measure_rates(const RatesRequest& request, const Context& context) {
  ASSAY_TRY(const MeasuredDevice device, measured_device(request.device, "doctor --rates"));
  ASSAY_TRY(const device::cuda::Driver* driver, device::cuda::Driver::load());
  const int count = device::cuda::device_count();
  if (device.ordinal < 0 || device.ordinal >= count)
    return Error{fmt::format("there is no device '{}'", device.name),
                 {},
                 count == 0 ? "run it on a machine with an NVIDIA GPU"
                            : fmt::format("this machine has cuda:0 to cuda:{}", count - 1),
                 ExitCode::environment};
  ASSAY_TRY(const std::unique_ptr<CudaDevice> gpu, CudaDevice::open(*driver, device.ordinal));
  ASSAY_CHECK(check_alone(*gpu));
  ASSAY_TRY(Recording recording, Recording::open(request.record, context, {}));
  const auto start = std::chrono::steady_clock::now();
  ASSAY_TRY(const std::vector<gpu::MeasuredRate> measured, measure::cuda::probe_rates(*gpu, context));
  RatesReport report = compared_rates(*gpu, measured);
  report.seconds = seconds_since(start);
  report.time = ledger::iso_time(ledger::now_us());
  ASSAY_CHECK(keep_rates(report, recording));
  return report;
}

std::string to_json(const RatesReport& report) {
  nlohmann::json list = nlohmann::json::array();
  for (const ComparedRate& rate : report.rates) {
    nlohmann::json entry = {{"name", rate.name},         {"unit", rate.unit},
                            {"measured", rate.measured}, {"model", nullptr},
                            {"ratio", nullptr},          {"kept", rate.refused.empty() && report.stored},
                            {"refused", rate.refused}};
    if (rate.model) entry.update({{"model", *rate.model}, {"ratio", rate.measured / *rate.model}});
    list.push_back(std::move(entry));
  }
  nlohmann::json document = document_head("doctor");
  document.update({{"known", "measured"},
                   {"device", report.device},
                   {"gpu", report.gpu},
                   {"model", report.model},
                   {"time", report.time},
                   {"seconds", report.seconds},
                   {"rates", std::move(list)},
                   {"stored", report.stored},
                   {"not_stored", report.not_stored}});
  return document_text(document);
}

}  // namespace assay::work
