// SPDX-License-Identifier: MIT
#include "measure/cuda/instruments.hpp"

#include <cstring>

#include "base/file.hpp"

namespace assay::measure::cuda {
namespace {

std::vector<std::byte> word(uint64_t value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

device::LaunchRequest request(const device::Module* module, const char* entry, uint32_t blocks, uint32_t threads,
                              size_t arguments) {
  device::LaunchRequest launch;
  launch.module = module;
  launch.entry = entry;
  launch.grid = {blocks, 1, 1};
  launch.block = {threads, 1, 1};
  launch.arguments.assign(arguments, word(0));
  return launch;
}

}  // namespace

Result<Instruments> Instruments::load(device::cuda::CudaDevice& gpu, const std::filesystem::path& ptx) {
  ASSAY_TRY(const std::string text, read_file(ptx));
  ASSAY_TRY(std::unique_ptr<device::Module> module, gpu.load(text, ptx.filename().string()));
  const auto blocks = static_cast<uint32_t>(2 * std::max(1, gpu.model().sm_count));
  ASSAY_TRY(auto fingerprint, gpu.prepare(request(module.get(), "assay_fingerprint", blocks, 512, 3)));
  ASSAY_TRY(auto spin, gpu.prepare(request(module.get(), "assay_spin", 1, 1, 1)));
  ASSAY_TRY(auto flush, gpu.prepare(request(module.get(), "assay_flush", blocks, 512, 2)));
  return Instruments(gpu, std::move(module), std::move(fingerprint), std::move(spin), std::move(flush));
}

Result<void> Instruments::launch(device::cuda::PreparedLaunch& kernel, CUstream stream,
                                 std::initializer_list<uint64_t> arguments, const char* what) {
  size_t index = 0;
  for (const uint64_t argument : arguments) kernel.set_argument(index++, word(argument));
  return gpu_->check(kernel.launch(stream), what);
}

Result<void> Instruments::fingerprint(CUstream stream, CUdeviceptr data, uint64_t bytes, CUdeviceptr slot) {
  return launch(fingerprint_, stream, {data, bytes, slot}, "assay_fingerprint");
}

Result<void> Instruments::spin(CUstream stream, uint64_t cycles) {
  return launch(spin_, stream, {cycles}, "assay_spin");
}

Result<void> Instruments::flush(CUstream stream, CUdeviceptr data, uint64_t bytes) {
  return launch(flush_, stream, {data, bytes}, "assay_flush");
}

}  // namespace assay::measure::cuda
