// SPDX-License-Identifier: MIT
#include "device/virtual/virtual_device.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <limits>

#include "device/launch_limits.hpp"
#include "device/tensor_map_check.hpp"
#include "device/virtual/virtual_texture.hpp"
#include "gpu/occupancy.hpp"
#include "ptx/variable_name.hpp"
#include "vgpu/decode/decode.hpp"
#include "vgpu/machine/tensor_map.hpp"
#include "vgpu/observe/block_sample.hpp"
#include "vgpu/observe/checked_launch.hpp"
#include "vgpu/observe/counting.hpp"
#include "vgpu/observe/reach_watch.hpp"
#include "vgpu/observe/samplable.hpp"
#include "vgpu/observe/tracing.hpp"

namespace assay::device {
namespace {

class VirtualModule final : public Module {
 public:
  explicit VirtualModule(const vgpu::Program* program) : program_(program) {}
  const vgpu::Program& program() const { return *program_; }
  // Constant memory is the module's own, and the host writes it between launches.
  std::span<std::byte> constant_bank() const {
    return const_cast<vgpu::Program*>(program_)
        ->constant_bank;  // NOLINT: the GPU keeps it, as an object that is not const
  }

 private:
  const vgpu::Program* program_;
};

const vgpu::Program& program_of(const Module& module) {
  return static_cast<const VirtualModule&>(module).program();
}

Result<std::vector<std::byte>> pack_parameters(const vgpu::Function& kernel,
                                               const std::vector<std::vector<std::byte>>& arguments) {
  if (kernel.parameters.size() != arguments.size()) {
    return Error{fmt::format("the kernel '{}' takes {} parameters, {} arguments were given", kernel.name,
                             kernel.parameters.size(), arguments.size()),
                 {},
                 "compare the [[argument]] list with the kernel's signature"};
  }
  std::vector<std::byte> packed;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const vgpu::Parameter& parameter = kernel.parameters[i];
    if (arguments[i].size() != parameter.bytes) {
      return Error{fmt::format("parameter {} of '{}' has {} bytes, the argument has {}", i, kernel.name,
                               parameter.bytes, arguments[i].size()),
                   {},
                   "compare the argument's type with the kernel's signature"};
    }
    packed.resize(parameter.offset + parameter.bytes);
    std::memcpy(packed.data() + parameter.offset, arguments[i].data(), arguments[i].size());
  }
  return packed;
}

Error not_supported(std::string_view what) {
  return Error{fmt::format("the virtual GPU's tensor maps do not support {} yet", what),
               {},
               "run the kernel on a GPU: --device cuda:0",
               ExitCode::environment};
}

}  // namespace

std::string VirtualDevice::name() const {
  return fmt::format("vgpu:{}", gpu_.model().id);
}

Result<std::unique_ptr<Module>> VirtualDevice::load(std::string_view ptx, const std::string& file_name) {
  ASSAY_TRY(const vgpu::Program* program, vgpu::load(gpu_, ptx, file_name, decode_options_));
  return std::unique_ptr<Module>(std::make_unique<VirtualModule>(program));
}

std::vector<std::string> VirtualDevice::approximate_instructions(const Module& module) const {
  return program_of(module).approximate;
}

std::vector<std::string> VirtualDevice::fusible_places(const Module& module) const {
  const vgpu::Program& program = program_of(module);
  std::vector<std::string> places;
  for (const vgpu::FusiblePair& pair : program.fusible) {
    std::string place = fmt::format("{}:{}", program.file_name, pair.sum_line);
    for (const vgpu::Function& function : program.functions) {
      const auto origin = std::ranges::find(function.origins, pair.sum_line, &vgpu::InstructionOrigin::ptx_line);
      if (origin == function.origins.end()) continue;
      gpu::Finding at;
      at.source = program.source_chain(origin->location);
      if (const gpu::SourceLine* line = user_line(at)) place = fmt::format("{}:{}", line->file, line->line);
    }
    if (std::ranges::find(places, place) == places.end()) places.push_back(std::move(place));
  }
  return places;
}

