// SPDX-License-Identifier: MIT
// Takes about 10 s on a GPU, and a line for each texture as it goes: random fetches of textures of every format,
// filter, address mode and shape, compared bit by bit with what the virtual GPU computes. Mipmaps and sRGB follow: how
// the hardware finds the level of a step and sums light is not documented, so that these may differ by a few parts in
// 256. Their lines say how many do, behind up to 300 of them with all bits, from which a rule could be derived.
//   nvcc -std=c++20 -arch=native -I src tests/gpu/texture_truth.cu src/vgpu/semantics/texture.cpp
//        src/vgpu/machine/texture.cpp -o texture_truth && ./texture_truth [SEED]
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "vgpu/machine/texture.hpp"
#include "vgpu/semantics/float_bits.hpp"

namespace vgpu = assay::vgpu;
using vgpu::AddressMode;
using vgpu::TexelFormat;
using vgpu::TextureShape;

#define MUST(call)                                                                          \
  do {                                                                                      \
    if (const cudaError_t code = (call); code != cudaSuccess) {                             \
      std::printf("error: %s at line %d: %s\n", #call, __LINE__, cudaGetErrorString(code)); \
      std::exit(2);                                                                         \
    }                                                                                       \
  } while (false)

namespace {

constexpr int kFetches = 2048;

// --- fetches: coordinates x, y, z and a layer in, four channels out, all as bits

enum class Fetch { filtered, whole, gather_r, gather_g, level, gradient };

#define FETCH(name, text)                                                                                         \
  __global__ void name(unsigned long long t, const float4* at, uint4* out, int n) {                               \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                                                          \
    if (i >= n) return;                                                                                           \
    const float4 p = at[i];                                                                                       \
    const int x = __float_as_int(p.x), y = __float_as_int(p.y), z = __float_as_int(p.z), l = __float_as_int(p.w); \
    uint4 r;                                                                                                      \
    asm volatile("{.reg .b32 a, b, c, d;\n" text "\nmov.b32 %0, a;mov.b32 %1, b;mov.b32 %2, c;mov.b32 %3, d;}"    \
                 : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)                                                     \
                 : "l"(t), "r"(x), "r"(y), "r"(z), "r"(l));                                                       \
    out[i] = r;                                                                                                   \
  }
FETCH(fetch_1d, "tex.1d.v4.f32.f32 {a, b, c, d}, [%4, {%5}];")
FETCH(fetch_2d, "tex.2d.v4.f32.f32 {a, b, c, d}, [%4, {%5, %6}];")
FETCH(fetch_3d, "tex.3d.v4.f32.f32 {a, b, c, d}, [%4, {%5, %6, %7, %7}];")
FETCH(fetch_a1d, "tex.a1d.v4.f32.f32 {a, b, c, d}, [%4, {%8, %5}];")
FETCH(fetch_a2d, "tex.a2d.v4.f32.f32 {a, b, c, d}, [%4, {%8, %5, %6, %6}];")
FETCH(fetch_cube, "tex.cube.v4.f32.f32 {a, b, c, d}, [%4, {%5, %6, %7, %7}];")
FETCH(fetch_acube, "tex.acube.v4.f32.f32 {a, b, c, d}, [%4, {%8, %5, %6, %7}];")
FETCH(whole_linear, "tex.1d.v4.f32.s32 {a, b, c, d}, [%4, {%5}];")
FETCH(whole_2d, "tex.2d.v4.f32.s32 {a, b, c, d}, [%4, {%5, %6}];")
FETCH(whole_3d, "tex.3d.v4.f32.s32 {a, b, c, d}, [%4, {%5, %6, %7, %7}];")
FETCH(gather_r, "tld4.r.2d.v4.f32.f32 {a, b, c, d}, [%4, {%5, %6}];")
FETCH(gather_g, "tld4.g.2d.v4.f32.f32 {a, b, c, d}, [%4, {%5, %6}];")

// The level stands where the layer does, and with layers in the place of z; steps along x and y in z and the layer.
FETCH(level_1d, "tex.level.1d.v4.f32.f32 {a, b, c, d}, [%4, {%5}], %8;")
FETCH(level_2d, "tex.level.2d.v4.f32.f32 {a, b, c, d}, [%4, {%5, %6}], %8;")
FETCH(level_3d, "tex.level.3d.v4.f32.f32 {a, b, c, d}, [%4, {%5, %6, %7, %7}], %8;")
FETCH(level_a2d, "tex.level.a2d.v4.f32.f32 {a, b, c, d}, [%4, {%8, %5, %6, %6}], %7;")
FETCH(level_cube, "tex.level.cube.v4.f32.f32 {a, b, c, d}, [%4, {%5, %6, %7, %7}], %8;")
FETCH(gradient_2d,
      ".reg .b32 z; mov.b32 z, 0;\n"
      "tex.grad.2d.v4.f32.f32 {a, b, c, d}, [%4, {%5, %6}], {%7, z}, {z, %8};")

using Kernel = void (*)(unsigned long long, const float4*, uint4*, int);

Kernel kernel_of(TextureShape shape, Fetch fetch) {
  if (fetch == Fetch::gather_r) return gather_r;
  if (fetch == Fetch::gather_g) return gather_g;
  if (fetch == Fetch::gradient) return gradient_2d;
  const bool whole = fetch == Fetch::whole;
  if (fetch == Fetch::level) {
    if (shape == TextureShape::d1) return level_1d;
    if (shape == TextureShape::d3) return level_3d;
    if (shape == TextureShape::layered_d2) return level_a2d;
    return shape == TextureShape::cube ? level_cube : level_2d;
  }
  switch (shape) {
    case TextureShape::linear:
      return whole_linear;
    case TextureShape::d1:
      return fetch_1d;
    case TextureShape::d2:
      return whole ? whole_2d : fetch_2d;
    case TextureShape::d3:
      return whole ? whole_3d : fetch_3d;
    case TextureShape::layered_d1:
      return fetch_a1d;
    case TextureShape::layered_d2:
      return fetch_a2d;
    case TextureShape::cube:
      return fetch_cube;
    case TextureShape::layered_cube:
      return fetch_acube;
  }
  return nullptr;
}

// --- random textures

uint64_t state = 1;
uint64_t next() {
  uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
double uniform() {
  return static_cast<double>(next() >> 11) * 0x1p-53;
}
int below(int bound) {
  return static_cast<int>(next() % static_cast<uint64_t>(bound));
}

size_t image_bytes(const vgpu::Texture& texture) {
  return texture.slice_bytes * static_cast<size_t>(texture.slices);
}

// Of all levels, one behind the other; a level's address is where it begins.
std::vector<std::byte> random_texels(const vgpu::Texture& texture) {
  const vgpu::Texture& last = texture.levels.empty() ? texture : texture.levels.back();
  const size_t bytes = last.address + image_bytes(last);
  std::vector<std::byte> texels(bytes);
  for (size_t at = 0; at < bytes; at += 4) {
    uint32_t word = static_cast<uint32_t>(next());
    if (texture.format == TexelFormat::f32) {
      const int exponent = texture.levels.empty() ? below(40) - 30 : 0;  // levels are compared by their difference
      word = vgpu::semantics::bits_of(static_cast<float>(std::ldexp(uniform() * 2 - 1, exponent)));
    } else if (texture.format == TexelFormat::f16) {  // finite ones
      word &= 0xbbffbbffu;
    }
    std::memcpy(texels.data() + at, &word, std::min<size_t>(4, bytes - at));
  }
  return texels;
}

float random_place(double size, bool normalised) {
  double at = (uniform() * 3 - 1) * size;
  if (below(4) == 0)
    at = (below(static_cast<int>(6 * size)) - 2 * size) / 2 + (uniform() - 0.5) / (below(2) == 0 ? 256 : 65536);
  if (below(16) == 0) at *= 1000;
  return static_cast<float>(normalised ? at / size : at);
}

float4 random_coordinates(const vgpu::Texture& texture, Fetch fetch) {
  const std::array<double, 3> sizes = {static_cast<double>(texture.width), static_cast<double>(texture.height),
                                       static_cast<double>(texture.slices)};
  const bool cube = texture.shape == TextureShape::cube || texture.shape == TextureShape::layered_cube;
  std::array<float, 4> at{};
  for (size_t i = 0; i < 3; ++i) {
    if (fetch == Fetch::whole) {
      const int32_t texel = below(static_cast<int>(3 * sizes[i])) - static_cast<int>(sizes[i]);
      std::memcpy(&at[i], &texel, sizeof texel);
    } else {
      at[i] = cube ? static_cast<float>(uniform() * 2 - 1) : random_place(sizes[i], texture.normalised);
    }
  }
  const int32_t layer = below(12) - 3;
  std::memcpy(&at[3], &layer, sizeof layer);
  // Some levels are whole, some in the middle between two, and some lie outside.
  const auto level = [&] { return static_cast<float>(below(3) == 0 ? (below(12) - 2) / 2.0 : uniform() * 6 - 1); };
  if (fetch == Fetch::level) at[texture.shape == TextureShape::layered_d2 ? 2 : 3] = level();
  if (fetch == Fetch::gradient) {
    at[2] = std::exp2(level()) / static_cast<float>(texture.width);
    at[3] = std::exp2(level()) / static_cast<float>(texture.height);
  }
  return make_float4(at[0], at[1], at[2], at[3]);
}

// --- the same on both sides

cudaChannelFormatDesc channels_of(const vgpu::Texture& texture) {
  const int bits = 8 * static_cast<int>(vgpu::semantics::bytes_of(texture.format));
  const bool floating = vgpu::semantics::is_floating(texture.format);
  const bool is_signed =
      texture.format == TexelFormat::s8 || texture.format == TexelFormat::s16 || texture.format == TexelFormat::s32;
  const auto kind = floating    ? cudaChannelFormatKindFloat
                    : is_signed ? cudaChannelFormatKindSigned
                                : cudaChannelFormatKindUnsigned;
  return cudaCreateChannelDesc(bits, texture.channels > 1 ? bits : 0, texture.channels > 2 ? bits : 0,
                               texture.channels > 2 ? bits : 0, kind);
}

struct OnGpu {
  cudaArray_t array = nullptr;
  cudaMipmappedArray_t mipmap = nullptr;
  void* memory = nullptr;
  cudaTextureObject_t object = 0;
};

void copy_image(const vgpu::Texture& image, const std::vector<std::byte>& texels, cudaArray_t array) {
  const auto width = static_cast<size_t>(image.width), height = static_cast<size_t>(image.height);
  cudaMemcpy3DParms copy{};
  copy.srcPtr =
      make_cudaPitchedPtr(const_cast<std::byte*>(texels.data() + image.address), image.row_bytes, width, height);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(width, height, static_cast<size_t>(image.slices));
  copy.kind = cudaMemcpyHostToDevice;
  MUST(cudaMemcpy3D(&copy));
}

OnGpu make(const vgpu::Texture& texture, const std::vector<std::byte>& texels, Fetch fetch) {
  OnGpu made;
  const cudaChannelFormatDesc channels = channels_of(texture);
  cudaResourceDesc resource{};
  if (texture.shape == TextureShape::linear) {
    MUST(cudaMalloc(&made.memory, texels.size()));
    MUST(cudaMemcpy(made.memory, texels.data(), texels.size(), cudaMemcpyHostToDevice));
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear = {made.memory, channels, texels.size()};
  } else {
    const bool layered = texture.shape == TextureShape::layered_d1 || texture.shape == TextureShape::layered_d2 ||
                         texture.shape == TextureShape::layered_cube;
    const bool cube = texture.shape == TextureShape::cube || texture.shape == TextureShape::layered_cube;
    const bool flat = texture.shape == TextureShape::d1 || texture.shape == TextureShape::layered_d1;
    const bool deep = texture.shape != TextureShape::d1 && texture.shape != TextureShape::d2;
    const bool gathers = fetch == Fetch::gather_r || fetch == Fetch::gather_g;
    const unsigned flags =
        (layered ? cudaArrayLayered : 0u) | (cube ? cudaArrayCubemap : 0u) | (gathers ? cudaArrayTextureGather : 0u);
    const auto width = static_cast<size_t>(texture.width), height = static_cast<size_t>(texture.height),
               slices = static_cast<size_t>(texture.slices);
    const cudaExtent extent = make_cudaExtent(width, flat ? 0 : height, deep ? slices : 0);
    if (texture.levels.empty()) {
      MUST(cudaMalloc3DArray(&made.array, &channels, extent, flags));
      copy_image(texture, texels, made.array);
      resource.resType = cudaResourceTypeArray;
      resource.res.array.array = made.array;
    } else {
      const auto levels = static_cast<unsigned>(texture.levels.size() + 1);
      MUST(cudaMallocMipmappedArray(&made.mipmap, &channels, extent, levels, flags));
      for (unsigned i = 0; i < levels; ++i) {
        cudaArray_t level = nullptr;
        MUST(cudaGetMipmappedArrayLevel(&level, made.mipmap, i));
        copy_image(i == 0 ? texture : texture.levels[i - 1], texels, level);
      }
      resource.resType = cudaResourceTypeMipmappedArray;
      resource.res.mipmap.mipmap = made.mipmap;
    }
  }
  cudaTextureDesc description{};
  const bool flat = texture.shape == TextureShape::d1 || texture.shape == TextureShape::layered_d1;
  for (int i = 0; i < 3; ++i)
    description.addressMode[i] = i > 0 && flat
                                     ? cudaAddressModeClamp
                                     : static_cast<cudaTextureAddressMode>(texture.modes[static_cast<size_t>(i)]);
  description.filterMode = texture.linear ? cudaFilterModeLinear : cudaFilterModePoint;
  const bool fraction = !texture.as_integer && !vgpu::semantics::is_floating(texture.format);
  description.readMode = fraction ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  description.normalizedCoords = texture.normalised ? 1 : 0;
  for (size_t i = 0; i < 4; ++i) description.borderColor[i] = texture.border[i];
  description.sRGB = texture.srgb ? 1 : 0;
  description.mipmapFilterMode = texture.linear_levels ? cudaFilterModeLinear : cudaFilterModePoint;
  description.mipmapLevelBias = texture.level_bias;
  description.minMipmapLevelClamp = texture.first_level;
  description.maxMipmapLevelClamp = texture.last_level;
  MUST(cudaCreateTextureObject(&made.object, &resource, &description, nullptr));
  return made;
}

// `aside`: added to the level of a step.
std::array<uint32_t, 4> on_virtual(const vgpu::Texture& texture, const std::vector<std::byte>& texels, float4 bits,
                                   Fetch fetch, float aside = 0) {
  vgpu::TextureCoordinates at;
  at.place = {bits.x, bits.y, bits.z};
  std::memcpy(at.texel.data(), &bits, 12);
  std::memcpy(&at.layer, &bits.w, 4);
  at.whole = fetch == Fetch::whole;
  if (fetch == Fetch::level) at.level = texture.shape == TextureShape::layered_d2 ? bits.z : bits.w;
  if (fetch == Fetch::gradient) at.level = vgpu::level_of(texture, at, {bits.z, 0, 0}, {0, bits.w, 0}) + aside;
  const bool gathers = fetch == Fetch::gather_r || fetch == Fetch::gather_g;
  const vgpu::Footprint taps = gathers ? vgpu::gather_footprint(texture, at) : vgpu::footprint(texture, at);
  vgpu::TexelPointers pointers{};
  for (size_t i = 0; i < taps.count; ++i) pointers[i] = texels.data() + taps.taps[i].offset;
  return gathers ? vgpu::gather(texture, taps, pointers, fetch == Fetch::gather_r ? 0 : 1)
                 : vgpu::sample(texture, taps, pointers);
}

// Bit by bit, except for sums of s8 and sums of more than four floating numbers: those are rounded by rules that are
// not known.
bool agrees(const vgpu::Texture& texture, uint32_t got, uint32_t want) {
  if (got == want) return true;
  const float difference = std::fabs(vgpu::semantics::float_of(got) - vgpu::semantics::float_of(want));
  // Texels of mipmaps and sRGB lie within -1 and 1: three parts in 256 of the largest difference.
  if (!texture.levels.empty() || texture.srgb) return difference <= 6.0f / 256;
  const float half_place = std::max(0x1p-24f, std::fabs(vgpu::semantics::float_of(want)) * 0x1p-10f);
  return texture.linear && ((texture.format == TexelFormat::s8 && difference <= 1.01f / 32767) ||
                            (texture.format == TexelFormat::f16 && difference <= half_place) ||
                            (texture.format == TexelFormat::f32 &&
                             (std::max(got, want) - std::min(got, want) <= 2 || difference <= 0x1p-24f)));
}

bool agree(const vgpu::Texture& texture, const std::array<uint32_t, 4>& got, const std::array<uint32_t, 4>& want) {
  for (size_t c = 0; c < 4; ++c)
    if (!agrees(texture, got[c], want[c])) return false;
  return true;
}

int compared = 0, inexact = 0, failed = 0;

void compare(const char* what, const vgpu::Texture& texture, Fetch fetch) {
  const std::vector<std::byte> texels = random_texels(texture);
  const OnGpu gpu = make(texture, texels, fetch);
  std::vector<float4> at(kFetches);
  for (float4& each : at) each = random_coordinates(texture, fetch);
  float4* places = nullptr;
  uint4* results = nullptr;
  MUST(cudaMalloc(&places, at.size() * sizeof(float4)));
  MUST(cudaMalloc(&results, at.size() * sizeof(uint4)));
  MUST(cudaMemcpy(places, at.data(), at.size() * sizeof(float4), cudaMemcpyHostToDevice));
  kernel_of(texture.shape, fetch)<<<kFetches / 128, 128>>>(gpu.object, places, results, kFetches);
  MUST(cudaGetLastError());
  std::vector<uint4> got(at.size());
  MUST(cudaMemcpy(got.data(), results, got.size() * sizeof(uint4), cudaMemcpyDeviceToHost));
  const bool documented = texture.levels.empty() && !texture.srgb;
  const int examples = documented ? 2 : 300;
  int wrong = 0, near = 0, shown = 0;
  for (size_t i = 0; i < at.size(); ++i) {
    const std::array<uint32_t, 4> want = {got[i].x, got[i].y, got[i].z, got[i].w};
    const std::array<uint32_t, 4> ours = on_virtual(texture, texels, at[i], fetch);
    const bool same = ours == want;
    bool close = agree(texture, ours, want);
    // The logarithm of a step has eight bits behind the point, the last of which is not ours: half-way between two
    // levels the nearest one may be the other.
    for (const float aside : {-1.0f / 256, 1.0f / 256})
      close =
          close || (fetch == Fetch::gradient && agree(texture, on_virtual(texture, texels, at[i], fetch, aside), want));
    near += !same && close;
    wrong += !close;
    if ((!close || (!same && !documented)) && ++shown <= examples) {
      std::array<uint32_t, 4> bits{};
      std::memcpy(bits.data(), &at[i], sizeof bits);
      std::printf(
          "  at (%08x, %08x, %08x, %08x): the GPU gives %08x %08x %08x %08x, the virtual one %08x %08x %08x %08x\n",
          bits[0], bits[1], bits[2], bits[3], want[0], want[1], want[2], want[3], ours[0], ours[1], ours[2], ours[3]);
    }
  }
  compared += kFetches, inexact += near, failed += wrong;
  std::printf("%s %s format %d channels %u %s mode %d%s%s: %d differ, %d in the last place\n", what,
              std::string(to_string(texture.shape)).c_str(), static_cast<int>(texture.format), texture.channels,
              texture.linear ? "linear" : "point", static_cast<int>(texture.modes[0]),
              texture.normalised ? " normalised" : "", texture.as_integer ? " as integers" : "", wrong, near);
  std::fflush(stdout);
  MUST(cudaDestroyTextureObject(gpu.object));
  if (gpu.array != nullptr) MUST(cudaFreeArray(gpu.array));
  if (gpu.mipmap != nullptr) MUST(cudaFreeMipmappedArray(gpu.mipmap));
  if (gpu.memory != nullptr) MUST(cudaFree(gpu.memory));
  MUST(cudaFree(places));
  MUST(cudaFree(results));
}

void set_size(vgpu::Texture& texture, int64_t width, int64_t height, int64_t slices) {
  texture.width = width, texture.height = height, texture.slices = slices;
  texture.row_bytes = static_cast<uint64_t>(width) * texture.texel_bytes();
  texture.slice_bytes = texture.row_bytes * static_cast<uint64_t>(height);
}

vgpu::Texture texture_of(TextureShape shape, TexelFormat format, uint32_t channels, AddressMode mode, bool normalised,
                         bool filtered, bool as_integer) {
  using enum TextureShape;
  vgpu::Texture texture;
  texture.shape = shape;
  texture.format = format;
  texture.channels = channels;
  texture.modes.fill(mode);
  texture.normalised = normalised;
  texture.linear = filtered;
  texture.as_integer = as_integer;
  texture.border = {0.25f, 0.5f, 0.75f, 1.0f};
  if (as_integer) texture.border = {};
  const int64_t width = 2 + below(60), height = 2 + below(20);
  switch (shape) {
    case linear:
    case d1:
      set_size(texture, width, 1, 1);
      break;
    case d2:
      set_size(texture, width, height, 1);
      break;
    case layered_d1:
      set_size(texture, width, 1, 1 + below(5));
      break;
    case cube:
      set_size(texture, height, height, 6);
      break;
    case layered_cube:
      set_size(texture, height, height, 12);
      break;
    default:
      set_size(texture, width, height, 2 + below(5));
  }
  return texture;
}

vgpu::Texture mipmap_of(TextureShape shape, TexelFormat format, bool filtered, bool linear_levels) {
  vgpu::Texture texture = texture_of(shape, format, 1, AddressMode::clamp, true, filtered, false);
  texture.linear_levels = linear_levels;
  vgpu::Texture level = texture;
  uint64_t end = image_bytes(texture);
  const auto half = [](int64_t size) { return std::max<int64_t>(1, size / 2); };
  const int64_t largest = std::max({texture.width, texture.height, shape == TextureShape::d3 ? texture.slices : 1});
  for (int64_t size = largest; size > 1 && texture.levels.size() < 4; size /= 2) {
    set_size(level, half(level.width), half(level.height),
             shape == TextureShape::d3 ? half(level.slices) : level.slices);
    level.address = end = (end + 3) / 4 * 4;
    end += image_bytes(level);
    texture.levels.push_back(level);
  }
  texture.last_level = static_cast<float>(texture.levels.size());
  return texture;
}

void run_mipmaps() {
  using enum TextureShape;
  for (const TexelFormat format : {TexelFormat::f32, TexelFormat::f16, TexelFormat::u8}) {
    for (const bool filtered : {false, true}) {
      for (const bool linear_levels : {false, true}) {
        for (const TextureShape shape : {d1, d2, d3, layered_d2, cube})
          compare(linear_levels ? "mixed levels" : "levels", mipmap_of(shape, format, filtered, linear_levels),
                  Fetch::level);
        compare(linear_levels ? "mixed steps" : "steps", mipmap_of(d2, format, filtered, linear_levels),
                Fetch::gradient);
        vgpu::Texture limited = mipmap_of(d2, format, filtered, linear_levels);
        limited.level_bias = 0.75f;
        limited.first_level = 0.5f;
        limited.last_level = 1.75f;
        compare("limits and bias", limited, Fetch::level);
        compare("limits and bias, no level", limited, Fetch::filtered);
      }
    }
  }
  for (const uint32_t channels : {1u, 2u, 4u}) {
    for (const bool filtered : {false, true}) {
      vgpu::Texture light = texture_of(d2, TexelFormat::u8, channels, AddressMode::clamp, true, filtered, false);
      light.srgb = true;
      compare("sRGB", light, Fetch::filtered);
    }
  }
}

void run() {
  using enum TextureShape;
  constexpr std::array kFormats = {TexelFormat::u8,  TexelFormat::u16, TexelFormat::s8,  TexelFormat::s16,
                                   TexelFormat::f16, TexelFormat::f32, TexelFormat::u32, TexelFormat::s32};
  constexpr std::array kModes = {AddressMode::wrap, AddressMode::clamp, AddressMode::mirror, AddressMode::border};
  for (const TexelFormat format : kFormats) {
    const bool wide_integer = format == TexelFormat::u32 || format == TexelFormat::s32;
    for (const uint32_t channels : {1u, 2u, 4u}) {
      for (const AddressMode mode : kModes) {
        for (const bool normalised : {false, true}) {
          for (const TextureShape shape : {d1, d2, d3}) {
            if (!wide_integer) {
              compare("fetch", texture_of(shape, format, channels, mode, normalised, true, false), Fetch::filtered);
              compare("fetch", texture_of(shape, format, channels, mode, normalised, false, false), Fetch::filtered);
            }
            if (!vgpu::semantics::is_floating(format))
              compare("fetch", texture_of(shape, format, channels, mode, normalised, false, true), Fetch::filtered);
          }
        }
      }
      const bool integers = !vgpu::semantics::is_floating(format);
      compare("whole", texture_of(linear, format, channels, AddressMode::clamp, false, false, integers), Fetch::whole);
      compare("whole", texture_of(d2, format, channels, AddressMode::clamp, false, false, integers), Fetch::whole);
      compare("whole", texture_of(d3, format, channels, AddressMode::border, false, false, integers), Fetch::whole);
      compare("gather", texture_of(d2, format, channels, AddressMode::wrap, true, false, integers), Fetch::gather_r);
      compare("gather", texture_of(d2, format, channels, AddressMode::clamp, false, false, integers), Fetch::gather_g);
    }
  }
  for (const bool filtered : {false, true}) {
    for (const AddressMode mode : kModes) {
      compare("layers", texture_of(layered_d1, TexelFormat::f32, 1, mode, true, filtered, false), Fetch::filtered);
      compare("layers", texture_of(layered_d2, TexelFormat::f32, 2, mode, true, filtered, false), Fetch::filtered);
    }
    compare("cube", texture_of(cube, TexelFormat::f32, 1, AddressMode::clamp, true, filtered, false), Fetch::filtered);
    compare("cube", texture_of(layered_cube, TexelFormat::f32, 1, AddressMode::clamp, true, filtered, false),
            Fetch::filtered);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) state = std::strtoull(argv[1], nullptr, 10);
  cudaDeviceProp properties{};
  MUST(cudaGetDeviceProperties(&properties, 0));
  int driver = 0;
  MUST(cudaDriverGetVersion(&driver));
  std::printf("%s, driver of CUDA %d.%d, seed %llu\n", properties.name, driver / 1000, driver % 1000 / 10,
              static_cast<unsigned long long>(state));
  run();
  run_mipmaps();
  std::printf("texture_truth: %d fetches, %d differ, %d within the last place\n", compared, failed, inexact);
  return failed == 0 ? 0 : 1;
}
