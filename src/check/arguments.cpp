// SPDX-License-Identifier: MIT
#include "check/arguments.hpp"

#include <cassert>
#include <cstring>

#include "spec/dtype.hpp"
#include "spec/parameter_layout.hpp"

namespace assay::check {
namespace {

uint64_t address_of(const spec::ResolvedView& view, const std::vector<spec::ResolvedArgument>& arguments,
                    const std::map<std::string, uint64_t>& addresses) {
  return addresses.at(arguments[view.of].name) + static_cast<uint64_t>(view.offset_bytes);
}

device::TensorMapRequest map_request(const spec::ResolvedTensor& tensor, const spec::ResolvedTensorMap& map,
                                     uint64_t address) {
  const auto element = static_cast<uint64_t>(spec::size_bytes(tensor.dtype));
  device::TensorMapRequest request;
  request.dtype = spec::name(tensor.dtype);
  request.address = address;
  request.dims.assign(tensor.dims.begin(), tensor.dims.end());
  for (const int64_t stride : tensor.strides) request.stride_bytes.push_back(static_cast<uint64_t>(stride) * element);
  if (const auto& im2col = map.im2col) {
    request.im2col = device::Im2colRequest{{im2col->lower.begin(), im2col->lower.end()},
                                           {im2col->upper.begin(), im2col->upper.end()},
                                           static_cast<uint32_t>(im2col->channels),
                                           static_cast<uint32_t>(im2col->pixels)};
  }
  for (const int64_t size : map.box) request.box.push_back(static_cast<uint32_t>(size));
  for (const int64_t stride : map.element_strides) request.element_strides.push_back(static_cast<uint32_t>(stride));
  request.swizzle = map.swizzle;
  request.interleave = map.interleave;
  request.l2_promotion = map.l2_promotion;
  request.out_of_bounds_nan = map.out_of_bounds_nan;
  return request;
}

device::TextureRequest texture_request(const spec::ResolvedTensor& tensor, const spec::ResolvedTexture& texture,
                                       const std::string& name, uint64_t address) {
  device::TextureRequest request;
  request.name = name;
  request.surface = texture.surface;
  request.shape = texture.shape;
  request.dtype = spec::name(tensor.dtype);
  request.address = address;
  request.width = static_cast<uint64_t>(texture.width);
  request.height = static_cast<uint64_t>(texture.height);
  request.slices = static_cast<uint64_t>(texture.slices);
  request.channels = static_cast<uint32_t>(texture.channels);
  request.linear = texture.linear;
  request.normalised = texture.normalised;
  request.fractions = texture.fractions;
  request.address_modes = texture.address;
  request.border = texture.border;
  request.srgb = texture.srgb;
  request.linear_levels = texture.linear_levels;
  request.level_bias = texture.level_bias;
  request.first_level = texture.first_level;
  request.last_level = texture.last_level;
  return request;
}

}  // namespace

Result<std::vector<std::vector<std::byte>>> argument_bytes(device::Device& device,
                                                           const std::vector<spec::ResolvedArgument>& arguments,
                                                           const std::vector<std::string>& names,
                                                           const std::map<std::string, uint64_t>& addresses) {
  const spec::ParameterLayout layout = spec::parameter_layout(arguments, names);
  std::vector<std::vector<std::byte>> parameters;
  for (const auto& parameter : layout.parameters) parameters.emplace_back(parameter.bytes);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const spec::ResolvedArgument& argument = arguments[i];
    const auto& position = layout.positions[i];
    if (!position) continue;
    std::byte* const to = parameters[position->parameter].data() + position->offset;
    if (const spec::ResolvedScalar* scalar = argument.scalar()) {
      std::memcpy(to, scalar->encoded.data(), scalar->encoded.size());
    } else if (const spec::ResolvedTensorMap* map = argument.tensor_map()) {
      const spec::ResolvedArgument& of = arguments[map->of];
      ASSAY_TRY(const std::vector<std::byte> bytes,
                device.encode_tensor_map(map_request(*of.tensor(), *map, addresses.at(of.name))));
      assert(bytes.size() == spec::kTensorMapBytes);
      std::memcpy(to, bytes.data(), bytes.size());
    } else if (const spec::ResolvedTexture* texture = argument.texture()) {
      const spec::ResolvedArgument& of = arguments[texture->of];
      device::TextureRequest request = texture_request(*of.tensor(), *texture, argument.name, addresses.at(of.name));
      for (const size_t level : texture->levels) request.levels.push_back(addresses.at(arguments[level].name));
      ASSAY_TRY(const uint64_t object, device.texture_object(request));
      std::memcpy(to, &object, sizeof object);
    } else {
      const spec::ResolvedView* const view = argument.view();
      const uint64_t address = view != nullptr ? address_of(*view, arguments, addresses) : addresses.at(argument.name);
      std::memcpy(to, &address, sizeof address);
    }
  }
  return parameters;
}

std::vector<std::byte> pointer_bytes(const spec::ResolvedPointers& pointers,
                                     const std::vector<spec::ResolvedArgument>& arguments,
                                     const std::map<std::string, uint64_t>& addresses) {
  std::vector<std::byte> bytes(pointers.to.size() * spec::kPointerBytes);
  for (size_t i = 0; i < pointers.to.size(); ++i) {
    const uint64_t address = address_of(pointers.to[i], arguments, addresses);
    std::memcpy(bytes.data() + i * spec::kPointerBytes, &address, sizeof address);
  }
  return bytes;
}

}  // namespace assay::check
