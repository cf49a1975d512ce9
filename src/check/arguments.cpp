// SPDX-License-Identifier: MIT
#include "check/arguments.hpp"

#include <algorithm>
#include <cstring>

#include "spec/dtype.hpp"
#include "spec/launch.hpp"

namespace assay::check {
namespace {

std::vector<std::byte> as_bytes(const void* from, size_t bytes) {
  std::vector<std::byte> copy(bytes);
  std::memcpy(copy.data(), from, bytes);
  return copy;
}

gpu::Dim3 dim3(const std::array<uint32_t, 3>& sizes) {
  return {sizes[0], sizes[1], sizes[2]};
}

device::TensorMapRequest map_request(const spec::ResolvedTensor& tensor, const spec::ResolvedTensorMap& map,
                                     uint64_t address) {
  const auto element = static_cast<uint64_t>(spec::size_bytes(tensor.dtype));
  device::TensorMapRequest request;
  request.dtype = spec::name(tensor.dtype);
  request.address = address;
  request.dims.assign(tensor.dims.begin(), tensor.dims.end());
  for (const int64_t stride : tensor.strides) request.stride_bytes.push_back(static_cast<uint64_t>(stride) * element);
  for (const int64_t size : map.box) request.box.push_back(static_cast<uint32_t>(size));
  for (const int64_t stride : map.element_strides) request.element_strides.push_back(static_cast<uint32_t>(stride));
  request.swizzle = map.swizzle;
  request.interleave = map.interleave;
  request.l2_promotion = map.l2_promotion;
  request.out_of_bounds_nan = map.out_of_bounds_nan;
  return request;
}

constexpr size_t kTensorMapAlignment = 64;

size_t round_up(size_t bytes, size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// The kernel's parameters, byte for byte. Neighbours in one structure are laid out as C++ lays out its members.
class ParameterList {
 public:
  void add(const std::string& structure, const std::vector<std::byte>& bytes, size_t alignment) {
    if (structure.empty() || structure != structure_) {
      close();
      list_.emplace_back();
      structure_ = structure;
    }
    std::vector<std::byte>& parameter = list_.back();
    parameter.resize(round_up(parameter.size(), alignment));
    parameter.insert(parameter.end(), bytes.begin(), bytes.end());
    alignment_ = std::max(alignment_, alignment);
  }
  std::vector<std::vector<std::byte>> finish() && {
    close();
    return std::move(list_);
  }

 private:
  // A structure's size is a multiple of its strictest alignment.
  void close() {
    if (!structure_.empty()) list_.back().resize(round_up(list_.back().size(), alignment_));
    structure_.clear();
    alignment_ = 1;
  }

  std::vector<std::vector<std::byte>> list_;
  std::string structure_;  // of the last one; empty: it is none
  size_t alignment_ = 1;
};

}  // namespace

Result<device::LaunchRequest> launch_request(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                             const spec::Shape& shape) {
  ASSAY_TRY(const spec::LaunchGeometry geometry, spec::launch_geometry(spec, configuration, shape));
  device::LaunchRequest request;
  ASSAY_TRY(request.entry, spec::entry_name(spec, configuration, shape));
  request.grid = dim3(geometry.grid);
  request.block = dim3(geometry.block);
  request.shared_bytes = geometry.shared_bytes;
  if (geometry.cluster) request.cluster = dim3(*geometry.cluster);
  return request;
}

Result<std::vector<std::vector<std::byte>>> argument_bytes(device::Device& device,
                                                           const std::vector<spec::ResolvedArgument>& arguments,
                                                           const std::map<std::string, uint64_t>& addresses) {
  ParameterList parameters;
  for (const spec::ResolvedArgument& argument : arguments) {
    if (!argument.passed) continue;
    if (const spec::ResolvedScalar* scalar = argument.scalar()) {
      parameters.add(argument.structure, as_bytes(scalar->encoded.data(), scalar->encoded.size()),
                     scalar->encoded.size());
    } else if (const spec::ResolvedTensorMap* map = argument.tensor_map()) {
      const spec::ResolvedArgument& of = arguments[map->of];
      ASSAY_TRY(const std::vector<std::byte> bytes,
                device.encode_tensor_map(map_request(*of.tensor(), *map, addresses.at(of.name))));
      parameters.add(argument.structure, bytes, kTensorMapAlignment);
    } else {
      const uint64_t address = addresses.at(argument.name);
      parameters.add(argument.structure, as_bytes(&address, sizeof address), sizeof address);
    }
  }
  return std::move(parameters).finish();
}

}  // namespace assay::check
