// SPDX-License-Identifier: MIT
#include "device/virtual/virtual_device.hpp"

#include <array>
#include <cstring>
#include <gtest/gtest.h>

#include "device/open/open_device.hpp"
#include "vgpu/machine/tensor_map.hpp"

namespace assay::device {
namespace {

constexpr const char* kPtx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry store_number(.param .u64 target, .param .u32 number)
{
  .reg .b32 %r<4>;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [target];
  ld.param.u32 %r1, [number];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %d2, %r2, 4;
  add.s64 %d3, %d1, %d2;
  st.global.u32 [%d3], %r1;
  ret;
}
.visible .entry spin()
{
again:
  bra again;
}
)";

template <class T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class VirtualDeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = open_device("vgpu:l4");
    ASSERT_TRUE(opened.ok());
    device_ = std::move(*opened);
    auto loaded = device_->load(kPtx, "numbers.ptx");
    ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
    module_ = std::move(*loaded);
    buffer_ = *device_->allocate(128, "buffer");
    ASSERT_TRUE(device_->upload(buffer_, std::vector<std::byte>(128)).ok());
  }

  LaunchRequest store_request(uint32_t threads, uint32_t number) const {
    LaunchRequest request;
    request.module = module_.get();
    request.entry = "store_number";
    request.block.x = threads;
    request.arguments = {bytes_of(buffer_), bytes_of(number)};
    return request;
  }
  Error launch_error(const LaunchRequest& request) {
    const auto outcome = device_->launch(request);
    EXPECT_FALSE(outcome.ok());
    return outcome.ok() ? Error{} : outcome.error();
  }
  std::array<uint32_t, 32> content() {
    std::array<uint32_t, 32> numbers{};
    EXPECT_TRUE(device_->download(buffer_, std::as_writable_bytes(std::span(numbers))).ok());
    return numbers;
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<Module> module_;
  uint64_t buffer_ = 0;
};

TEST(OpenDevice, opens_the_default_and_every_model) {
  EXPECT_EQ((*open_device(default_device_name()))->name(), default_device_name());
  for (const gpu::GpuModel& model : gpu::all_models()) {
    const auto device = open_device("vgpu:" + std::string(model.id));
    ASSERT_TRUE(device.ok()) << model.id;
    EXPECT_EQ((*device)->model().id, model.id);
  }
}

TEST(OpenDevice, lists_the_devices_for_an_unknown_name) {
  for (const std::string name : {"vgpu:none", "l4", "", "vgpu:", "cuda:9"}) {
    const auto device = open_device(name);
    ASSERT_FALSE(device.ok()) << name;
    EXPECT_TRUE(mentions(device.error().message, "'" + name + "'")) << device.error().message;
    for (const gpu::GpuModel& model : gpu::all_models()) {
      EXPECT_TRUE(mentions(device.error().hint, "vgpu:" + std::string(model.id))) << device.error().hint;
    }
  }
}

TEST_F(VirtualDeviceTest, runs_a_kernel) {
  const auto outcome = device_->launch(store_request(8, 7));
  ASSERT_TRUE(outcome.ok()) << to_string(outcome.error());
  EXPECT_TRUE(outcome->clean());
  EXPECT_EQ(outcome->instructions, 7u);
  EXPECT_EQ(outcome->thread_instructions, 7u * 8);
  const auto numbers = content();
  for (size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], i < 8 ? 7u : 0u) << i;
}

TEST_F(VirtualDeviceTest, counts_arguments) {
  LaunchRequest request = store_request(1, 7);
  request.arguments.pop_back();
  const Error error = launch_error(request);
  EXPECT_TRUE(mentions(error.message, "takes 2 parameters, 1 arguments")) << error.message;
  EXPECT_FALSE(error.hint.empty());
  request.arguments.assign(3, bytes_of(uint64_t{0}));
  launch_error(request);
}

TEST_F(VirtualDeviceTest, measures_arguments) {
  LaunchRequest request = store_request(1, 7);
  request.arguments[1] = bytes_of(uint64_t{7});
  const Error error = launch_error(request);
  EXPECT_TRUE(mentions(error.message, "parameter 1")) << error.message;
  EXPECT_TRUE(mentions(error.message, "has 4 bytes, the argument has 8")) << error.message;
  request.arguments[1].clear();
  launch_error(request);
}

TEST_F(VirtualDeviceTest, lists_the_entries_for_an_unknown_one) {
  LaunchRequest request = store_request(1, 7);
  request.entry = "store_numbers";
  const Error error = launch_error(request);
  EXPECT_TRUE(mentions(error.message, "store_numbers"));
  EXPECT_TRUE(mentions(error.message, "numbers.ptx"));
  EXPECT_TRUE(mentions(error.hint, "store_number, spin")) << error.hint;
}

