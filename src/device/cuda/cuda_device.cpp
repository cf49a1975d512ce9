// SPDX-License-Identifier: MIT
#include "device/cuda/cuda_device.hpp"

#include <array>
#include <fmt/format.h>

#include "base/text.hpp"
#include "device/cuda/fault.hpp"
#include "device/cuda/output_capture.hpp"
#include "device/cuda/tensor_map.hpp"
#include "ptx/variable_name.hpp"

namespace assay::device::cuda {
namespace {

class CudaModule final : public Module {
 public:
  CudaModule(const Driver& driver, CUmodule module, const Image& image)
      : driver_(driver), module_(module), file_name_(image.file_name), ptx_(image.ptx) {}
  ~CudaModule() override { driver_.cuModuleUnload(module_); }
  CudaModule(const CudaModule&) = delete;
  CudaModule& operator=(const CudaModule&) = delete;

  CUmodule handle() const { return module_; }
  const std::string& file_name() const { return file_name_; }
  // The driver cannot list them. Of machine code without PTX there are none.
  std::vector<std::string> variables() const { return ptx::variables_of(ptx_); }

 private:
  const Driver& driver_;
  CUmodule module_;
  std::string file_name_;
  std::string ptx_;
};

// "it has: a, b", or nothing with a driver that cannot list them.
std::string kernels_of(const Driver& driver, CUmodule module) {
  unsigned count = 0;
  if (driver.cuModuleGetFunctionCount == nullptr || driver.cuModuleEnumerateFunctions == nullptr ||
      driver.cuFuncGetName == nullptr || driver.cuModuleGetFunctionCount(&count, module) != CUDA_SUCCESS)
    return "";
  std::vector<CUfunction> functions(count);
  if (driver.cuModuleEnumerateFunctions(functions.data(), count, module) != CUDA_SUCCESS) return "";
  std::vector<std::string> names;
  names.reserve(functions.size());
  for (const CUfunction function : functions) {
    const char* name = nullptr;
    if (driver.cuFuncGetName(&name, function) == CUDA_SUCCESS && name != nullptr) names.emplace_back(name);
  }
  return "it has: " + join(names, ", ");
}

}  // namespace

CudaDevice::CudaDevice(const Driver& driver, CUdevice device, int ordinal)
    : driver_(driver), device_(device), ordinal_(ordinal), model_(driver, device), textures_(driver) {}

Result<std::unique_ptr<CudaDevice>> CudaDevice::open(const Driver& driver, int ordinal) {
  CUdevice device = 0;
  ASSAY_CHECK(driver.check(driver.cuDeviceGet(&device, ordinal), fmt::format("cuda:{}", ordinal)));
  return std::unique_ptr<CudaDevice>(new CudaDevice(driver, device, ordinal));
}

// What the driver answers here does not matter: after a fault, every answer is that fault.
CudaDevice::~CudaDevice() {
  textures_.clear();
  if (stream_ != nullptr) driver_.cuStreamDestroy(stream_);
  if (context_ != nullptr) driver_.cuDevicePrimaryCtxRelease(device_);
}

std::string CudaDevice::name() const {
  return fmt::format("cuda:{}", ordinal_);
}

Result<void> CudaDevice::check(CUresult code, std::string_view what) {
  if (code == CUDA_SUCCESS) return {};
  lost_ = lost_ || loses_context(code);
  return driver_.error(code, what);
}

Result<void> CudaDevice::make_current() {
  if (context_ == nullptr)
    ASSAY_CHECK(check(driver_.cuDevicePrimaryCtxRetain(&context_, device_), fmt::format("cannot use {}", name())));
  ASSAY_CHECK(check(driver_.cuCtxSetCurrent(context_), "cuCtxSetCurrent"));
  if (stream_ == nullptr)
    ASSAY_CHECK(check(driver_.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate"));
  return {};
}

Result<CUmodule> CudaDevice::load_code(const std::string& code, const std::string& file_name) {
  std::string log(size_t{16} << 10, '\0');
  std::array options = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_GENERATE_LINE_INFO};
  // Values that are numbers travel as pointers.
  std::array<void*, options.size()> values = {log.data(), reinterpret_cast<void*>(log.size()),  // NOLINT
                                              reinterpret_cast<void*>(uintptr_t{1})};           // NOLINT
  CUmodule module = nullptr;
  const CUresult result =
      driver_.cuModuleLoadDataEx(&module, code.c_str(), options.size(), options.data(), values.data());
  if (result == CUDA_SUCCESS) return module;
  lost_ = lost_ || loses_context(result);
  Error error = driver_.error(result, fmt::format("the driver cannot load {}", file_name));
  if (const std::string_view said = trim(log.c_str()); !said.empty()) error.message += fmt::format("\n{}", said);
  error.exit_code = ExitCode::environment;
  if (result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION) {
    error.hint = fmt::format("the driver is of CUDA {}.{}, and this PTX is newer: update the driver, or compile here",
                             driver_.version() / 1000, driver_.version() % 1000 / 10);
  } else if (result == CUDA_ERROR_NO_BINARY_FOR_GPU) {
    error.hint = fmt::format("it is not for compute capability {}.{}: see [kernel] targets", model().compute_major,
                             model().compute_minor);
  }
  return error;
}

Result<std::unique_ptr<Module>> CudaDevice::load(std::string_view ptx, const std::string& file_name) {
  return load_image({ptx, file_name, {}});
}

Result<std::unique_ptr<Module>> CudaDevice::load_image(const Image& image) {
  ASSAY_CHECK(make_current());
  CUmodule module = nullptr;
  if (!image.cubin.empty()) {
    // Machine code for another architecture is not an error: its PTX may do.
    const std::string code(image.cubin);
    const CUresult result = driver_.cuModuleLoadDataEx(&module, code.data(), 0, nullptr, nullptr);
    if (result != CUDA_SUCCESS && (result != CUDA_ERROR_NO_BINARY_FOR_GPU || image.ptx.empty()))
      ASSAY_CHECK(check(result, fmt::format("the driver cannot load the cubin of {}", image.file_name)));
  }
  if (module == nullptr) {
    ASSAY_TRY(module, load_code(std::string(image.ptx), image.file_name));
  }
  return std::unique_ptr<Module>(std::make_unique<CudaModule>(driver_, module, image));
}

// A GPU is itself; nothing of it is approximate.
std::vector<std::string> CudaDevice::approximate_instructions(const Module& /*module*/) const {
  return {};
}

Result<uint64_t> CudaDevice::allocate(uint64_t bytes, const std::string& label) {
  ASSAY_CHECK(make_current());
  CUdeviceptr address = 0;
  const CUresult result = driver_.cuMemAlloc(&address, std::max<uint64_t>(1, bytes));
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    size_t free = 0, total = 0;
    driver_.cuMemGetInfo(&free, &total);
    return Error{
        fmt::format("out of memory: '{}' asks for {} bytes, {} has {} free of {}", label, bytes, name(), free, total),
        {},
        "use a smaller shape, or see with assay doctor who else uses the GPU",
        ExitCode::environment};
  }
  ASSAY_CHECK(check(result, fmt::format("cannot allocate {} bytes for '{}'", bytes, label)));
  textures_.allocated(address, bytes);
  return uint64_t{address};
}

Result<void> CudaDevice::release(uint64_t address) {
  ASSAY_CHECK(make_current());
  textures_.release(address);
  return check(driver_.cuMemFree(address), "cuMemFree");
}

Result<void> CudaDevice::upload(uint64_t address, std::span<const std::byte> bytes) {
  if (bytes.empty()) return {};
  ASSAY_CHECK(make_current());
  ASSAY_CHECK(check(driver_.cuMemcpyHtoD(address, bytes.data(), bytes.size()), "a copy to the GPU"));
  // The copy may still be on its way from a buffer of the driver's, and our stream does not wait for it.
  return check(driver_.cuCtxSynchronize(), "a copy to the GPU");
}

Result<void> CudaDevice::download(uint64_t address, std::span<std::byte> bytes) {
  if (bytes.empty()) return {};
  ASSAY_CHECK(make_current());
  return check(driver_.cuMemcpyDtoH(bytes.data(), address, bytes.size()), "a copy from the GPU");
}

Result<CudaDevice::Variable> CudaDevice::variable(const Module& module, const std::string& name) {
  ASSAY_CHECK(make_current());
  const auto& loaded = static_cast<const CudaModule&>(module);
  Variable found;
  CUresult result = driver_.cuModuleGetGlobal(&found.address, &found.bytes, loaded.handle(), name.c_str());
  if (result == CUDA_ERROR_NOT_FOUND) {
    const std::vector<std::string> meant = ptx::variables_named(name, loaded.variables());
    if (meant.size() > 1)
      return Error{fmt::format("'{}' may be {} variables of {}: {}", name, meant.size(), loaded.file_name(),
                               ptx::list_variables(meant))};
    if (!meant.empty())
      result = driver_.cuModuleGetGlobal(&found.address, &found.bytes, loaded.handle(), meant.front().c_str());
  }
  if (result == CUDA_ERROR_NOT_FOUND)
    return Error{fmt::format("there is no variable '{}' in {}", name, loaded.file_name())};
  ASSAY_CHECK(check(result, fmt::format("cannot use the variable '{}'", name)));
  return found;
}

Result<uint64_t> CudaDevice::variable_bytes(const Module& module, const std::string& name) {
  ASSAY_TRY(const Variable found, variable(module, name));
  return uint64_t{found.bytes};
}

Result<void> CudaDevice::write_variable(const Module& module, const std::string& name,
                                        std::span<const std::byte> bytes) {
  ASSAY_TRY(const Variable found, variable(module, name));
  if (bytes.size() > found.bytes)
    return Error{fmt::format("the variable '{}' has {} bytes, {} were given", name, found.bytes, bytes.size())};
  return upload(found.address, bytes);
}

Result<void> CudaDevice::read_variable(const Module& module, const std::string& name, std::span<std::byte> bytes) {
  ASSAY_TRY(const Variable found, variable(module, name));
  if (bytes.size() > found.bytes)
    return Error{fmt::format("the variable '{}' has {} bytes, {} were asked for", name, found.bytes, bytes.size())};
  return download(found.address, bytes);
}

Result<PreparedLaunch> CudaDevice::prepare(const LaunchRequest& request) {
  ASSAY_CHECK(make_current());
  const auto& module = static_cast<const CudaModule&>(*request.module);
  CUfunction function = nullptr;
  const CUresult found = driver_.cuModuleGetFunction(&function, module.handle(), request.entry.c_str());
  if (found == CUDA_ERROR_NOT_FOUND) {
    return Error{fmt::format("there is no kernel '{}' in {}", request.entry, module.file_name()),
                 {},
                 kernels_of(driver_, module.handle())};
  }
  ASSAY_CHECK(check(found, fmt::format("cannot use the kernel '{}'", request.entry)));
  return PreparedLaunch::make(driver_, function, model(), request);
}

Result<LaunchOutcome> CudaDevice::launch(const LaunchRequest& request) {
  ASSAY_TRY(const PreparedLaunch prepared, prepare(request));
  LaunchOutcome outcome;
  ASSAY_CHECK(check(textures_.fill(stream_), "a copy to an array"));
  OutputCapture capture;
  const CUresult launched = prepared.launch(stream_);
  // The whole context, not the stream alone: only then has everything been printed.
  const CUresult result = launched == CUDA_SUCCESS ? driver_.cuCtxSynchronize() : launched;
  capture.finish();
  outcome.printed = capture.output();
  if (result == CUDA_SUCCESS && !textures_.empty()) {
    ASSAY_CHECK(check(textures_.drain(stream_), "a copy from an array"));
    ASSAY_CHECK(check(driver_.cuStreamSynchronize(stream_), "a copy from an array"));
  }
  if (result == CUDA_SUCCESS) return outcome;
  if (loses_context(result)) return stopped(result, request.entry, std::move(outcome), capture.errors());
  Error error = driver_.error(result, fmt::format("'{}' was not launched", request.entry));
  if (result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES) {
    error.exit_code = ExitCode::incorrect;
    error.hint = "it needs more registers or shared memory than a multiprocessor has: launch fewer threads";
  }
  return error;
}

Result<LaunchOutcome> CudaDevice::stopped(CUresult code, const std::string& kernel, LaunchOutcome outcome,
                                          const std::string& errors) {
  lost_ = true;
  // A defect of the memory chips is no verdict on the kernel.
  if (code == CUDA_ERROR_ECC_UNCORRECTABLE) return driver_.error(code, fmt::format("'{}' met a defect", kernel));
  outcome.fault = fault_finding(driver_, code, kernel, errors);
  if (outcome.fault->source.empty())
    outcome.fault_hint = fmt::format("the GPU does not say where; assay sanitize --device {} names line and thread",
                                     virtual_twin(*this));
  return outcome;
}

bool CudaDevice::has_tensor_maps() const {
  return driver_.attribute(CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED, device_) != 0;
}

bool CudaDevice::has_clusters() const {
  return driver_.attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, device_) != 0;
}

Result<uint64_t> CudaDevice::texture_object(const TextureRequest& request) {
  ASSAY_CHECK(make_current());
  return textures_.object(request);
}

Result<std::vector<std::byte>> CudaDevice::encode_tensor_map(const TensorMapRequest& request) {
  ASSAY_CHECK(make_current());
  if (!has_tensor_maps()) {
    return Error{fmt::format("{} has no tensor maps", model().name),
                 {},
                 "they need compute capability 9.0 or newer",
                 ExitCode::environment};
  }
  return cuda::encode_tensor_map(driver_, request);
}

}  // namespace assay::device::cuda
