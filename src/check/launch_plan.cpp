// SPDX-License-Identifier: MIT
#include "check/launch_plan.hpp"

#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "build/entry_name.hpp"
#include "build/resource_usage.hpp"
#include "check/arguments.hpp"
#include "check/oracle.hpp"
#include "spec/launch.hpp"

namespace assay::check {
namespace {

constexpr size_t kMostLaunches = 10'000;

gpu::Dim3 dim3(const std::array<uint32_t, 3>& sizes) {
  return {sizes[0], sizes[1], sizes[2]};
}

// Of the keys themselves; of the section for those that it does not have.
device::LaunchPlaces places_of(const spec::LaunchSection& launch) {
  return {launch.block.empty() ? launch.place : launch.block.front().place(),
          launch.shared_bytes ? launch.shared_bytes->place() : launch.place,
          launch.cluster.empty() ? launch.place : launch.cluster.front().place(),
          launch.cooperative ? launch.cooperative_place : launch.place};
}

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

std::optional<std::vector<std::byte>> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<std::byte> bytes;
  for (size_t i = 0; i < text.size(); i += 2) {
    unsigned value = 0;
    const auto [end, failed] = std::from_chars(text.data() + i, text.data() + i + 2, value, 16);
    if (failed != std::errc() || end != text.data() + i + 2) return std::nullopt;
    bytes.push_back(static_cast<std::byte>(value));
  }
  return bytes;
}

// "kernel GX GY GZ BX BY BZ CX CY CZ SHARED COOPERATIVE PROGRAMMATIC ENTRY"; nothing if it is something else.
std::optional<device::LaunchRequest> kernel_line(std::string_view line) {
  constexpr size_t kNumbers = 12;
  line.remove_prefix(std::string_view("kernel ").size());
  std::array<uint32_t, kNumbers> numbers{};
  for (uint32_t& number : numbers) {
    const auto [end, failed] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (failed != std::errc()) return std::nullopt;
    line.remove_prefix(static_cast<size_t>(end - line.data()));
    if (line.empty() || line.front() != ' ') return std::nullopt;
    line.remove_prefix(1);
  }
  device::LaunchRequest request;
  request.grid = {numbers[0], numbers[1], numbers[2]};
  request.block = {numbers[3], numbers[4], numbers[5]};
  if (numbers[6] != 0) request.cluster = gpu::Dim3{numbers[6], numbers[7], numbers[8]};
  request.shared_bytes = numbers[9];
  request.cooperative = numbers[10] != 0;
  request.programmatic = numbers[11] != 0;
  request.entry = line;
  return request;
}

}  // namespace

Result<LaunchPlanner> LaunchPlanner::open(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                          const device::Image& image, const std::filesystem::path& cache_folder) {
  LaunchPlanner planner(spec, configuration);
  if (!image.cubin.empty()) planner.resources_ = build::resource_usage(image.cubin, "");
  planner.entries_ = build::entry_points(image.ptx);
  if (image.ptx.empty()) {
    for (const build::ResourceUsage& usage : planner.resources_) planner.entries_.push_back({usage.entry, {}, false});
  }
  if (!spec.launch_file.empty()) {
    ASSAY_TRY(planner.function_,
              reference::UserProgram::open(spec.folder / spec.launch_file, reference::ProgramRole::launch,
                                           program_options(spec, cache_folder)));
  }
  return planner;
}

std::optional<int> LaunchPlanner::registers_of(const std::string& entry) const {
  const build::ResourceUsage* const usage = build::find_entry(resources_, entry);
  return usage != nullptr ? usage->registers : std::nullopt;
}