TEST_F(VirtualDeviceTest, tells_what_does_not_fit_from_what_is_wrong) {
  LaunchRequest request = store_request(1, 7);
  request.shared_bytes = 200 * 1024;
  EXPECT_EQ(launch_error(request).exit_code, ExitCode::incorrect);
  request = store_request(1025, 7);
  EXPECT_EQ(launch_error(request).exit_code, ExitCode::incorrect);
  request = store_request(0, 7);
  EXPECT_EQ(launch_error(request).exit_code, ExitCode::usage);
}

TEST_F(VirtualDeviceTest, reports_bad_accesses_and_goes_on) {
  LaunchRequest request = store_request(34, 7);  // the buffer has room for 32
  request.checks = {gpu::kMemcheck};
  const auto outcome = device_->launch(request);
  ASSERT_TRUE(outcome.ok());
  EXPECT_FALSE(outcome->fault);
  ASSERT_EQ(outcome->findings.size(), 1u);
  EXPECT_EQ(outcome->findings[0].thread_count, 2u);
  EXPECT_EQ(outcome->finding_occurrences, 2u);
  EXPECT_EQ(outcome->findings[0].kind, gpu::FindingKind::out_of_bounds);
  EXPECT_EQ(outcome->findings[0].thread.x, 32u);
  EXPECT_TRUE(mentions(outcome->findings[0].allocation, "buffer")) << outcome->findings[0].allocation;
  EXPECT_EQ(content()[31], 7u);
}

TEST_F(VirtualDeviceTest, stops_at_the_instruction_limit) {
  LaunchRequest request = store_request(1, 7);
  request.entry = "spin";
  request.arguments.clear();
  request.instruction_limit = 1000;
  const auto outcome = device_->launch(request);
  ASSERT_TRUE(outcome.ok());
  ASSERT_TRUE(outcome->fault);
  EXPECT_EQ(outcome->fault->kind, gpu::FindingKind::instruction_limit);
}

TEST_F(VirtualDeviceTest, copies_only_inside_one_allocation) {
  std::vector<std::byte> block(128);
  EXPECT_TRUE(device_->upload(buffer_, block).ok());
  EXPECT_TRUE(device_->upload(buffer_ + 64, std::span(block).first(64)).ok());
  EXPECT_FALSE(device_->upload(buffer_ + 1, block).ok()) << "one byte too far";
  EXPECT_FALSE(device_->upload(buffer_ - 1, block).ok());
  EXPECT_FALSE(device_->upload(0, block).ok());
  EXPECT_FALSE(device_->upload(~uint64_t{0}, block).ok());
  EXPECT_FALSE(device_->download(buffer_ + 1, std::span(block)).ok());
  EXPECT_FALSE(device_->download(buffer_ + 128, std::span(block).first(1)).ok());
  const auto refused = device_->download(buffer_ + 200, std::span(block));
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(mentions(refused.error().message, "128 bytes")) << refused.error().message;
}

TEST_F(VirtualDeviceTest, copies_nothing_from_anywhere) {
  EXPECT_TRUE(device_->upload(0, {}).ok());
  EXPECT_TRUE(device_->download(~uint64_t{0}, {}).ok());
}

TEST_F(VirtualDeviceTest, does_not_touch_memory_that_was_given_back) {
  std::vector<std::byte> block(128);
  ASSERT_TRUE(device_->release(buffer_).ok());
  EXPECT_FALSE(device_->upload(buffer_, block).ok());
  EXPECT_FALSE(device_->download(buffer_, std::span(block)).ok());
  EXPECT_FALSE(device_->release(buffer_).ok());
  EXPECT_FALSE(device_->release(buffer_ + 64).ok());
}

// A free takes effect at once, in the order of the calls, as cudaFreeAsync does in one stream.
TEST_F(VirtualDeviceTest, finds_a_kernel_that_uses_memory_that_was_given_back) {
  LaunchRequest request = store_request(8, 7);
  request.checks = {gpu::kMemcheck};
  ASSERT_TRUE(device_->launch(request)->clean());
  ASSERT_TRUE(device_->release(buffer_).ok());
  ASSERT_TRUE(device_->allocate(128, "another").ok());
  const auto outcome = device_->launch(request);
  ASSERT_TRUE(outcome.ok());
  ASSERT_EQ(outcome->findings.size(), 1u);
  EXPECT_EQ(outcome->findings[0].kind, gpu::FindingKind::use_after_free);
  EXPECT_TRUE(mentions(outcome->findings[0].allocation, "buffer")) << outcome->findings[0].allocation;
}

TEST_F(VirtualDeviceTest, refuses_more_memory_than_there_is) {
  const auto huge = device_->allocate(uint64_t{1} << 62, "huge");
  ASSERT_FALSE(huge.ok());
  EXPECT_TRUE(mentions(huge.error().message, "huge"));
  EXPECT_TRUE(device_->allocate(16, "small").ok());
}

