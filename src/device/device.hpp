// SPDX-License-Identifier: MIT
// A device that runs kernels: a virtual GPU here, a real one behind the same interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "gpu/check_set.hpp"
#include "gpu/counters.hpp"
#include "gpu/finding.hpp"
#include "gpu/gpu_model.hpp"

namespace assay::device {

// What a kernel was compiled to. A device takes what suits it best: the virtual GPU the PTX, a GPU the cubin.
struct Image {
  std::string_view ptx;
  std::string file_name;   // of the PTX, for messages
  std::string_view cubin;  // empty if there is none for this device
};

// A loaded module of this device.
class Module {
 public:
  virtual ~Module() = default;
};

// Where the specification asks for a launch, for messages; one that a function asks for has its file everywhere.
struct LaunchPlaces {
  Place block;
  Place shared_bytes;
  Place cluster;
  Place cooperative;
};

struct LaunchRequest {
  const Module* module = nullptr;
  std::string entry;
  gpu::Dim3 grid;
  gpu::Dim3 block;
  uint32_t shared_bytes = 0;                      // dynamic
  std::optional<gpu::Dim3> cluster;               // blocks of one cluster
  bool cooperative = false;                       // all blocks run at the same time and may wait for each other
  bool programmatic = false;                      // may begin before the kernel in front of it has ended
  std::optional<int> priority;                    // of the launch among those that wait
  std::optional<int> shared_carveout;             // percent of an SM's memory preferred as shared memory
  std::vector<std::vector<std::byte>> arguments;  // one per parameter, in the kernel's order
  LaunchPlaces places;
  std::optional<int> registers;    // of a thread, if they are known; a GPU knows them itself
  gpu::CheckSet checks;            // that watch: what they find are findings, and the kernel goes on
  uint64_t instruction_limit = 0;  // 0: the device's own
  bool count = false;              // LaunchOutcome::counters; a device that cannot count gives none
};

struct LaunchOutcome {
  std::vector<gpu::Finding> findings;  // of the checks, in the order of their first occurrence
  uint64_t finding_occurrences = 0;
  std::optional<gpu::Finding> fault;  // what stopped the kernel, if something did
  std::string fault_hint;             // how to learn more of it, if this device cannot tell
  std::string printed;
  uint64_t instructions = 0;                    // counted, of warps
  uint64_t thread_instructions = 0;             // counted, of threads
  std::optional<gpu::LaunchCounters> counters;  // if they were asked for and the kernel ran to its end

  bool clean() const { return findings.empty() && !fault; }
};

// What a copy in im2col mode moves: pixels from a box of them, bounded by corners in all dimensions between images and
// channels.
struct Im2colRequest {
  std::vector<int> lower;  // from the tensor's first pixel
  std::vector<int> upper;  // from its last one
  uint32_t channels = 0;   // of each pixel
  uint32_t pixels = 0;

  bool operator==(const Im2colRequest&) const = default;
};

// A Hopper tensor map over a tensor in the device's memory. Dimensions in the order of the tensor's shape: the last one
// is contiguous.
struct TensorMapRequest {
  std::string dtype;     // "f16", as in a specification
  uint64_t address = 0;  // of the first element
  std::vector<uint64_t> dims;
  std::vector<uint64_t> stride_bytes;  // one for each dimension
  std::vector<uint32_t> box;
  std::optional<Im2colRequest> im2col;  // instead of a box
  std::vector<uint32_t> element_strides;
  int swizzle = 0;       // bytes: 0, 32, 64, 128
  int interleave = 0;    // bytes: 0, 16, 32
  int l2_promotion = 0;  // bytes: 0, 64, 128, 256
  bool out_of_bounds_nan = false;
};

inline constexpr size_t kTensorMapBytes = 128;

// A texture or surface object over a dense tensor in the device's memory.
struct TextureRequest {
  std::string name;  // of the argument, for messages
  bool surface = false;
  std::string shape;     // "linear", "pitch", "1d", "2d", "3d", "a1d", "a2d", "cube", "acube"
  std::string dtype;     // "u8", "i8", "u16", "i16", "u32", "i32", "f16", "f32"
  uint64_t address = 0;  // of the first texel
  uint64_t width = 1;
  uint64_t height = 1;
  uint64_t slices = 1;  // depth, or layers, or six faces for each cube
  uint32_t channels = 1;
  bool linear = false;
  bool normalised = false;
  bool fractions = false;                  // integers are read as fractions of the largest one
  std::vector<std::string> address_modes;  // of x, y, z: "wrap", "clamp", "mirror", "border"
  std::vector<double> border;              // of four channels
  bool srgb = false;                       // fractions of u8 are sRGB
  std::vector<uint64_t> levels;            // of a mipmap: the first texels of level 1, 2, ...
  bool linear_levels = false;              // a fetch between two levels takes its part of both
  double level_bias = 0;
  double first_level = 0;  // what a fetch asks for is limited to these
  double last_level = 0;