Result<std::vector<device::LaunchRequest>> LaunchPlanner::plan(device::Device& device, const spec::Shape& shape,
                                                               const std::vector<spec::ResolvedArgument>& arguments,
                                                               const std::map<std::string, uint64_t>& addresses) const {
  if (function_) return by_function(device, shape, arguments, addresses);
  ASSAY_TRY(const std::vector<std::string> entries, build::stage_entries(*spec_, configuration_, shape, entries_));
  std::vector<device::LaunchRequest> requests;
  for (size_t i = 0; i < spec_->stages.size(); ++i) {
    const spec::StageSpec& stage = spec_->stages[i];
    ASSAY_TRY(const spec::LaunchGeometry geometry, spec::launch_geometry(*spec_, stage, configuration_, shape));
    if (geometry.empty()) continue;
    device::LaunchRequest request;
    request.entry = entries[i];
    request.grid = dim3(geometry.grid);
    request.block = dim3(geometry.block);
    request.shared_bytes = geometry.shared_bytes;
    if (geometry.cluster) request.cluster = dim3(*geometry.cluster);
    request.cooperative = stage.launch.cooperative;
    request.programmatic = stage.launch.programmatic;
    if (stage.launch.priority) request.priority = static_cast<int>(*stage.launch.priority);
    if (stage.launch.shared_carveout) request.shared_carveout = static_cast<int>(*stage.launch.shared_carveout);
    request.registers = registers_of(entries[i]);
    request.places = places_of(stage.launch);
    ASSAY_TRY(request.arguments, argument_bytes(device, arguments, stage.arguments, addresses));
    requests.push_back(std::move(request));
  }
  return requests;
}

Result<std::vector<device::LaunchRequest>> LaunchPlanner::by_function(
    device::Device& device, const spec::Shape& shape, const std::vector<spec::ResolvedArgument>& arguments,
    const std::map<std::string, uint64_t>& addresses) const {
  ASSAY_TRY(const spec::Bindings scope, spec::bind(*spec_, configuration_, shape));
  std::string request;
  for (const auto& [name, value] : scope) {
    if (value.is_number()) request += fmt::format("number {} {:.17g}\n", name, value.as_double());
  }
  for (const auto& [name, value] : numbers_of(*spec_, shape, arguments).scalars)
    request += fmt::format("number {} {:.17g}\n", name, value);
  for (const spec::ResolvedArgument& argument : arguments) {
    if (const auto address = addresses.find(argument.name); address != addresses.end())
      request += fmt::format("pointer {} {:x}\n", argument.name, address->second);
    if (!argument.passed || !argument.structure.empty()) continue;
    ASSAY_TRY(const auto bytes, argument_bytes(device, arguments, {argument.name}, addresses));
    request += fmt::format("bytes {} {}\n", argument.name, hex(bytes.front()));
  }
  ASSAY_TRY(const std::string answer, function_->run(request));
  return read_answer(answer);
}

Result<std::vector<device::LaunchRequest>> LaunchPlanner::read_answer(const std::string& answer) const {
  std::vector<std::string> names;
  for (const build::EntryPoint& entry : entries_) names.push_back(entry.name);
  const Error rubbish{"the launch function wrote an answer that makes no sense", spec_->launch_file_place,
                      "does it write past the end of something?"};
  std::vector<device::LaunchRequest> requests;
  for (const std::string_view line : split(answer, '\n')) {
    if (line == "done") return requests;
    if (line.starts_with("error "))
      return Error{fmt::format("the launch function refused: {}", line.substr(6)), spec_->launch_file_place, ""};
    if (line.starts_with("kernel ")) {
      auto request = kernel_line(line);
      if (!request || requests.size() == kMostLaunches) return rubbish;
      ASSAY_TRY(request->entry,
                build::find_entry_name(request->entry, names, spec_->launch_file_place, spec_->kernel.source.string()));
      request->registers = registers_of(request->entry);
      const Place& place = spec_->launch_file_place;
      request->places = {place, place, place, place};
      requests.push_back(std::move(*request));
    } else if (line.starts_with("argument ") && !requests.empty()) {
      auto bytes = from_hex(line.substr(9));
      if (!bytes) return rubbish;
      requests.back().arguments.push_back(std::move(*bytes));
    } else {
      return rubbish;
    }
  }
  return rubbish;
}

Result<void> write_scalar_variables(device::Device& device, const device::Module& module,
                                    const std::vector<spec::ResolvedArgument>& arguments) {
  for (const spec::ResolvedArgument& argument : arguments) {
    if (argument.global.empty() || argument.scalar() == nullptr) continue;
    ASSAY_CHECK(device.write_variable(module, argument.global, std::as_bytes(std::span(argument.scalar()->encoded))));
  }
  return {};
}

}  // namespace assay::check
