// SPDX-License-Identifier: MIT
#include "work/suite_item.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "device/cuda/nvml.hpp"
#include "device/open/open_device.hpp"
#include "ledger/machine.hpp"
#include "measure/measurement_json.hpp"
#include "work/document.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

struct Found {
  const suite::Group* group = nullptr;
  const suite::Item* item = nullptr;
};

// The key holds the sources' state: a worker that sees other files does not find it.
Result<Found> find_item(const suite::Plan& plan, const std::string& key) {
  for (const suite::Group& group : plan.groups) {
    for (const suite::Item& item : group.items) {
      if (item.key == key) return Found{&group, &item};
    }
  }
  return Error{fmt::format("the suite has no item '{}' here", key), Place{plan.file},
               "the suite, its kernels and baselines must be the same wherever workers run", ExitCode::environment};
}

Result<MeasuredItem> measure(const suite::Group& group, const suite::Item& item, const std::string& device,
                             uint64_t seed, const Context& context) {
  ASSAY_TRY(Bench bench, prepare_bench(*group.spec, request_of(group, device, seed), context));
  bench.request.shapes = {item.shape};
  bench.request.compare = compare_options(seed);
  std::optional<MeasuredItem> made;
  bench.request.on_case = [&](measure::CaseMeasurement measured) -> Result<void> {
    made.emplace();
    made->measured = std::move(measured);
    return {};
  };
  ASSAY_CHECK(measure::bench(bench.request));
  if (!made) return Error{"it was not measured", {}, {}, ExitCode::internal};
  ledger::Attempt attempt;
  describe_build(attempt, bench.built);
  made->source_hash = attempt.source_hash;
  made->cubin_hash = attempt.cubin_hash;
  made->machine = ledger::this_machine().id;
  return std::move(*made);
}

}  // namespace

MeasureRequest request_of(const suite::Group& group, const std::string& device, uint64_t seed) {
  MeasureRequest request;
  request.configuration = group.spec->tunable.tunables.empty() ? "" : group.configuration.id();
  request.device = device;
  request.baselines = group.baselines;
  request.candidate = group.candidate;
  request.seed = seed;
  Measuring& measuring = request.measuring;
  measuring.shape = group.items.front().shape.text();
  measuring.protocol = group.measuring.protocol;
  measuring.cache = group.measuring.cache;
  measuring.sets = group.measuring.sets;
  measuring.samples = group.measuring.samples;
  measuring.most_samples = group.measuring.most_samples;
  measuring.width = group.measuring.width;
  measuring.budget_s = group.measuring.budget_s;
  return request;
}

std::string gpu_line(const std::string& gpu, int ordinal) {
  const auto state = device::cuda::read_state(ordinal);
  return state ? fmt::format("{}, driver {}", gpu, state->driver_version) : gpu;
}

json item_document(const MeasuredItem& item) {
  return {{"measured", measure::to_json(item.measured)},
          {"source_hash", item.source_hash},
          {"cubin_hash", item.cubin_hash},
          {"machine", item.machine}};
}

std::optional<MeasuredItem> item_from(const json& document) {
  try {
    auto measured = measure::measurement_from_json(document.at("measured"));
    if (!measured || measured->contenders.empty()) return std::nullopt;
    return MeasuredItem{std::move(*measured), document.at("source_hash"), document.at("cubin_hash"),
                        document.at("machine")};
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

Result<std::string> suite_item(const SuiteItemRequest& request, const Context& context) {
  ASSAY_TRY(const MeasuredDevice device, measured_device(request.device, "suite"));
  ASSAY_TRY(const std::unique_ptr<device::Device> gpu, device::open_device(device.name));
  const std::string line = gpu_line(std::string(gpu->model().name), device.ordinal);
  if (!request.gpu.empty() && request.gpu != line)
    return Error{fmt::format("this is another GPU: {}, not {}", line, request.gpu),
                 {},
                 "all workers of a suite need the same model and driver",
                 ExitCode::environment};
  json document = document_head("suite");
  document.update({{"device", device.name}, {"gpu", line}, {"model", gpu->model().name}, {"item", request.item}});
  if (request.item != "device") {
    ASSAY_TRY(const suite::Suite suite, suite::load(request.file));
    ASSAY_TRY(const suite::Plan plan, suite::make_plan(suite));
    ASSAY_TRY(const Found found, find_item(plan, request.item));
    ASSAY_TRY(const MeasuredItem measured, measure(*found.group, *found.item, device.name, request.seed, context));
    document.update(item_document(measured));
  }
  return document_text(document);
}

}  // namespace assay::work