  bool operator==(const TextureRequest&) const = default;
};

class Device {
 public:
  virtual ~Device() = default;

  virtual std::string name() const = 0;  // as in --device: "vgpu:l4"
  virtual const gpu::GpuModel& model() const = 0;
  virtual Result<std::unique_ptr<Module>> load(std::string_view ptx, const std::string& file_name) = 0;
  virtual Result<std::unique_ptr<Module>> load_image(const Image& image) { return load(image.ptx, image.file_name); }
  virtual std::vector<std::string> approximate_instructions(const Module& module) const = 0;
  // Places, "file:line", where ptxas may make one fma of a product and a sum; a GPU runs what ptxas has made.
  virtual std::vector<std::string> fusible_places(const Module&) const { return {}; }
  virtual void set_fusion(bool /*on*/) {}  // of those, in modules that are loaded from now on

  virtual Result<uint64_t> allocate(uint64_t bytes, const std::string& label) = 0;
  virtual Result<void> release(uint64_t address) = 0;
  virtual Result<void> upload(uint64_t address, std::span<const std::byte> bytes) = 0;
  // The __device__ or __constant__ variable of that name: its bytes as a module holds them. An error if there is none.
  virtual Result<uint64_t> variable_bytes(const Module& module, const std::string& name) = 0;
  virtual Result<void> write_variable(const Module& module, const std::string& name,
                                      std::span<const std::byte> bytes) = 0;
  virtual Result<void> read_variable(const Module& module, const std::string& name, std::span<std::byte> bytes) = 0;
  // Nothing of the program has written these bytes: what was uploaded there is poison. For the initialisation check.
  virtual void mark_unwritten(uint64_t /*address*/, uint64_t /*bytes*/) {}
  virtual Result<void> download(uint64_t address, std::span<std::byte> bytes) = 0;
  virtual Result<LaunchOutcome> launch(const LaunchRequest& request) = 0;
  // The bytes of a kernel's tensor-map parameter.
  virtual Result<std::vector<std::byte>> encode_tensor_map(const TensorMapRequest& request) = 0;

  // A kernel's texture or surface parameter: the same one for the same request, until its tensor's memory is released.
  // The array behind it, where there is one, takes what the tensor holds when a kernel is launched, and the tensor
  // takes what a surface holds afterwards.
  virtual Result<uint64_t> texture_object(const TextureRequest& request);

  virtual bool has_tensor_maps() const = 0;
  virtual bool has_clusters() const = 0;
  virtual bool has_checks() const = 0;  // whether LaunchRequest::checks has an effect
  // After a fault that it does not survive: nothing works any more, and only another process gets a fresh one.
  virtual bool lost() const { return false; }
};

inline constexpr const char* kDefaultVirtualDevice = "vgpu:l4";
bool is_virtual(const std::string& name);  // "vgpu:..."
// Why a cooperative launch of so many blocks cannot run: more than fit on the device at the same time.
Error cooperative_grid_too_large(const LaunchRequest& request, const gpu::GpuModel& model, uint64_t resident);
// The virtual GPU that is most like this device: for the checks that only a virtual one makes.
std::string virtual_twin(const Device& device);

}  // namespace assay::device
