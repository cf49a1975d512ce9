// SPDX-License-Identifier: MIT
#include "work/tune_space.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <set>

#include "base/threads.hpp"
#include "gpu/occupancy.hpp"
#include "spec/launch.hpp"

namespace assay::work {
namespace {

// Why the configuration cannot run there, as far as that can be told without a compiler; figures that differ from one
// configuration to the next are left out, so that reasons can be counted.
Result<std::string> why_left_out(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                 const std::vector<spec::Shape>& shapes, const gpu::GpuModel& model) {
  for (const spec::Shape& shape : shapes) {
    ASSAY_TRY(const std::string reason, spec::why_not_applicable(spec, configuration, shape));
    if (!reason.empty()) return fmt::format("does not apply to {}", shape.text());
    for (const spec::StageSpec& stage : spec.stages) {
      const auto launch = spec::launch_geometry(spec, stage, configuration, shape);
      if (!launch) return std::string("the launch is not possible on any GPU (threads or blocks)");
      gpu::BlockNeeds needs;
      needs.threads = int64_t{launch->block[0]} * launch->block[1] * launch->block[2];
      needs.dynamic_shared_bytes = launch->shared_bytes;
      needs.static_shared_bytes = 0;
      needs.registers_per_thread = 16;  // the least that any kernel takes
      if (gpu::occupancy(model, needs).fit == gpu::Fit::does_not_fit)
        return needs.dynamic_shared_bytes > model.shared_bytes_per_block_optin
                   ? fmt::format("more shared memory than the {} bytes of {}", model.shared_bytes_per_block_optin,
                                 model.name)
                   : fmt::format("more threads than {} takes", model.name);
    }
  }
  return std::string();
}

tune::ParameterValue parameter_value(const spec::Value& value) {
  if (!value.is_number()) return tune::word_value(to_string(value));
  return {value.as_double(), to_string(value)};
}

constexpr size_t kDrawnForPart = 10'000;  // of a part

// Those of the rows that can run, as a space; in their order.
Result<KernelSpace> space_of(const spec::KernelSpec& spec, const std::vector<spec::ConfigurationRow>& rows,
                             const std::vector<spec::Shape>& shapes, const gpu::GpuModel& model) {
  constexpr size_t kChunk = 1024;
  std::vector<std::string> reasons(rows.size());
  std::optional<Error> problem;
  std::mutex mutex;
  std::atomic<size_t> next{0};
  const auto look = [&] {
    for (size_t first = next.fetch_add(kChunk); first < rows.size(); first = next.fetch_add(kChunk)) {
      for (size_t i = first; i < std::min(first + kChunk, rows.size()); ++i) {
        auto reason = why_left_out(spec, spec::configuration_of(spec, rows[i]), shapes, model);
        if (reason) {
          reasons[i] = *std::move(reason);
          continue;
        }
        const std::scoped_lock lock(mutex);
        problem = reason.error();
        return;
      }
    }
  };
  on_threads(rows.size() > kChunk ? core_count() : 1, look);
  if (problem) return *problem;
  std::map<std::string, size_t> counts;
  std::vector<uint16_t> kept;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!reasons[i].empty()) {
      ++counts[reasons[i]];
      continue;
    }
    kept.insert(kept.end(), rows[i].begin(), rows[i].end());
    if (rows[i].empty()) kept.push_back(0);
  }
  if (kept.empty()) {
    std::string why;
    for (const auto& [reason, count] : counts) why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", count, reason);
    return Error{fmt::format("none of the {} configurations of '{}' can run: {}", rows.size(), spec.kernel.name, why),
                 Place{spec.file.string()}, "choose another --device or --shape, or widen [tunable]"};
  }
  std::vector<tune::Parameter> parameters;
  for (const spec::Tunable& tunable : spec.tunable.tunables) {
    tune::Parameter& parameter = parameters.emplace_back(tune::Parameter{tunable.name, {}});
    for (const spec::Value& value : tunable.values) parameter.values.push_back(parameter_value(value));
  }
  if (parameters.empty()) parameters.push_back({"configuration", {tune::word_value("default")}});
  ASSAY_TRY(tune::Space space, tune::Space::make(std::move(parameters), std::move(kept)));
  return KernelSpace{&spec, std::move(space), {counts.begin(), counts.end()}};
}

Result<std::vector<spec::ConfigurationRow>> rows_of(const spec::KernelSpec& spec,
                                                    const std::vector<std::string>& only) {
  std::vector<spec::ConfigurationRow> rows;
  for (const std::string& each : only) {
    ASSAY_TRY(const spec::Configuration configuration, spec::parse_configuration(spec, each == "default" ? "" : each));
    spec::ConfigurationRow row = spec::row_of(spec, configuration);
    if (std::ranges::find(rows, row) == rows.end()) rows.push_back(std::move(row));
  }
  return rows;
}

