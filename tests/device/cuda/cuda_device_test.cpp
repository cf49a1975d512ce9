// SPDX-License-Identifier: MIT
#include "device/cuda/cuda_device.hpp"

#include <cstring>
#include <gtest/gtest.h>

#include "device/open/open_device.hpp"
#include "fake_libraries.hpp"

namespace assay::device::cuda {
namespace {

template <class T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

class CudaDeviceTest : public FakeDriverTest {
 protected:
  void SetUp() override {
    FakeDriverTest::SetUp();
    auto opened = CudaDevice::open(*driver_, 0);
    ASSERT_TRUE(opened.ok()) << to_string(opened.error());
    device_ = std::move(*opened);
    auto loaded = device_->load("some PTX", "kernel.ptx");
    ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
    module_ = std::move(*loaded);
  }

  LaunchRequest request(const std::string& entry) const {
    LaunchRequest made;
    made.module = module_.get();
    made.entry = entry;
    made.block.x = 32;
    return made;
  }
  // copy_f32 of n elements, with buffers of 64.
  LaunchRequest copy_request(uint32_t n) {
    x_ = *device_->allocate(256, "x");
    y_ = *device_->allocate(256, "y");
    LaunchRequest made = request("copy_f32");
    made.arguments = {bytes_of(x_), bytes_of(y_), bytes_of(n)};
    return made;
  }
  Error launch_error(const LaunchRequest& made) {
    const auto outcome = device_->launch(made);
    EXPECT_FALSE(outcome.ok());
    return outcome.ok() ? Error{} : outcome.error();
  }
  gpu::Finding fault_of(const LaunchRequest& made) {
    const auto outcome = device_->launch(made);
    EXPECT_TRUE(outcome.ok()) << to_string(outcome.error());
    EXPECT_TRUE(outcome.ok() && outcome->fault);
    return outcome.ok() && outcome->fault ? *outcome->fault : gpu::Finding{};
  }

