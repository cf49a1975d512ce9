// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "base/elapsed.hpp"
#include "base/file.hpp"
#include "base/progress.hpp"
#include "device/open/open_device.hpp"
#include "work/inverter.hpp"
#include "work/measuring.hpp"

namespace assay::work {

Result<void> Inverter::time_on_gpu() {
  if (gpu_.empty()) return {};
  const auto measured = measure();
  if (!measured && measured.error().exit_code == kInterrupted) return measured.error();
  if (!measured) report_.not_measured = measured.error().message;
  return {};
}

double Inverter::budget() const {
  return request_.budget_s > 0 ? request_.budget_s : request_.quick ? 15 : 60;
}

double Inverter::timing_until(double now) const {
  if (proof_seconds() <= 0) return std::numeric_limits<double>::infinity();
  return std::max(proof_seconds() + budget(), now + budget() / 3);
}

Result<void> Inverter::measure() {
  ASSAY_TRY(const MeasuredDevice device, measured_device(gpu_, "invert"));
  ASSAY_TRY(const std::unique_ptr<device::Device> opened, device::open_device(gpu_));
  ASSAY_TRY(const measure::ProviderPrograms programs,
            measure::ProviderPrograms::install(build::ArtifactCache::default_folder()));
  ASSAY_TRY(const measure::ProblemCase problem, measure::ProblemCase::make(spec_, configuration_, shape_));
  measure::MutantTiming::Options options;
  options.device = device.ordinal;
  options.model = opened->model();
  options.instruments = programs.instruments();
  options.seed = request_.seed;
  options.rounds = request_.quick ? 4 : 6;
  options.context = context_;
  ASSAY_TRY(const std::unique_ptr<measure::MutantTiming> timing, measure::MutantTiming::open(problem, options));
  const Image& prepared = controls_.front();
  ASSAY_TRY(const measure::MutantTime same, timing->time(timed(prepared), timed(prepared)));
  report_.time_us = same.control_us;
  report_.measured = true;
  report_.noise = std::abs(same.ratio - 1);
  details_->gpu = fmt::format("{} {}", gpu_, opened->model().name);
  Image original;
  original.file = folder_->path() / "original.ptx";
  original.configuration = worker_configuration(configuration_);
  ASSAY_CHECK(write_file_atomically(original.file, original_));
  if (const auto plain = timing->time(timed(prepared), timed(original))) details_->original_ratio = plain->ratio;
  const double until = timing_until(seconds_since(began_));
  const std::vector<Trial*> order = in_order_of_worth();
  Progress progress(context_, "timing", order.size());
  for (Trial* trial : order) {
    progress.advance(fmt::format("{} {}", trial->result.name, trial->dose));
    if (timing->spent_s() > budget() || seconds_since(began_) > until) {
      end(*trial, invert::State::not_timed, fmt::format("{:.0f} s of GPU time were over", budget()));
      trial->out_of_time = true;
      continue;
    }
    const auto time = timing->time(timed(controls_[trial->control]), timed(*trial->image));
    if (!time && time.error().exit_code == kInterrupted) return time.error();
    if (!time) {
      end(*trial, invert::State::failed, "on the GPU: " + time.error().message);
    } else {
      trial->result.measured_ratio = time->ratio;
      trial->result.measured_low = time->interval.low;
      trial->result.measured_high = time->interval.high;
      if (trial->result.state == to_string(invert::State::not_timed)) {
        trial->result.state = to_string(invert::State::ranked);
        trial->result.why.clear();
      }
    }
    ASSAY_CHECK(remember(*trial));
  }
  report_.gpu_s = timing->spent_s();
  return {};
}

measure::TimedImage Inverter::timed(const Image& image) const {
  return {image.configuration, image.file, image.assembled.cubin, image.launch};
}

}  // namespace assay::work
