// SPDX-License-Identifier: MIT
// Runs every tests/ptx/<family>/<case>.ptx on the virtual GPU, on one core and on several, with wide vectors or
// without.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>

#include "support/ptx_case.hpp"
#include "vgpu/decode/decode.hpp"
#include "vgpu/machine/gpu.hpp"
#include "vgpu/machine/tensor_map.hpp"

namespace assay::vgpu {
namespace {

using test::CaseArgument;
using test::PtxCase;

std::vector<std::string> case_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(ASSAY_SOURCE_DIR "/tests/ptx")) {
    if (entry.path().extension() == ".ptx") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

struct Prepared {
  std::vector<std::byte> parameters;
  std::vector<uint64_t> buffers;  // address of each argument's buffer, 0 for scalars and maps
};

TensorMap tensor_map(const CaseArgument& argument, uint64_t address) {
  TensorMap map;
  map.address = address;
  map.rank = static_cast<uint8_t>(argument.map.dims.size());
  map.element_bytes = static_cast<uint8_t>(test::element_bytes(argument.type));
  map.type = reduced_type(argument.type);
  map.swizzle_bits = static_cast<uint8_t>(argument.map.swizzle);
  map.fill = argument.map.fill_nan ? 0xff : 0;
  map.steps.fill(1);
  std::ranges::copy(argument.map.strides, map.strides.begin());
  std::ranges::transform(argument.map.dims, map.sizes.begin(), [](uint64_t n) { return static_cast<uint32_t>(n); });
  std::ranges::transform(argument.map.box, map.box.begin(), [](uint32_t n) { return static_cast<uint16_t>(n); });
  std::ranges::transform(argument.map.lower, map.lower.begin(), [](int n) { return static_cast<int16_t>(n); });
  std::ranges::transform(argument.map.upper, map.upper.begin(), [](int n) { return static_cast<int16_t>(n); });
  map.pixels = static_cast<uint16_t>(argument.map.pixels);
  std::ranges::transform(argument.map.steps, map.steps.begin(), [](uint32_t n) { return static_cast<uint8_t>(n); });
  return map;
}

Texture texture_object(const CaseArgument& argument, uint64_t address) {
  using enum TextureShape;
  const std::map<std::string, TextureShape> shapes{
      {"linear", linear},  {"1d", d1},          {"2d", d2},     {"3d", d3},
      {"a1d", layered_d1}, {"a2d", layered_d2}, {"cube", cube}, {"acube", layered_cube}};
  const std::map<std::string, TexelFormat> formats{
      {"u8", TexelFormat::u8},   {"s8", TexelFormat::s8},   {"u16", TexelFormat::u16}, {"s16", TexelFormat::s16},
      {"u32", TexelFormat::u32}, {"s32", TexelFormat::s32}, {"f16", TexelFormat::f16}, {"f32", TexelFormat::f32}};
  const std::map<std::string, AddressMode> modes{{"wrap", AddressMode::wrap},
                                                 {"clamp", AddressMode::clamp},
                                                 {"mirror", AddressMode::mirror},
                                                 {"border", AddressMode::border}};
  const test::CaseTexture& given = argument.texture;
  Texture texture;
  texture.name = "argument";
  texture.is_surface = argument.kind == CaseArgument::Kind::surface;
  texture.shape = shapes.at(given.shape);
  texture.format = formats.at(argument.type);
  texture.channels = given.channels;
  texture.address = address;
  const bool flat = texture.shape == layered_d1;
  texture.width = given.dims[0];
  texture.height = flat || given.dims.size() < 2 ? 1 : given.dims[1];
  texture.slices = flat ? given.dims.at(1) : given.dims.size() > 2 ? given.dims[2] : 1;
  texture.row_bytes = static_cast<uint64_t>(texture.width) * texture.texel_bytes();
  texture.slice_bytes = texture.row_bytes * static_cast<uint64_t>(texture.height);
  texture.linear = given.linear;
  texture.normalised = given.normalised;
  texture.as_integer = !given.fraction && !semantics::is_floating(texture.format);
  texture.modes.fill(modes.at(given.address));
  texture.border.fill(given.border);
  return texture;
}

// Parameters are laid out with natural alignment, as the kernel's list says.
Prepared prepare(Gpu& gpu, const PtxCase& test, const Function& kernel) {
  Prepared prepared;
  EXPECT_EQ(kernel.parameters.size(), test.arguments.size()) << "the test lines and the parameters differ in number";
  for (size_t i = 0; i < test.arguments.size() && i < kernel.parameters.size(); ++i) {
    const CaseArgument& argument = test.arguments[i];
    const Parameter& parameter = kernel.parameters[i];
    prepared.parameters.resize(parameter.offset + parameter.bytes);
    std::byte* place = prepared.parameters.data() + parameter.offset;
    if (argument.kind == CaseArgument::Kind::scalar) {
      std::memcpy(place, argument.initial.data(), std::min<size_t>(parameter.bytes, argument.initial.size()));
      prepared.buffers.push_back(0);
      continue;
    }
    if (argument.kind == CaseArgument::Kind::map) {
      EXPECT_EQ(parameter.bytes, TensorMap::kBytes) << "parameter " << i;
      const TensorMap map = tensor_map(argument, prepared.buffers[argument.map.buffer]);
      if (parameter.bytes == TensorMap::kBytes)
        map.pack(std::span<std::byte, TensorMap::kBytes>(place, TensorMap::kBytes));
      prepared.buffers.push_back(0);
      continue;
    }
    const size_t bytes = std::max(argument.initial.size(), argument.expected.size());
    const uint64_t address = *gpu.memory().allocate(bytes, "argument " + std::to_string(i));
    std::memset(gpu.memory().host(address), 0xcd, bytes);
    std::copy(argument.initial.begin(), argument.initial.end(), gpu.memory().host(address));
    const uint64_t value = argument.is_object() ? gpu.textures().add(texture_object(argument, address)) : address;
    std::memcpy(place, &value, sizeof value);
    prepared.buffers.push_back(address);
  }
  return prepared;
}

void run_case(const PtxCase& test, unsigned host_threads) {
  const gpu::GpuModel* model = gpu::find_model(test.device);
  ASSERT_NE(model, nullptr) << "no model '" << test.device << "'";
  Gpu gpu(*model);
  const auto program = load(gpu, test.text, test.file);
  const auto expect_error = [&](const Error& error) {
    EXPECT_NE(to_string(error).find(test.error), std::string::npos) << to_string(error);
  };
  if (!test.error.empty() && !program.ok()) return expect_error(program.error());
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  const Function* const refused = test.error.empty() ? nullptr : (*program)->entry(test.kernel);
  if (refused != nullptr && refused->undecodable) return expect_error(*refused->undecodable);
  const Function* kernel = (*program)->entry(test.kernel);
  ASSERT_NE(kernel, nullptr) << "no kernel '" << test.kernel << "'";
  Prepared prepared = prepare(gpu, test, *kernel);
  Launch launch;
  launch.program = *program;
  launch.kernel = kernel;
  launch.grid = {test.grid[0], test.grid[1], test.grid[2]};
  launch.block = {test.block[0], test.block[1], test.block[2]};
  launch.dynamic_shared_bytes = test.shared_bytes;
  launch.parameters = std::move(prepared.parameters);
  launch.host_threads = host_threads;
  launch.instruction_limit = 5'000'000;
  const auto result = gpu.launch(launch);
  if (!test.error.empty()) {
    ASSERT_FALSE(result.ok()) << "the module was accepted, and the kernel ran";
    return expect_error(result.error());
  }
  ASSERT_TRUE(result.ok()) << to_string(result.error());
  if (!test.fault.empty()) {
    ASSERT_TRUE(result->fault.has_value()) << "no fault, expected " << test.fault;
    EXPECT_EQ(to_string(result->fault->kind), test.fault) << result->fault->message;
    EXPECT_NE(result->fault->message.find(test.fault_text), std::string::npos) << result->fault->message;
    return;
  }
  ASSERT_FALSE(result->fault.has_value()) << result->fault->message << " at PTX line " << result->fault->ptx_line;
  for (size_t i = 0; i < test.arguments.size(); ++i) {
    if (prepared.buffers[i] == 0) continue;
    EXPECT_EQ(test::compare_values(test.arguments[i], gpu.memory().host(prepared.buffers[i])), "") << "parameter " << i;
  }
  if (test.printed) {
    EXPECT_EQ(result->printed, *test.printed);
  }
}

class PtxCaseTest : public testing::TestWithParam<std::string> {};

TEST_P(PtxCaseTest, GivesTheExpectedValues) {
  const auto test = test::read_ptx_case(GetParam());
  ASSERT_TRUE(test.ok()) << to_string(test.error());
  run_case(*test, 1);
  if (!HasFailure()) run_case(*test, 3);
}

INSTANTIATE_TEST_SUITE_P(All, PtxCaseTest, testing::ValuesIn(case_files()), [](const auto& instance) {
  const std::filesystem::path path(instance.param);
  std::string name = path.parent_path().filename().string() + "_" + path.stem().string();
  std::replace_if(name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

}  // namespace
}  // namespace assay::vgpu