Result<uint64_t> VirtualDevice::allocate(uint64_t bytes, const std::string& label) {
  return gpu_.memory().allocate(bytes, label);
}

Result<void> VirtualDevice::release(uint64_t address) {
  unwritten_.forget(address);
  if (const vgpu::Allocation* const memory = gpu_.memory().containing(address)) {
    std::erase_if(textures_, [&](const auto& each) {
      return memory->covers(each.first.address, each.first.address) && gpu_.textures().remove(each.second);
    });
  }
  return gpu_.memory().free(address);
}

Result<void> VirtualDevice::check_range(uint64_t address, uint64_t bytes) {
  const vgpu::Allocation* allocation = gpu_.memory().containing(address);
  // The distance to the end, not the end of the copy: that could overflow.
  if (bytes == 0 || (allocation != nullptr && !allocation->freed && bytes <= allocation->end() - address)) return {};
  return Error{fmt::format("a copy of {} bytes at 0x{:x} is not inside one allocation", bytes, address),
               {},
               "",
               ExitCode::internal};
}

Result<void> VirtualDevice::upload(uint64_t address, std::span<const std::byte> bytes) {
  ASSAY_CHECK(check_range(address, bytes.size()));
  if (bytes.empty()) return {};
  std::memcpy(gpu_.memory().host(address), bytes.data(), bytes.size());
  unwritten_.wrote(address, bytes.size());
  return {};
}

Result<void> VirtualDevice::download(uint64_t address, std::span<std::byte> bytes) {
  ASSAY_CHECK(check_range(address, bytes.size()));
  if (bytes.empty()) return {};
  std::memcpy(bytes.data(), gpu_.memory().host(address), bytes.size());
  return {};
}

Result<std::span<std::byte>> VirtualDevice::variable(const Module& module, const std::string& name) {
  const vgpu::Program& program = program_of(module);
  std::vector<std::string> known;
  for (const auto& [symbol, address] : program.global_symbols) known.push_back(symbol);
  for (const vgpu::ConstantVariable& constant : program.constant_variables) known.push_back(constant.name);
  const std::vector<std::string> meant = ptx::variables_named(name, known);
  if (meant.empty()) return Error{fmt::format("there is no variable '{}' in {}", name, program.file_name)};
  if (meant.size() > 1)
    return Error{fmt::format("'{}' may be {} variables of {}: {}", name, meant.size(), program.file_name,
                             ptx::list_variables(meant))};
  for (const auto& [symbol, address] : program.global_symbols) {
    if (symbol != meant.front()) continue;
    const vgpu::Allocation* allocation = gpu_.memory().containing(address);
    return std::span(gpu_.memory().host(address), allocation->end() - address);
  }
  for (const vgpu::ConstantVariable& constant : program.constant_variables) {
    if (constant.name == meant.front())
      return static_cast<const VirtualModule&>(module).constant_bank().subspan(constant.offset, constant.bytes);
  }
  return Error{fmt::format("there is no variable '{}' in {}", name, program.file_name)};
}

Result<uint64_t> VirtualDevice::variable_bytes(const Module& module, const std::string& name) {
  ASSAY_TRY(const std::span<std::byte> bytes, variable(module, name));
  return uint64_t{bytes.size()};
}

Result<void> VirtualDevice::write_variable(const Module& module, const std::string& name,
                                           std::span<const std::byte> bytes) {
  ASSAY_TRY(const std::span<std::byte> to, variable(module, name));
  if (bytes.size() > to.size())
    return Error{fmt::format("the variable '{}' has {} bytes, {} were given", name, to.size(), bytes.size())};
  if (!bytes.empty()) std::memcpy(to.data(), bytes.data(), bytes.size());
  return {};
}