  std::unique_ptr<CudaDevice> device_;
  std::unique_ptr<Module> module_;
  uint64_t x_ = 0;
  uint64_t y_ = 0;
};

// Reports keep models of devices that are closed.
TEST_F(CudaDeviceTest, LeavesModelsThatOutliveIt) {
  const gpu::GpuModel kept = device_->model();
  auto second = CudaDevice::open(*driver_, 1);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ((*second)->model().name.data(), kept.name.data()) << "a name belongs to no device";
  module_.reset();
  device_.reset();
  const std::vector<std::string> elsewhere(4096, std::string(15, '#'));
  EXPECT_EQ(kept.name, "NVIDIA H200");
  EXPECT_EQ(kept.id, "h200");
}

TEST_F(CudaDeviceTest, IsAModelFromAttributesWithTheProductsPeaks) {
  EXPECT_EQ(device_->name(), "cuda:0");
  const gpu::GpuModel& model = device_->model();
  EXPECT_EQ(model.id, "h200");
  EXPECT_EQ(model.name, "NVIDIA H200");
  EXPECT_EQ(model.compute_capability(), 90);
  EXPECT_EQ(model.l2_bytes, 60 << 20) << "what the driver tells, not the table";
  EXPECT_EQ(model.memory_bandwidth_gb_per_s, 4800);
  EXPECT_TRUE(device_->known_product());
  EXPECT_FALSE(device_->has_checks());
  EXPECT_EQ(virtual_twin(*device_), "vgpu:h200");
}

TEST_F(CudaDeviceTest, RunsAndGivesBackWhatWasComputedAndPrinted) {
  const std::vector<float> numbers = {1, 2, 3, 4, 5};
  const LaunchRequest copy = copy_request(5);
  ASSERT_TRUE(device_->upload(x_, std::as_bytes(std::span(numbers))).ok());
  const auto outcome = device_->launch(copy);
  ASSERT_TRUE(outcome.ok()) << to_string(outcome.error());
  EXPECT_TRUE(outcome->clean());
  EXPECT_EQ(outcome->printed, "five from the GPU\n");
  std::vector<float> got(5);
  ASSERT_TRUE(device_->download(y_, std::as_writable_bytes(std::span(got))).ok());
  EXPECT_EQ(got, numbers);
  const auto left = fake_symbol<size_t()>("fake_allocations");
  const size_t before = left();
  EXPECT_TRUE(device_->release(x_).ok());
  EXPECT_TRUE(device_->release(y_).ok());
  EXPECT_EQ(left(), before - 2);
  EXPECT_FALSE(device_->lost());
}

TEST_F(CudaDeviceTest, LoadingThatFailsShowsTheCompilersLog) {
  const auto broken = device_->load("BROKEN", "broken.ptx");
  ASSERT_FALSE(broken.ok());
  EXPECT_TRUE(mentions(broken.error().message, "broken.ptx")) << broken.error().message;
  EXPECT_TRUE(mentions(broken.error().message, "line 3: no such opcode")) << broken.error().message;
  const auto newer = device_->load("NEWER", "newer.ptx");
  ASSERT_FALSE(newer.ok());
  EXPECT_TRUE(mentions(newer.error().hint, "CUDA 12.4")) << newer.error().hint;
}

TEST_F(CudaDeviceTest, TakesTheCubinUnlessItIsForAnotherGpu) {
  EXPECT_TRUE(device_->load_image({"BROKEN", "kernel.ptx", "a cubin"}).ok()) << "the PTX is not looked at";
  EXPECT_TRUE(device_->load_image({"some PTX", "kernel.ptx", "OTHER"}).ok()) << "the PTX stands in";
  EXPECT_FALSE(device_->load_image({"BROKEN", "kernel.ptx", "OTHER"}).ok());
  EXPECT_FALSE(device_->load_image({"some PTX", "kernel.ptx", "BROKEN"}).ok()) << "a damaged cubin is told";
}

TEST_F(CudaDeviceTest, FaultsAreFindingsAndLoseTheDevice) {
  const gpu::Finding fault = fault_of(copy_request(13));
  EXPECT_EQ(fault.kind, gpu::FindingKind::illegal_address);
  EXPECT_EQ(fault.kernel, "copy_f32");
  EXPECT_TRUE(mentions(fault.message, "CUDA_ERROR_ILLEGAL_ADDRESS")) << fault.message;
  EXPECT_TRUE(device_->lost());
  EXPECT_FALSE(device_->allocate(16, "more").ok()) << "nothing works any more";
}

TEST_F(CudaDeviceTest, AssertionsSayWhere) {
  const gpu::Finding fault = fault_of(copy_request(21));
  EXPECT_EQ(fault.kind, gpu::FindingKind::assertion);
  EXPECT_EQ(fault.message, "Assertion `n != 21` failed.");
  ASSERT_EQ(fault.source.size(), 1U);
  EXPECT_EQ(fault.source[0].file, "copy.cu");
  EXPECT_EQ(fault.source[0].line, 12);
  EXPECT_EQ(fault.block, (gpu::Dim3{1, 0, 0}));
  EXPECT_EQ(fault.thread, (gpu::Dim3{3, 0, 0}));
}

TEST_F(CudaDeviceTest, OtherFaultsByKind) {
  EXPECT_EQ(fault_of(request("misaligned")).kind, gpu::FindingKind::misaligned);
  fake_symbol<void()>("fake_reset")();
  const auto trap = device_->launch(request("trap"));
  ASSERT_TRUE(trap.ok());
  EXPECT_EQ(trap->fault->kind, gpu::FindingKind::trap);
  EXPECT_TRUE(mentions(trap->fault_hint, "vgpu:h200")) << trap->fault_hint;
  fake_symbol<void()>("fake_reset")();
  EXPECT_EQ(fault_of(request("timeout")).kind, gpu::FindingKind::instruction_limit);
  fake_symbol<void()>("fake_reset")();
  EXPECT_EQ(launch_error(request("ecc")).exit_code, ExitCode::environment) << "no verdict on the kernel";
}

TEST_F(CudaDeviceTest, ArgumentsMustBeThoseOfTheKernel) {
  LaunchRequest few = copy_request(4);
  few.arguments.pop_back();
  EXPECT_TRUE(mentions(launch_error(few).message, "takes 3 parameters, 2 arguments"));
  LaunchRequest wide = copy_request(4);
  wide.arguments[2] = bytes_of(uint64_t{4});
  EXPECT_TRUE(mentions(launch_error(wide).message, "parameter 2 of 'copy_f32' has 4 bytes, the argument has 8"));
  const Error unknown = launch_error(request("nothing"));
  EXPECT_TRUE(mentions(unknown.message, "no kernel 'nothing' in kernel.ptx"));
  EXPECT_TRUE(mentions(unknown.hint, "copy_f32")) << unknown.hint;
  EXPECT_FALSE(device_->lost());
}

TEST_F(CudaDeviceTest, LaunchesThatAreTooLargeDoNotFit) {
  LaunchRequest shared = copy_request(4);
  shared.shared_bytes = 227 << 10;
  EXPECT_EQ(launch_error(shared).exit_code, ExitCode::incorrect) << "with the kernel's own kilobyte it is too much";
  shared.shared_bytes = 226 << 10;
  EXPECT_TRUE(device_->launch(shared).ok()) << "opted into";
  LaunchRequest threads = request("large_block");
  threads.block.x = 512;
  EXPECT_EQ(launch_error(threads).exit_code, ExitCode::incorrect);
  threads.block.x = 256;
  EXPECT_TRUE(device_->launch(threads).ok());
  LaunchRequest cluster = request("large_block");
  cluster.cluster = gpu::Dim3{2, 1, 1};
  cluster.grid.x = 3;
  EXPECT_TRUE(mentions(launch_error(cluster).message, "whole clusters"));
  cluster.grid.x = 4;
  EXPECT_TRUE(device_->launch(cluster).ok());
}

TEST_F(CudaDeviceTest, OutOfMemorySaysHowMuchThereIs) {
  const auto much = device_->allocate(uint64_t{1} << 40, "big");
  ASSERT_FALSE(much.ok());
  EXPECT_TRUE(mentions(much.error().message, "'big' asks for 1099511627776 bytes")) << much.error().message;
  EXPECT_FALSE(device_->lost());
}

TEST_F(CudaDeviceTest, TensorMapsCountFromTheContiguousDimension) {
  TensorMapRequest map;
  map.dtype = "bf16";
  map.address = 0x1000;
  map.dims = {4, 100, 64};
  map.stride_bytes = {12800, 128, 2};
  map.box = {1, 32, 64};
  map.element_strides = {1, 1, 1};
  map.swizzle = 128;
  map.l2_promotion = 256;
  const auto encoded = device_->encode_tensor_map(map);
  ASSERT_TRUE(encoded.ok()) << to_string(encoded.error());
  ASSERT_EQ(encoded->size(), kTensorMapBytes);
  std::array<uint64_t, 16> seen{};
  std::memcpy(seen.data(), encoded->data(), encoded->size());
  EXPECT_EQ(seen,
            (std::array<uint64_t, 16>{CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 0x1000, 64, 100, 4, 0, 128, 12800, 0, 64, 32, 1,
                                      0, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, 0}));
}

TEST_F(CudaDeviceTest, TensorMapsOfImagesCountFromTheChannels) {
  TensorMapRequest map;
  map.dtype = "bf16";
  map.address = 0x1000;
  map.dims = {4, 10, 20, 64};
  map.stride_bytes = {25600, 2560, 128, 2};
  map.im2col = Im2colRequest{{-1, -2}, {-3, -4}, 64, 100};
  map.element_strides = {1, 2, 3, 1};
  map.swizzle = 128;
  const auto encoded = device_->encode_tensor_map(map);
  ASSERT_TRUE(encoded.ok()) << to_string(encoded.error());
  std::array<uint64_t, 16> seen{};
  std::memcpy(seen.data(), encoded->data(), encoded->size());
  constexpr auto kMinus = [](uint64_t n) { return ~n + 1; };
  EXPECT_EQ(seen,
            (std::array<uint64_t, 16>{CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 0x1000, 64, 100, 641, 203, 102, 41, 0,
                                      kMinus(2), kMinus(1), 0, kMinus(4), kMinus(3), 0, CU_TENSOR_MAP_SWIZZLE_128B}));
}

TEST_F(CudaDeviceTest, TensorMapsThatCannotBeAreRefusedWithTheReason) {
  TensorMapRequest map{.dtype = "f16",
                       .address = 0x1000,
                       .dims = {10, 12},
                       .stride_bytes = {24, 2},
                       .box = {8, 8},
                       .im2col = {},
                       .element_strides = {1, 1}};
  const auto refused = [&] {
    const auto encoded = device_->encode_tensor_map(map);
    return encoded.ok() ? std::string() : encoded.error().message;
  };
  EXPECT_TRUE(mentions(refused(), "stride of dimension 1 is 24 bytes"));
  map.stride_bytes = {32, 2};
  EXPECT_EQ(refused(), "");
  map.address = 0x1008;
  EXPECT_TRUE(mentions(refused(), "multiple of 16"));
  map.address = 0x1000;
  map.stride_bytes = {32, 4};
  EXPECT_TRUE(mentions(refused(), "contiguous"));
  map.box = {8};
  EXPECT_TRUE(mentions(refused(), "as many"));
  map.dtype = "nothing";
  EXPECT_TRUE(mentions(refused(), "type nothing"));
}

TEST(ProductNames, MeanTheProductsThatTheyName) {
  EXPECT_EQ(product_named("NVIDIA H200")->id, "h200");
  EXPECT_EQ(product_named("NVIDIA H100 80GB HBM3")->id, "h100");
  EXPECT_EQ(product_named("NVIDIA L4")->id, "l4");
  EXPECT_EQ(product_named("NVIDIA A100-SXM4-80GB")->id, "a100");
  for (const char* other : {"NVIDIA H200 NVL", "NVIDIA L40S", "NVIDIA A100-SXM4-40GB", "NVIDIA GeForce RTX 4090 D",
                            "NVIDIA H100 PCIe", "Quadro"})
    EXPECT_EQ(product_named(other), nullptr) << other;
}

TEST_F(CudaDeviceTest, VariablesAreWrittenAndRead) {
  const auto bytes = bytes_of(3.0f);
  ASSERT_TRUE(device_->write_variable(*module_, "c_scale", bytes).ok());
  std::vector<std::byte> back(4);
  ASSERT_TRUE(device_->read_variable(*module_, "c_scale", back).ok());
  EXPECT_EQ(back, bytes);
  EXPECT_EQ(*device_->variable_bytes(*module_, "c_scale"), 4u);
  EXPECT_FALSE(device_->write_variable(*module_, "c_scale", bytes_of(3.0)).ok()) << "it has four bytes";
  EXPECT_EQ(device_->variable_bytes(*module_, "c_skale").error().message,
            "there is no variable 'c_skale' in kernel.ptx");
}

TEST_F(CudaDeviceTest, VariablesInNamespacesHaveTheirNameOfCpp) {
  const auto module = device_->load(R"(.version 8.0
.target sm_80
.address_size 64
.const .align 4 .f32 _ZN2ns7c_scaleE;
.global .align 4 .f32 _ZN31_INTERNAL_613f2921_4_a_cu_scale33_GLOBAL__N__613f2921_4_a_cu_scale7d_limitE;
.global .align 4 .f32 _ZN2ns7d_tableE;
.global .align 4 .f32 _ZN5other7d_tableE;
)",
                                    "named.ptx");
  ASSERT_TRUE(module.ok()) << to_string(module.error());
  const auto bytes_of_variable = [&](const char* name) {
    const auto bytes = device_->variable_bytes(**module, name);
    return bytes ? *bytes : 0;
  };
  for (const char* name : {"ns::c_scale", "d_limit", "(anonymous namespace)::d_limit", "_ZN2ns7c_scaleE"})
    EXPECT_EQ(bytes_of_variable(name), 4u) << name;
  EXPECT_EQ(device_->variable_bytes(**module, "d_table").error().message,
            "'d_table' may be 2 variables of named.ptx: ns::d_table, other::d_table");
  EXPECT_EQ(device_->variable_bytes(**module, "limit").error().message, "there is no variable 'limit' in named.ptx");
}

TEST_F(CudaDeviceTest, ACooperativeGridMustFit) {
  LaunchRequest made = copy_request(4);
  made.cooperative = true;
  made.priority = 1;
  made.shared_carveout = 50;
  made.block.x = 256;
  made.grid.x = 4 * 132;
  EXPECT_TRUE(device_->launch(made).ok());
  made.grid.x = 4 * 132 + 1;
  made.places.cooperative = Place{"kernel.toml", 30, 15};
  const Error error = launch_error(made);
  EXPECT_EQ(error.exit_code, ExitCode::incorrect);
  EXPECT_EQ(error.place.line, 30);
  EXPECT_EQ(
      error.message,
      "the cooperative grid of 'copy_f32' has 529 blocks of 256 threads; NVIDIA H200 holds 528 of them at a time, "
      "and expected is at most that many");
}

}  // namespace
}  // namespace assay::device::cuda