// As on the hardware: cuTensorMapEncodeTiled ignores the step of the contiguous dimension.
TEST(VirtualDevice, has_no_steps_along_the_contiguous_dimension) {
  VirtualDevice device(*gpu::find_model("h200"));
  const auto bytes = device.encode_tensor_map({.dtype = "f32",
                                               .address = 1024,
                                               .dims = {8, 16},
                                               .stride_bytes = {64, 4},
                                               .box = {4, 8},
                                               .im2col = {},
                                               .element_strides = {2, 2}});
  ASSERT_TRUE(bytes.ok()) << to_string(bytes.error());
  const auto map = vgpu::TensorMap::unpack(std::span<const std::byte, vgpu::TensorMap::kBytes>(*bytes));
  ASSERT_TRUE(map.has_value());
  EXPECT_EQ(map->count(0), 8u);
  EXPECT_EQ(map->count(1), 2u);
}

TEST_F(VirtualDeviceTest, says_where_a_module_is_wrong) {
  const auto bad = device_->load(".version 8.0\n.target sm_80\n.address_size 64\nrubbish", "bad.ptx");
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().place.file, "bad.ptx");
  EXPECT_EQ(bad.error().place.line, 4);
}

TEST_F(VirtualDeviceTest, VariablesOfAModuleAreWrittenAndRead) {
  const auto module = device_->load(R"(.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .b8 d_value[8];
.visible .const .align 4 .b8 c_value[4];
.visible .entry copy_constant()
{
  .reg .b32 %r<2>;
  ld.const.u32 %r1, [c_value];
  st.global.u32 [d_value+4], %r1;
  ret;
}
)",
                                    "m.ptx");
  ASSERT_TRUE(module.ok()) << to_string(module.error());
  EXPECT_EQ(*device_->variable_bytes(**module, "d_value"), 8u);
  EXPECT_EQ(*device_->variable_bytes(**module, "c_value"), 4u);
  ASSERT_TRUE(device_->write_variable(**module, "c_value", bytes_of(uint32_t{77})).ok());
  LaunchRequest request;
  request.module = module->get();
  request.entry = "copy_constant";
  ASSERT_TRUE(device_->launch(request).ok());
  std::vector<std::byte> back(8);
  ASSERT_TRUE(device_->read_variable(**module, "d_value", back).ok());
  EXPECT_EQ(back, bytes_of(uint64_t{77} << 32));
  EXPECT_FALSE(device_->write_variable(**module, "c_value", bytes_of(uint64_t{1})).ok()) << "it has four bytes";
  EXPECT_EQ(device_->variable_bytes(**module, "e_value").error().message, "there is no variable 'e_value' in m.ptx");
}

TEST_F(VirtualDeviceTest, VariablesInNamespacesHaveTheirNameOfCpp) {
  const auto module = device_->load(R"(.version 8.0
.target sm_80
.address_size 64
.const .align 4 .b8 _ZN31_INTERNAL_613f2921_4_a_cu_scale33_GLOBAL__N__613f2921_4_a_cu_scale7c_tableE[16];
.global .align 4 .u32 _ZN31_INTERNAL_613f2921_4_a_cu_scale2ns33_GLOBAL__N__613f2921_4_a_cu_scale6hiddenE;
.const .align 4 .b8 _ZN2ns7c_tableE[32];
)",
                                    "m.ptx");
  ASSERT_TRUE(module.ok()) << to_string(module.error());
  const auto bytes_of_variable = [&](const char* name) {
    const auto bytes = device_->variable_bytes(**module, name);
    return bytes ? *bytes : 0;
  };
  EXPECT_EQ(bytes_of_variable("ns::c_table"), 32u);
  EXPECT_EQ(bytes_of_variable("(anonymous namespace)::c_table"), 16u);
  EXPECT_EQ(bytes_of_variable("hidden"), 4u);
  EXPECT_EQ(bytes_of_variable("ns::hidden"), 4u);
  EXPECT_EQ(device_->variable_bytes(**module, "c_table").error().message,
            "'c_table' may be 2 variables of m.ptx: (anonymous namespace)::c_table, ns::c_table");
  EXPECT_EQ(device_->variable_bytes(**module, "table").error().message, "there is no variable 'table' in m.ptx");
}

TEST_F(VirtualDeviceTest, ACooperativeGridMustFit) {
  const auto module = device_->load(kPtx, "m.ptx");
  const auto address = device_->allocate(4096, "target");
  LaunchRequest request;
  request.module = module->get();
  request.entry = "store_number";
  request.block.x = 1024;
  request.cooperative = true;
  request.arguments = {bytes_of(*address), bytes_of(uint32_t{1})};
  const auto resident = static_cast<uint32_t>(device_->model().sm_count);  // one block of 1,024 threads on each
  request.grid.x = resident;
  EXPECT_TRUE(device_->launch(request).ok());
  request.grid.x = resident + 1;
  const auto outcome = device_->launch(request);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().exit_code, ExitCode::incorrect);
  EXPECT_TRUE(mentions(outcome.error().message, "the cooperative grid of 'store_number' has "))
      << outcome.error().message;
  request.cooperative = false;
  EXPECT_TRUE(device_->launch(request).ok());
}

}  // namespace
}  // namespace assay::device