Result<void> VirtualDevice::read_variable(const Module& module, const std::string& name, std::span<std::byte> bytes) {
  ASSAY_TRY(const std::span<std::byte> from, variable(module, name));
  if (bytes.size() > from.size())
    return Error{fmt::format("the variable '{}' has {} bytes, {} were asked for", name, from.size(), bytes.size())};
  if (!bytes.empty()) std::memcpy(bytes.data(), from.data(), bytes.size());
  return {};
}

// Registers are known only as far as the PTX gives them: what ptxas will take may allow fewer blocks.
Result<void> VirtualDevice::check_cooperative(const LaunchRequest& request, const vgpu::Function& kernel) const {
  if (!request.cooperative) return {};
  gpu::BlockNeeds needs;
  needs.threads = static_cast<int64_t>(request.block.volume());
  needs.registers_per_thread =
      request.registers.value_or(kernel.max_registers != 0 ? static_cast<int>(kernel.max_registers) : 1);
  needs.static_shared_bytes = kernel.dynamic_shared_base;
  needs.dynamic_shared_bytes = request.shared_bytes;
  const gpu::Occupancy occupancy = gpu::occupancy(gpu_.model(), needs);
  if (!occupancy.blocks_per_sm) return {};
  const uint64_t resident =
      static_cast<uint64_t>(*occupancy.blocks_per_sm) * static_cast<uint64_t>(gpu_.model().sm_count);
  if (request.grid.volume() <= resident) return {};
  return cooperative_grid_too_large(request, gpu_.model(), resident);
}

Result<LaunchOutcome> VirtualDevice::launch(const LaunchRequest& request) {
  const vgpu::Program& program = program_of(*request.module);
  vgpu::Launch launch;
  launch.program = &program;
  launch.kernel = program.entry(request.entry);
  if (launch.kernel == nullptr) {
    std::string names;
    for (const vgpu::Function& function : program.functions) {
      if (function.is_entry) names += (names.empty() ? "" : ", ") + function.name;
    }
    return Error{fmt::format("there is no kernel '{}' in {}", request.entry, program.file_name),
                 {},
                 fmt::format("it has: {}", names)};
  }
  launch.grid = request.grid;
  launch.block = request.block;
  if (request.cluster) launch.cluster = *request.cluster;
  launch.dynamic_shared_bytes = request.shared_bytes;
  ASSAY_TRY(launch.parameters, pack_parameters(*launch.kernel, request.arguments));
  ASSAY_CHECK(check_limits(request, gpu_.model(),
                           {launch.kernel->max_threads, ".maxntid", launch.kernel->dynamic_shared_base}));
  ASSAY_CHECK(check_cooperative(request, *launch.kernel));
  if (request.instruction_limit != 0) launch.instruction_limit = request.instruction_limit;
  vgpu::Counting counting;
  if (request.count) launch.observers.push_back(&counting);
  std::optional<vgpu::Tracing> tracing;
  traced_.reset();
  instructions_.clear();
  if (trace_blocks_) {
    if (launch.cluster.volume() == 1 && launch.kernel->required_cluster.x != 0)
      launch.cluster = launch.kernel->required_cluster;
    vgpu::BlockSample sample;
    if (trace_sampled_ ? *trace_sampled_ : vgpu::is_samplable(program))
      sample = vgpu::sample_blocks(launch.grid, launch.cluster, *trace_blocks_);
    tracing.emplace(launch, gpu_.model(), std::move(sample));
    launch.observers.push_back(&*tracing);
  }
  vgpu::ReachWatch reach(watched_);
  if (!watched_.empty()) launch.observers.push_back(&reach);
  ASSAY_TRY(vgpu::CheckedLaunch checked, vgpu::launch_checked(gpu_, launch, request.checks, unwritten_));
  const gpu::FindingList& found = checked.found;
  vgpu::LaunchResult& result = checked.result;
  LaunchOutcome outcome;
  outcome.findings = found.findings();
  outcome.finding_occurrences = found.occurrences();
  outcome.fault = std::move(result.fault);
  outcome.printed = std::move(result.printed);
  reach_ = reach.reach();
  outcome.instructions = result.instructions;
  outcome.thread_instructions = result.thread_instructions;
  if (request.count && !outcome.fault) outcome.counters = counting.counters();
  if (tracing && !outcome.fault) {
    traced_ = tracing->work();
    instructions_ = tracing->instructions();
  }
  return outcome;
}

