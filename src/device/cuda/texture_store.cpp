// SPDX-License-Identifier: MIT
#include "device/cuda/texture_store.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

namespace assay::device::cuda {
namespace {

struct Format {
  std::string_view name;
  CUarray_format format;
  uint64_t bytes;
};
constexpr std::array kFormats = {
    Format{"u8", CU_AD_FORMAT_UNSIGNED_INT8, 1},   Format{"u16", CU_AD_FORMAT_UNSIGNED_INT16, 2},
    Format{"u32", CU_AD_FORMAT_UNSIGNED_INT32, 4}, Format{"i8", CU_AD_FORMAT_SIGNED_INT8, 1},
    Format{"i16", CU_AD_FORMAT_SIGNED_INT16, 2},   Format{"i32", CU_AD_FORMAT_SIGNED_INT32, 4},
    Format{"f16", CU_AD_FORMAT_HALF, 2},           Format{"f32", CU_AD_FORMAT_FLOAT, 4},
};

Result<Format> format_of(const TextureRequest& request) {
  const auto* const found = std::ranges::find(kFormats, request.dtype, &Format::name);
  if (found != kFormats.end()) return *found;
  return Error{fmt::format("texture '{}': there are none of {}", request.name, request.dtype)};
}

CUaddress_mode mode_named(std::string_view name) {
  if (name == "wrap") return CU_TR_ADDRESS_MODE_WRAP;
  if (name == "mirror") return CU_TR_ADDRESS_MODE_MIRROR;
  return name == "border" ? CU_TR_ADDRESS_MODE_BORDER : CU_TR_ADDRESS_MODE_CLAMP;
}

size_t axes_of(const TextureRequest& request) {
  if (request.shape == "3d") return 3;
  return request.shape == "1d" || request.shape == "a1d" || request.shape == "linear" ? 1 : 2;
}

CUDA_TEXTURE_DESC texture_description(const TextureRequest& request) {
  CUDA_TEXTURE_DESC description{};
  // An axis that the texture does not have is read too, at 0: a border there would be mixed in.
  for (size_t i = 0; i < 3; ++i) {
    const bool has = i < axes_of(request) && i < request.address_modes.size();
    description.addressMode[i] = has ? mode_named(request.address_modes[i]) : CU_TR_ADDRESS_MODE_CLAMP;
  }
  description.filterMode = request.linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
  const bool integers = request.dtype.front() != 'f' && !request.fractions;
  description.flags = (integers ? CU_TRSF_READ_AS_INTEGER : 0u) |
                      (request.normalised ? CU_TRSF_NORMALIZED_COORDINATES : 0u) | (request.srgb ? CU_TRSF_SRGB : 0u);
  description.mipmapFilterMode = request.linear_levels ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
  description.mipmapLevelBias = static_cast<float>(request.level_bias);
  description.minMipmapLevelClamp = static_cast<float>(request.first_level);
  description.maxMipmapLevelClamp = static_cast<float>(request.last_level);
  for (size_t i = 0; i < description.borderColor.size() && i < request.border.size(); ++i)
    description.borderColor[i] = static_cast<float>(request.border[i]);
  return description;
}

// 0 for what the array does not have: that is how the driver tells shapes apart.
CUDA_ARRAY3D_DESCRIPTOR array_description(const TextureRequest& request, const Format& format) {
  CUDA_ARRAY3D_DESCRIPTOR description{};
  const bool flat = request.shape == "1d" || request.shape == "a1d";
  const bool deep = request.shape != "1d" && request.shape != "2d";
  description.Width = request.width;
  description.Height = flat ? 0 : request.height;
  description.Depth = deep ? request.slices : 0;
  description.Format = format.format;
  description.NumChannels = request.channels;
  description.Flags = CUDA_ARRAY3D_SURFACE_LDST;
  if (request.shape.front() == 'a') description.Flags |= CUDA_ARRAY3D_LAYERED;
  if (request.shape.ends_with("cube")) description.Flags |= CUDA_ARRAY3D_CUBEMAP;
  if (request.shape == "2d") description.Flags |= CUDA_ARRAY3D_TEXTURE_GATHER;
  return description;
}

bool same(const CUDA_ARRAY3D_DESCRIPTOR& a, const CUDA_ARRAY3D_DESCRIPTOR& b) {
  return a.Width == b.Width && a.Height == b.Height && a.Depth == b.Depth && a.Format == b.Format &&
         a.NumChannels == b.NumChannels && a.Flags == b.Flags;
}

bool wanted(const std::vector<uint64_t>& tensors, uint64_t tensor) {
  return tensors.empty() || std::ranges::find(tensors, tensor) != tensors.end();
}

}  // namespace

// A texture and a surface over one tensor share their array.
Result<CUarray> TextureStore::array_for(const TextureRequest& request) {
  ASSAY_TRY(const Format format, format_of(request));
  const CUDA_ARRAY3D_DESCRIPTOR description = array_description(request, format);
  for (Array& array : arrays_) {
    if (array.mipmap != nullptr || array.tensor != request.address || !same(array.description, description)) continue;
    array.written = array.written || request.surface;
    return array.array;
  }
  Array made;
  made.tensor = request.address;
  made.row_bytes = request.width * request.channels * format.bytes;
  made.rows = request.height;
  made.slices = request.slices;
  made.description = description;
  made.written = request.surface;
  ASSAY_CHECK(driver_.check(driver_.cuArray3DCreate(&made.array, &description),
                            fmt::format("cannot make the array of '{}'", request.name)));
  arrays_.push_back(made);
  return made.array;
}

// Its levels are arrays, which are filled as others are.
Result<CUmipmappedArray> TextureStore::mipmap_for(const TextureRequest& request) {
  ASSAY_TRY(const Format format, format_of(request));
  Mipmap made;
  made.description = array_description(request, format);
  made.description.Flags &= ~(CUDA_ARRAY3D_TEXTURE_GATHER | CUDA_ARRAY3D_SURFACE_LDST);
  made.tensors = {request.address};
  made.tensors.insert(made.tensors.end(), request.levels.begin(), request.levels.end());
  for (const Mipmap& known : mipmaps_) {
    if (known.tensors == made.tensors && same(known.description, made.description)) return known.levels;
  }
  const std::string what = fmt::format("cannot make the mipmap of '{}'", request.name);
  ASSAY_CHECK(driver_.check(
      driver_.cuMipmappedArrayCreate(&made.levels, &made.description, static_cast<unsigned>(made.tensors.size())),
      what));
  mipmaps_.push_back(made);
  Array level;
  level.mipmap = made.levels;
  uint64_t width = request.width;
  level.rows = request.height;
  level.slices = request.slices;
  for (size_t i = 0; i < made.tensors.size(); ++i) {
    level.tensor = made.tensors[i];
    level.row_bytes = width * request.channels * format.bytes;
    ASSAY_CHECK(
        driver_.check(driver_.cuMipmappedArrayGetLevel(&level.array, made.levels, static_cast<unsigned>(i)), what));
    arrays_.push_back(level);
    width = std::max<uint64_t>(1, width / 2);
    level.rows = std::max<uint64_t>(1, level.rows / 2);
    if (request.shape == "3d") level.slices = std::max<uint64_t>(1, level.slices / 2);
  }
  return made.levels;
}

Result<CUDA_RESOURCE_DESC> TextureStore::resource(const TextureRequest& request) {
  ASSAY_TRY(const Format format, format_of(request));
  CUDA_RESOURCE_DESC description{};
  const uint64_t row_bytes = request.width * request.channels * format.bytes;
  if (request.shape == "linear") {
    description.resType = CU_RESOURCE_TYPE_LINEAR;
    description.res.linear = {request.address, format.format, request.channels, row_bytes};
  } else if (request.shape == "pitch") {
    description.resType = CU_RESOURCE_TYPE_PITCH2D;
    description.res.pitch2D = {request.address, format.format,  request.channels,
                               request.width,   request.height, row_bytes};
  } else if (!request.levels.empty()) {
    description.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    ASSAY_TRY(description.res.mipmap.hMipmappedArray, mipmap_for(request));
  } else {
    description.resType = CU_RESOURCE_TYPE_ARRAY;
    ASSAY_TRY(description.res.array.hArray, array_for(request));
  }
  return description;
}

Result<uint64_t> TextureStore::object(const TextureRequest& request) {
  for (const Object& known : objects_) {
    if (known.request == request) return uint64_t{known.object};
  }
  ASSAY_TRY(const CUDA_RESOURCE_DESC from, resource(request));
  Object made{request};
  if (request.surface) {
    ASSAY_CHECK(driver_.check(driver_.cuSurfObjectCreate(&made.object, &from),
                              fmt::format("cannot make the surface '{}'", request.name)));
  } else {
    const CUDA_TEXTURE_DESC description = texture_description(request);
    ASSAY_CHECK(driver_.check(driver_.cuTexObjectCreate(&made.object, &from, &description, nullptr),
                              fmt::format("cannot make the texture '{}'", request.name)));
  }
  objects_.push_back(made);
  return uint64_t{made.object};
}

CUresult TextureStore::copy(const Array& array, bool in, CUstream stream) const {
  CUDA_MEMCPY3D copy{};
  copy.WidthInBytes = array.row_bytes;
  copy.Height = array.rows;
  copy.Depth = array.slices;
  if (in) {
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = array.tensor;
    copy.srcPitch = array.row_bytes;
    copy.srcHeight = array.rows;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array.array;
  } else {
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = array.array;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = array.tensor;
    copy.dstPitch = array.row_bytes;
    copy.dstHeight = array.rows;
  }
  return driver_.cuMemcpy3DAsync(&copy, stream);
}

CUresult TextureStore::fill(CUstream stream, const std::vector<uint64_t>& tensors) const {
  for (const Array& array : arrays_) {
    if (!wanted(tensors, array.tensor)) continue;
    if (const CUresult result = copy(array, true, stream); result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

CUresult TextureStore::drain(CUstream stream, const std::vector<uint64_t>& tensors) const {
  for (const Array& array : arrays_) {
    if (!array.written || !wanted(tensors, array.tensor)) continue;
    if (const CUresult result = copy(array, false, stream); result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

void TextureStore::destroy(const Object& object) const {
  if (object.request.surface) {
    driver_.cuSurfObjectDestroy(object.object);
  } else {
    driver_.cuTexObjectDestroy(object.object);
  }
}

void TextureStore::release(uint64_t address) {
  const auto allocation = std::ranges::find(allocations_, address, &Allocation::address);
  if (allocation == allocations_.end()) return;
  const uint64_t end = allocation->address + std::max<uint64_t>(1, allocation->bytes);
  const auto inside = [&](uint64_t each) { return each >= address && each < end; };
  std::erase_if(objects_, [&](const Object& object) {
    const bool gone = inside(object.request.address) || std::ranges::any_of(object.request.levels, inside);
    if (gone) destroy(object);
    return gone;
  });
  // A mipmap goes with any of its tensors, and takes its levels with it.
  for (const Mipmap& mipmap : mipmaps_) {
    if (!std::ranges::any_of(mipmap.tensors, inside)) continue;
    std::erase_if(arrays_, [&](const Array& array) { return array.mipmap == mipmap.levels; });
  }
  std::erase_if(mipmaps_, [&](const Mipmap& mipmap) {
    const bool gone = std::ranges::any_of(mipmap.tensors, inside);
    if (gone) driver_.cuMipmappedArrayDestroy(mipmap.levels);
    return gone;
  });
  std::erase_if(arrays_, [&](const Array& array) {
    const bool gone = inside(array.tensor);
    if (gone) driver_.cuArrayDestroy(array.array);
    return gone;
  });
  allocations_.erase(allocation);
}

void TextureStore::clear() {
  for (const Object& object : objects_) destroy(object);
  for (const Array& array : arrays_) {
    if (array.mipmap == nullptr) driver_.cuArrayDestroy(array.array);
  }
  for (const Mipmap& mipmap : mipmaps_) driver_.cuMipmappedArrayDestroy(mipmap.levels);
  mipmaps_.clear();
  objects_.clear();
  arrays_.clear();
}

}  // namespace assay::device::cuda
