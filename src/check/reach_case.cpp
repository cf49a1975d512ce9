// SPDX-License-Identifier: MIT
#include "check/reach_case.hpp"

#include <span>

#include "base/file.hpp"
#include "check/element.hpp"
#include "check/input_maker.hpp"
#include "check/launch_plan.hpp"
#include "device/open/open_device.hpp"
#include "device/reach_watcher.hpp"

namespace assay::check {

Result<std::unique_ptr<ReachCase>> ReachCase::open(const ReachSetup& setup) {
  std::unique_ptr<ReachCase> made(new ReachCase);
  made->setup_ = setup;
  ASSAY_TRY(made->spec_, spec::load(setup.spec_file));
  ASSAY_TRY(made->configuration_, spec::default_configuration(made->spec_));
  ASSAY_TRY(made->device_, device::open_device(setup.device));
  ASSAY_TRY(made->ptx_, read_file(setup.ptx));
  ASSAY_TRY(made->module_, made->device_->load(made->ptx_, setup.ptx.string()));
  return made;
}

Result<void> ReachCase::make_buffer(const spec::Shape& shape, const std::vector<spec::ResolvedArgument>& arguments,
                                    const spec::ResolvedArgument& argument) {
  const spec::ResolvedTensor& tensor = *argument.tensor();
  Buffer buffer;
  buffer.elements = tensor.elements;
  buffer.changes = tensor.role != spec::Role::input;
  std::vector<uint8_t> bytes(static_cast<size_t>(tensor.bytes));
  if (spec::is_filled(tensor.role)) {
    ASSAY_TRY(
        const reference::Numbers values,
        InputMaker(spec_, setup_.cache_folder).make(shape, arguments, argument, {Distribution::specified, 1, false}));
    encode(tensor, values, bytes);
  }
  const auto held = std::as_bytes(std::span(bytes));
  buffer.bytes.assign(held.begin(), held.end());
  ASSAY_TRY(buffer.address, device_->allocate(buffer.bytes.size(), argument.name));
  ASSAY_CHECK(device_->upload(buffer.address, buffer.bytes));
  buffers_[argument.name] = std::move(buffer);
  return {};
}

// What the last launch may have changed is restored, as far as it reached.
Result<std::map<std::string, uint64_t>> ReachCase::prepare(const spec::Shape& shape,
                                                           const std::vector<spec::ResolvedArgument>& arguments) {
  std::map<std::string, uint64_t> addresses;
  for (const spec::ResolvedArgument& argument : arguments) {
    if (argument.tensor() == nullptr) continue;
    if (!argument.global.empty()) {
      std::vector<uint8_t> bytes(static_cast<size_t>(argument.tensor()->bytes));
      ASSAY_CHECK(device_->write_variable(*module_, argument.global, std::as_bytes(std::span(bytes))));
      continue;
    }
    if (!buffers_.contains(argument.name)) ASSAY_CHECK(make_buffer(shape, arguments, argument));
    Buffer& buffer = buffers_.at(argument.name);
    if (buffer.changes)
      ASSAY_CHECK(device_->upload(buffer.address, std::span(buffer.bytes).first(static_cast<size_t>(buffer.reach))));
    addresses[argument.name] = buffer.address;
  }
  ASSAY_CHECK(write_scalar_variables(*device_, *module_, arguments));
  return addresses;
}

Result<std::map<std::string, int64_t>> ReachCase::run(const std::string& text) {
  auto* const watcher = dynamic_cast<device::ReachWatcher*>(device_.get());
  if (watcher == nullptr)
    return Error{"this device does not say what a kernel touches",
                 {},
                 "choose a virtual GPU with --device vgpu:...",
                 ExitCode::usage};
  ASSAY_TRY(const spec::Shape shape, spec::parse_shape(spec_, text));
  ASSAY_TRY(const std::vector<spec::ResolvedArgument> arguments, spec::resolve_arguments(spec_, configuration_, shape));
  ASSAY_TRY(const auto addresses, prepare(shape, arguments));
  std::vector<gpu::MemoryRange> ranges;
  for (const auto& [name, buffer] : buffers_) ranges.push_back({buffer.address, buffer.bytes.size()});
  watcher->watch_reach(ranges);
  const device::Image image{ptx_, setup_.ptx.string(), {}};
  ASSAY_TRY(const LaunchPlanner planner, LaunchPlanner::open(spec_, configuration_, image, setup_.cache_folder));
  ASSAY_TRY(std::vector<device::LaunchRequest> requests, planner.plan(*device_, shape, arguments, addresses));
  std::map<std::string, int64_t> reach;
  for (device::LaunchRequest& request : requests) {
    request.module = module_.get();
    request.checks = gpu::CheckSet{gpu::kMemcheck};
    request.instruction_limit = setup_.instruction_limit;
    ASSAY_TRY(const device::LaunchOutcome outcome, device_->launch(request));
    size_t place = 0;
    for (auto& [name, buffer] : buffers_) {
      buffer.reach = watcher->reach()[place++];
      const uint64_t element_bytes = buffer.bytes.size() / static_cast<uint64_t>(buffer.elements);
      reach[name] = std::max(reach[name], static_cast<int64_t>((buffer.reach + element_bytes - 1) / element_bytes));
    }
    if (!outcome.clean()) {
      const gpu::Finding& finding = outcome.fault ? *outcome.fault : outcome.findings.front();
      return Error{finding.message, {}, "assay sanitize shows what is wrong", ExitCode::incorrect};
    }
  }
  return reach;
}

}  // namespace assay::check