// The tensor's memory is the array: no kernel can see how an array is laid out.
Result<uint64_t> VirtualDevice::texture_object(const TextureRequest& request) {
  const auto known = std::ranges::find(textures_, request, &std::pair<TextureRequest, uint64_t>::first);
  if (known != textures_.end()) return known->second;
  ASSAY_TRY(const vgpu::Texture texture, virtual_texture(request));
  const uint64_t object = gpu_.textures().add(texture);
  textures_.emplace_back(request, object);
  return object;
}

Result<std::vector<std::byte>> VirtualDevice::encode_tensor_map(const TensorMapRequest& request) {
  if (!has_tensor_maps()) {
    return Error{fmt::format("{} has no tensor maps", gpu_.model().name),
                 {},
                 "they came with compute capability 9.0: --device vgpu:h100, vgpu:h200, or such a GPU",
                 ExitCode::environment};
  }
  ASSAY_TRY(const uint64_t element_bytes, check_tensor_map(request));
  if (request.interleave != 0) return not_supported("interleaved layouts");
  // How the hardware lays out a row that does not fill the swizzle is not documented.
  const uint64_t columns = request.im2col ? request.im2col->channels : request.box.back();
  if (request.swizzle != 0 && columns * element_bytes != static_cast<uint64_t>(request.swizzle))
    return not_supported(request.im2col ? "a swizzle wider than a pixel" : "a swizzle wider than a row of the box");
  // Nor whether images have steps.
  if (request.im2col && request.element_strides.front() != 1) return not_supported("an element stride of images");
  vgpu::TensorMap map;
  map.address = request.address;
  map.rank = static_cast<uint8_t>(request.dims.size());
  map.element_bytes = static_cast<uint8_t>(element_bytes);
  map.type = vgpu::reduced_type(request.dtype);
  map.swizzle_bits = static_cast<uint8_t>(std::countr_zero(static_cast<unsigned>(std::max(16, request.swizzle))) - 4);
  map.fill = request.out_of_bounds_nan ? 0xff : 0;  // all bits set: a NaN of every floating type
  map.steps.fill(1);
  for (size_t i = 0; i < request.dims.size(); ++i) {
    const size_t from = request.dims.size() - 1 - i;  // the request begins with the outermost dimension
    if (request.dims[from] == 0 || request.dims[from] > std::numeric_limits<uint32_t>::max())
      return tensor_map_refused(
          fmt::format("dimension {} has {} elements; 1 to 2^32 - 1 are possible", from + 1, request.dims[from]));
    map.sizes[i] = static_cast<uint32_t>(request.dims[from]);
    map.strides[i] = request.stride_bytes[from];
    map.box[i] = static_cast<uint16_t>(request.im2col ? (i == 0 ? columns : 1) : request.box[from]);
    // The hardware has no steps along the contiguous dimension, and ignores those that it is given.
    map.steps[i] = static_cast<uint8_t>(i == 0 ? 1 : request.element_strides[from]);
  }
  if (const auto& im2col = request.im2col) {
    map.pixels = static_cast<uint16_t>(im2col->pixels);
    const auto narrow = [](int at) { return static_cast<int16_t>(at); };
    std::transform(im2col->lower.rbegin(), im2col->lower.rend(), map.lower.begin(), narrow);
    std::transform(im2col->upper.rbegin(), im2col->upper.rend(), map.upper.begin(), narrow);
  }
  std::vector<std::byte> bytes(vgpu::TensorMap::kBytes);
  map.pack(std::span<std::byte, vgpu::TensorMap::kBytes>(bytes));
  return bytes;
}

}  // namespace assay::device