// All legal ones; nothing if they are too many to be walked through.
Result<std::optional<std::vector<spec::ConfigurationRow>>> all_rows(const spec::KernelSpec& spec,
                                                                    const std::string& restriction, double most) {
  ASSAY_TRY(const spec::Bindings fixed, spec::parse_choices(spec, restriction));
  spec::ConfigurationTree tree(spec, fixed);
  std::vector<spec::ConfigurationRow> rows;
  ASSAY_TRY(const bool whole, tree.walk(
                                  [&](const spec::ConfigurationRow& row) -> Result<bool> {
                                    rows.push_back(row);
                                    return static_cast<double>(rows.size()) <= most;
                                  },
                                  spec::ConfigurationTree::kMostStepsOfList));
  if (!whole) return std::optional<std::vector<spec::ConfigurationRow>>();
  if (rows.empty()) {  // that says why
    ASSAY_CHECK(spec::matching_configurations(spec, restriction));
  }
  return std::optional(std::move(rows));
}

}  // namespace

spec::Configuration KernelSpace::configuration(size_t index) const {
  if (spec->tunable.tunables.empty()) return {};
  const auto row = space.row(index);
  return spec::configuration_of(*spec, {row.begin(), row.end()});
}

std::optional<size_t> KernelSpace::find(const std::string& configuration) const {
  if (spec->tunable.tunables.empty()) return 0;
  const auto values = spec::parse_choices(*spec, configuration);
  if (!values || values->size() != spec->tunable.tunables.size()) return std::nullopt;
  return space.find(spec::row_of(*spec, {*values}));
}

Result<KernelSpaces> KernelSpaces::open(const spec::KernelSpec& spec, Request request, const gpu::GpuModel& model) {
  KernelSpaces spaces(spec, std::move(request), model);
  const Request& wanted = spaces.request_;
  std::optional<std::vector<spec::ConfigurationRow>> rows;
  if (!wanted.only.empty()) {
    ASSAY_TRY(rows, rows_of(spec, wanted.only));
    spaces.combinations_ = static_cast<double>(rows->size());
  } else {
    ASSAY_TRY(const spec::Bindings fixed, spec::parse_choices(spec, wanted.restriction));
    spaces.combinations_ = spec::ConfigurationTree(spec, fixed).combinations();
    ASSAY_TRY(rows, all_rows(spec, wanted.restriction, wanted.most_listed));
  }
  if (rows) {
    spaces.legal_ = static_cast<double>(rows->size());
    ASSAY_TRY(spaces.whole_, space_of(spec, *rows, wanted.shapes, model));
    return spaces;
  }
  ASSAY_TRY(const spec::Bindings fixed, spec::parse_choices(spec, wanted.restriction));
  ASSAY_TRY(spec::ConfigurationSampler sampler, spec::ConfigurationSampler::make(spec, fixed, wanted.seed));
  spaces.sampler_ = std::make_unique<spec::ConfigurationSampler>(std::move(sampler));
  spaces.legal_ = spaces.sampler_->count();
  spaces.error_ = spaces.sampler_->error();
  return spaces;
}

Result<bool> KernelSpaces::legal(const std::string& configuration) const {
  const auto values = spec::parse_choices(*spec_, configuration);
  if (!values || values->size() != spec_->tunable.tunables.size()) return false;
  return sampler_->legal(spec::row_of(*spec_, {*values}));
}

Result<KernelSpace> KernelSpaces::part(const std::vector<std::string>& evaluated, const std::vector<std::string>& best,
                                       uint64_t round) {
  if (whole_) return std::move(*whole_);
  ASSAY_TRY(std::vector<spec::ConfigurationRow> rows, rows_of(*spec_, evaluated));
  std::set<spec::ConfigurationRow> there(rows.begin(), rows.end());
  const auto add = [&](const spec::ConfigurationRow& row) {
    if (there.insert(row).second) rows.push_back(row);
  };
  ASSAY_TRY(const std::vector<spec::ConfigurationRow> leaders, rows_of(*spec_, best));
  for (const spec::ConfigurationRow& leader : leaders) {
    for (size_t tunable = 0; tunable < leader.size(); ++tunable) {
      spec::ConfigurationRow row = leader;
      for (size_t value = 0; value < spec_->tunable.tunables[tunable].values.size(); ++value) {
        row[tunable] = static_cast<uint16_t>(value);
        ASSAY_TRY(const bool legal, sampler_->legal(row));
        if (legal) add(row);
      }
    }
  }
  Random random(request_.seed * 0x9e37 + round);
  for (size_t i = 0; i < kDrawnForPart; ++i) {
    ASSAY_TRY(const auto drawn, sampler_->draw(random));
    if (!drawn) break;
    add(*drawn);
  }
  if (rows.empty()) {  // the default one, or why there is none
    ASSAY_TRY(const spec::Configuration usual, spec::default_configuration(*spec_));
    add(spec::row_of(*spec_, usual));
  }
  return space_of(*spec_, rows, request_.shapes, *model_);
}

}  // namespace assay::work
