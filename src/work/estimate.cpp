// SPDX-License-Identifier: MIT
#include "assay/estimate.hpp"

#include <fmt/format.h>

#include "spec/shape.hpp"
#include "work/document.hpp"
#include "work/estimate_details.hpp"
#include "work/kernel.hpp"
#include "work/rates_store.hpp"
#include "work/recording.hpp"

namespace assay::work {
namespace {

Result<EstimateReport> estimate_one(const EstimateRequest& request, const Context& context,
                                    const std::shared_ptr<EstimateDetails>& details, const std::string& device,
                                    Recording& recording) {
  const spec::KernelSpec& spec = details->spec;
  ASSAY_TRY(const spec::Configuration configuration, chosen_configuration(spec, request.choice.configuration));
  ASSAY_TRY(const spec::Shape shape,
            request.shape.empty() ? spec::first_shape(spec) : spec::parse_shape(spec, request.shape));
  EstimatingRequest how{device, request.seed, request.blocks, request.limits};
  how.several = true;
  how.measured = stored_rates(recording, device);
  ASSAY_TRY(details->estimated, estimate_case(spec, configuration, shape, how, context));
  const estimate::Estimate& estimated = details->estimated.estimate;
  details->document = document_head("estimate", spec, configuration.id(), device);
  details->document.update(estimate_document(details->estimated));
  ledger::Attempt attempt = recording.draft();
  attempt.configuration = configuration.id();
  attempt.shape = details->estimated.shape;
  attempt.verdict = "estimated";
  ASSAY_CHECK(recording.write(std::move(attempt), details->document));
  EstimateReport report;
  report.kernel = spec.kernel.name;
  report.configuration = configuration.id();
  report.device = device;
  report.shape = details->estimated.shape;
  report.time_us = estimated.time_us;
  report.low_us = estimated.low_us;
  report.high_us = estimated.high_us;
  report.lower_bound_us = estimated.lower_bound_us;
  report.limiter = estimated.limiter;
  report.sampled = details->estimated.sampled();
  if (details->estimated.measured) report.rates_measured = details->estimated.measured->time;
  for (const EstimatedStage& stage : details->estimated.stages) {
    const estimate::Estimate& part = stage.estimate;
    report.stages.push_back({stage.name, part.time_us, part.low_us, part.high_us, part.lower_bound_us, part.limiter});
  }
  for (const estimate::Resource& resource : estimated.resources)
    report.resources.push_back({resource.name, resource.time_us, resource.share});
  report.details = details;
  return report;
}

}  // namespace

Result<EstimateReport> estimate(const EstimateRequest& request, const Context& context) {
  const auto details = std::make_shared<EstimateDetails>();
  ASSAY_TRY(details->spec, spec::load(request.choice.kernel));
  ASSAY_TRY(const std::string device, virtual_device_for(details->spec, request.choice.device));
  if (!device::is_virtual(device))
    return Error{fmt::format("{} measures: there is nothing to estimate", device),
                 {},
                 "assay bench measures; choose the GPU to estimate for with --device vgpu:..."};
  ASSAY_TRY(Recording recording, Recording::open(request.record, context,
                                                 {ledger::Kind::profile, &details->spec, request.choice.configuration,
                                                  device, request.seed}));
  return recording.close(estimate_one(request, context, details, device, recording));
}

std::string to_json(const EstimateReport& report) {
  return document_text(report.details->document);
}

}  // namespace assay::work
