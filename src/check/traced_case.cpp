// SPDX-License-Identifier: MIT
#include "check/traced_case.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "check/arguments.hpp"
#include "check/element.hpp"
#include "check/input_maker.hpp"
#include "check/inputs.hpp"
#include "check/launch_change.hpp"
#include "check/launch_plan.hpp"
#include "check/poison.hpp"
#include "device/open/open_device.hpp"
#include "spec/shape.hpp"

namespace assay::check {
namespace {

Result<void> check_number(const std::vector<device::LaunchRequest>& requests, bool several) {
  if (requests.empty())
    return Error{"the call launches no kernel: every grid is empty", {}, "choose another --shape", ExitCode::usage};
  if (requests.size() == 1) return {};
  if (!several)
    return Error{fmt::format("the call launches {} kernels, and this looks at one", requests.size()),
                 {},
                 "describe the kernel that matters by itself; assay estimate adds up several",
                 ExitCode::usage};
  for (size_t i = 1; i < requests.size(); ++i) {
    if (requests[i].programmatic)
      return Error{fmt::format("'{}' may begin before the kernel in front of it has ended: their times do not add up",
                               requests[i].entry),
                   requests[i].places.cooperative,
                   "leave out programmatic_stream_serialization, or describe each kernel by itself", ExitCode::usage};
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<TracedCase>> TracedCase::open(const std::filesystem::path& spec,
                                                     const std::string& configuration, const std::string& shape,
                                                     const std::string& device, uint64_t seed,
                                                     const std::filesystem::path& cache) {
  std::unique_ptr<TracedCase> traced(new TracedCase);
  ASSAY_TRY(traced->spec_, spec::load(spec));
  ASSAY_TRY(traced->configuration_, configuration.empty() || configuration == "default"
                                        ? spec::default_configuration(traced->spec_)
                                        : spec::parse_configuration(traced->spec_, configuration));
  ASSAY_TRY(traced->shape_, spec::parse_shape(traced->spec_, shape));
  ASSAY_TRY(traced->device_, device::open_device(device));
  traced->seed_ = seed;
  traced->cache_ = cache;
  ASSAY_TRY(traced->arguments_, spec::resolve_arguments(traced->spec_, traced->configuration_, traced->shape_));
  return traced;
}

Result<std::vector<uint8_t>> TracedCase::content(const spec::ResolvedArgument& argument) const {
  const spec::ResolvedTensor& tensor = *argument.tensor();
  std::vector<uint8_t> bytes(static_cast<size_t>(tensor.bytes));
  if (!spec::is_filled(tensor.role)) {
    fill_with_poison(tensor.dtype, Poison::nan, bytes);
    return bytes;
  }
  const InputMaker maker(spec_, cache_);
  ASSAY_TRY(const reference::Numbers values,
            maker.make(shape_, arguments_, argument, {Distribution::specified, seed_, false}));
  encode(tensor, values, bytes);
  return bytes;
}

Result<void> TracedCase::make_buffers(const device::Module& module) {
  for (const spec::ResolvedArgument& argument : arguments_) {
    if (argument.tensor() == nullptr) continue;
    const bool variable = !argument.global.empty();
    const bool changes = variable || argument.tensor()->role != spec::Role::input;
    if (made_ && !changes) continue;
    if (!made_) {
      ASSAY_TRY(std::vector<uint8_t> bytes, content(argument));
      if (!variable) {
        ASSAY_TRY(addresses_[argument.name], device_->allocate(bytes.size() + room_, argument.name));
      }
      contents_[argument.name] = std::move(bytes);
    }
    const auto bytes = std::as_bytes(std::span(contents_[argument.name]));
    if (variable) {
      ASSAY_CHECK(device_->write_variable(module, argument.global, bytes));
    } else {
      ASSAY_CHECK(device_->upload(addresses_[argument.name], bytes));
    }
    if (!changes) contents_.erase(argument.name);
  }
  for (const spec::ResolvedArgument& argument : arguments_) {
    if (argument.pointers() == nullptr || made_) continue;
    const std::vector<std::byte> bytes = pointer_bytes(*argument.pointers(), arguments_, addresses_);
    ASSAY_TRY(addresses_[argument.name], device_->allocate(bytes.size() + room_, argument.name));
    ASSAY_CHECK(device_->upload(addresses_[argument.name], bytes));
  }
  made_ = true;
  return write_scalar_variables(*device_, module, arguments_);
}

Result<void> TracedCase::release_buffers(uint64_t room) {
  for (const auto& [name, address] : addresses_) ASSAY_CHECK(device_->release(address));
  addresses_.clear();
  contents_.clear();
  made_ = false;
  room_ = room;
  return {};
}

Result<TracedRun> TracedCase::run(const TracedRequest& wanted) {
  auto* const tracer = dynamic_cast<device::Tracer*>(device_.get());
  if (tracer == nullptr)
    return Error{"this device does not count", {}, "choose a virtual GPU with --device vgpu:...", ExitCode::usage};
  ASSAY_TRY(const std::string text, read_file(wanted.ptx));
  const device::Image image{text, wanted.ptx.string(), {}};
  ASSAY_TRY(const std::unique_ptr<device::Module> module, device_->load_image(image));
  if (wanted.change.pointer_offset != room_) ASSAY_CHECK(release_buffers(wanted.change.pointer_offset));
  ASSAY_CHECK(make_buffers(*module));
  ASSAY_TRY(const LaunchPlanner planner, LaunchPlanner::open(spec_, configuration_, image, cache_));
  ASSAY_TRY(std::vector<device::LaunchRequest> requests,
            planner.plan(*device_, shape_, arguments_, shifted(addresses_, wanted.change)));
  ASSAY_CHECK(check_number(requests, wanted.several));
  ASSAY_CHECK(apply(wanted.change, requests));
  TracedRun run;
  for (device::LaunchRequest& request : requests) {
    const bool last = !wanted.several || &request == &requests.back();
    tracer->trace_launches(last ? wanted.blocks : 0, wanted.sampled);
    request.module = module.get();
    request.instruction_limit = wanted.instruction_limit;
    request.checks = wanted.checks;
    ASSAY_TRY(const device::LaunchOutcome outcome, device_->launch(request));
    if (!outcome.clean()) {
      const gpu::Finding& finding = outcome.fault ? *outcome.fault : outcome.findings.front();
      return Error{finding.message, {}, "assay sanitize shows what is wrong", ExitCode::incorrect};
    }
    if (!tracer->traced()) return Error{"the launch was not traced", {}, "", ExitCode::internal};
    run.entries.push_back(request.entry);
    run.shared_bytes.push_back(request.shared_bytes);
    run.works.push_back(*tracer->traced());
    if (run.works.size() == 1) run.instructions = tracer->instructions();
  }
  return run;
}

}  // namespace assay::check
