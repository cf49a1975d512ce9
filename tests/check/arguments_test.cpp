// SPDX-License-Identifier: MIT
#include "check/arguments.hpp"

#include <cstring>
#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"
#include "device/open/open_device.hpp"

namespace assay::check {
namespace {

constexpr const char* kToml = R"toml([kernel]
name = "copy"
source = "copy.cu"
entry = "copy_{dtype}"
targets = ["sm_90"]
[problem]
reference = "copy"
[[argument]]
name = "x"
tensor = { dtype = "{dtype}", shape = ["ROWS", "COLUMNS"] }
[[argument]]
name = "tiles"
tensormap = { of = "x", box = ["8", "16"], swizzle = 32 }
[[argument]]
name = "y"
tensor = { dtype = "{dtype}", shape = ["ROWS", "COLUMNS"], output = true }
[[argument]]
name = "rows"
scalar = { type = "u16", value = "ROWS" }
[[argument]]
name = "scale"
scalar = { type = "f32", value = "1/ROWS" }
[[argument]]
name = "causal"
scalar = { type = "bool", value = "ROWS > 4" }
[launch]
grid = ["ceil_div(COLUMNS, BLOCK)", "ROWS"]
block = ["BLOCK"]
shared_bytes = "4*BLOCK"
[tunable]
BLOCK = [32, 64]
[shapes]
canonical = [{ ROWS = 8, COLUMNS = 100, dtype = "f16" }]
)toml";

template <class T>
T value_of(const std::vector<std::byte>& bytes) {
  T value{};
  EXPECT_EQ(bytes.size(), sizeof value);
  if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// Encodes tensor maps, and nothing else: keeps what it was asked for.
class MapDevice : public device::Device {
 public:
  std::string name() const override { return "map"; }
  const gpu::GpuModel& model() const override { return *gpu::find_model("h100"); }
  Result<std::unique_ptr<device::Module>> load(std::string_view, const std::string&) override { return refusal(); }
  std::vector<std::string> approximate_instructions(const device::Module&) const override { return {}; }
  Result<uint64_t> allocate(uint64_t, const std::string&) override { return refusal(); }
  Result<void> release(uint64_t) override { return refusal(); }
  Result<void> upload(uint64_t, std::span<const std::byte>) override { return refusal(); }
  Result<void> download(uint64_t, std::span<std::byte>) override { return refusal(); }
  Result<uint64_t> variable_bytes(const device::Module&, const std::string&) override { return refusal(); }
  Result<void> write_variable(const device::Module&, const std::string&, std::span<const std::byte>) override {
    return refusal();
  }
  Result<void> read_variable(const device::Module&, const std::string&, std::span<std::byte>) override {
    return refusal();
  }
  Result<device::LaunchOutcome> launch(const device::LaunchRequest&) override { return refusal(); }
  Result<std::vector<std::byte>> encode_tensor_map(const device::TensorMapRequest& request) override {
    asked = request;
    return std::vector<std::byte>(device::kTensorMapBytes, std::byte{7});
  }
  bool has_tensor_maps() const override { return true; }
  bool has_clusters() const override { return true; }
  bool has_checks() const override { return false; }

  device::TensorMapRequest asked;

 private:
  static Error refusal() { return Error{"this device only encodes tensor maps"}; }
};

class ArgumentsTest : public testing::Test {
 protected:
  void SetUp() override { load(kToml); }
  void load(const std::string& toml) {
    folder_.write("copy.cu", "// never compiled\n");
    folder_.write("kernel.toml", toml);
    auto spec = spec::load(folder_.path());
    ASSERT_TRUE(spec.ok()) << to_string(spec.error());
    spec_ = std::move(*spec);
    shape_ = *spec::first_shape(spec_);
    configuration_ = *spec::parse_configuration(spec_, "BLOCK=64");
    auto arguments = spec::resolve_arguments(spec_, configuration_, shape_);
    ASSERT_TRUE(arguments.ok()) << to_string(arguments.error());
    arguments_ = std::move(*arguments);
  }

  const std::vector<std::string>& names() const { return spec_.stages.front().arguments; }

  TemporaryFolder folder_;
  spec::KernelSpec spec_;
  spec::Shape shape_;
  spec::Configuration configuration_;
  std::vector<spec::ResolvedArgument> arguments_;
};

TEST_F(ArgumentsTest, bytes_are_in_the_order_and_of_the_size_of_the_parameters) {
  MapDevice device;
  const auto bytes = argument_bytes(device, arguments_, names(), {{"x", 0x1000}, {"y", 0x2000}});
  ASSERT_TRUE(bytes.ok()) << to_string(bytes.error());
  ASSERT_EQ(bytes->size(), 6u);
  EXPECT_EQ(value_of<uint64_t>(bytes->at(0)), 0x1000u);
  EXPECT_EQ(bytes->at(1), std::vector<std::byte>(device::kTensorMapBytes, std::byte{7})) << "as the device encodes it";
  EXPECT_EQ(value_of<uint64_t>(bytes->at(2)), 0x2000u);
  EXPECT_EQ(value_of<uint16_t>(bytes->at(3)), 8);
  EXPECT_EQ(value_of<float>(bytes->at(4)), 0.125f);
  EXPECT_EQ(value_of<uint8_t>(bytes->at(5)), 1);
}

TEST_F(ArgumentsTest, tensor_maps_are_over_the_tensor_that_they_name) {
  MapDevice device;
  ASSERT_TRUE(argument_bytes(device, arguments_, names(), {{"x", 0x1000}, {"y", 0x2000}}).ok());
  const device::TensorMapRequest& map = device.asked;
  EXPECT_EQ(map.dtype, "f16");
  EXPECT_EQ(map.address, 0x1000u);
  EXPECT_EQ(map.dims, (std::vector<uint64_t>{8, 100}));
  EXPECT_EQ(map.stride_bytes, (std::vector<uint64_t>{200, 2}));
  EXPECT_EQ(map.box, (std::vector<uint32_t>{8, 16}));
  EXPECT_EQ(map.element_strides, (std::vector<uint32_t>{1, 1}));
  EXPECT_EQ(map.swizzle, 32);
  EXPECT_EQ(map.interleave, 0);
  EXPECT_FALSE(map.out_of_bounds_nan);
}

// struct Params { TensorMap tiles; float* y; uint16_t rows; }, and x is reached through the map alone.
TEST_F(ArgumentsTest, fields_of_a_structure_are_laid_out_as_in_cpp) {
  std::string toml = kToml;
  const auto put = [&](const std::string& after, const std::string& line) {
    toml.insert(toml.find('\n', toml.find(after)) + 1, line + "\n");
  };
  put("name = \"x\"", "passed = false");
  for (const char* field : {"name = \"tiles\"", "name = \"y\"", "name = \"rows\""}) put(field, "struct = \"params\"");
  load(toml);
  MapDevice device;
  const auto bytes = argument_bytes(device, arguments_, names(), {{"x", 0x1000}, {"y", 0x2000}});
  ASSERT_TRUE(bytes.ok()) << to_string(bytes.error());
  ASSERT_EQ(bytes->size(), 3u) << "the structure, scale, causal";
  const std::vector<std::byte>& structure = bytes->at(0);
  ASSERT_EQ(structure.size(), 192u) << "138 bytes, up to a multiple of a tensor map's alignment";
  EXPECT_EQ(structure[0], std::byte{7});
  EXPECT_EQ(structure[127], std::byte{7});
  uint64_t pointer = 0;
  std::memcpy(&pointer, structure.data() + 128, sizeof pointer);
  EXPECT_EQ(pointer, 0x2000u);
  EXPECT_EQ(structure[136], std::byte{8});
  EXPECT_EQ(value_of<float>(bytes->at(1)), 0.125f);
}

TEST_F(ArgumentsTest, a_field_begins_at_a_multiple_of_its_size) {
  std::string toml = kToml;
  for (const char* field : {"name = \"rows\"", "name = \"scale\"", "name = \"causal\""})
    toml.insert(toml.find('\n', toml.find(field)) + 1, "struct = \"params\"\n");
  load(toml);
  MapDevice device;
  const auto bytes = argument_bytes(device, arguments_, names(), {{"x", 0x1000}, {"y", 0x2000}});
  ASSERT_TRUE(bytes.ok()) << to_string(bytes.error());
  ASSERT_EQ(bytes->size(), 4u);
  const std::vector<std::byte>& structure = bytes->at(3);  // u16, two bytes between, f32, bool, three bytes behind
  ASSERT_EQ(structure.size(), 12u);
  float scale = 0;
  std::memcpy(&scale, structure.data() + 4, sizeof scale);
  EXPECT_EQ(scale, 0.125f);
  EXPECT_EQ(structure[8], std::byte{1});
}

TEST_F(ArgumentsTest, a_field_lies_where_the_specification_puts_it) {
  std::string toml = kToml;
  toml.insert(toml.find('\n', toml.find("name = \"rows\"")) + 1, "struct = { name = \"params\", at = 6 }\n");
  toml.insert(toml.find('\n', toml.find("name = \"scale\"")) + 1,
              "struct = { name = \"params\", at = 16, bytes = 40 }\n");
  load(toml);
  MapDevice device;
  const auto bytes = argument_bytes(device, arguments_, names(), {{"x", 0x1000}, {"y", 0x2000}});
  ASSERT_TRUE(bytes.ok()) << to_string(bytes.error());
  const std::vector<std::byte>& structure = bytes->at(3);
  ASSERT_EQ(structure.size(), 40u);
  EXPECT_EQ(structure[6], std::byte{8});
  float scale = 0;
  std::memcpy(&scale, structure.data() + 16, sizeof scale);
  EXPECT_EQ(scale, 0.125f);
}

TEST_F(ArgumentsTest, views_and_arrays_of_pointers_point_into_tensors) {
  std::string toml = kToml;
  toml.insert(toml.find("[launch]"),
              "[[argument]]\nname = \"second\"\nview = { of = \"y\", offset = \"COLUMNS\" }\n"
              "[[argument]]\nname = \"list\"\npointers = { of = \"x\", count = \"ROWS\", step = \"COLUMNS\" }\n");
  load(toml);
  MapDevice device;
  const std::map<std::string, uint64_t> addresses{{"x", 0x1000}, {"y", 0x2000}, {"list", 0x3000}};
  const auto bytes = argument_bytes(device, arguments_, names(), addresses);
  ASSERT_TRUE(bytes.ok()) << to_string(bytes.error());
  EXPECT_EQ(value_of<uint64_t>(bytes->at(6)), 0x2000u + 200u);
  EXPECT_EQ(value_of<uint64_t>(bytes->at(7)), 0x3000u);
  const std::vector<std::byte> list = pointer_bytes(*arguments_.back().pointers(), arguments_, addresses);
  ASSERT_EQ(list.size(), 8u * 8);
  uint64_t third = 0;
  std::memcpy(&third, list.data() + 16, sizeof third);
  EXPECT_EQ(third, 0x1000u + 2 * 200u);
}

TEST_F(ArgumentsTest, a_tensor_map_that_cannot_be_encoded_is_an_error) {
  const auto device = device::open_device("vgpu:a100");  // has none
  ASSERT_TRUE(device.ok());
  EXPECT_FALSE(argument_bytes(**device, arguments_, names(), {{"x", 0x1000}, {"y", 0x2000}}).ok());
}

}  // namespace
}  // namespace assay::check
