// SPDX-License-Identifier: MIT
// One case of a kernel folder on a GPU, as a provider holds it: the input sets in memory, the launch of each, and the
// timed calls of docs/providers.md.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "check/launch_plan.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/event.hpp"
#include "device/cuda/nvml.hpp"
#include "gpu/launch_change.hpp"
#include "measure/cuda/instruments.hpp"
#include "measure/protocol.hpp"
#include "measure/provider.hpp"
#include "spec/kernel_spec.hpp"
#include "spec/resolved_argument.hpp"

namespace assay::measure::cuda {

struct KernelCaseRequest {
  std::filesystem::path specification;
  std::string configuration;
  std::string shape;
  std::filesystem::path ptx;
  std::filesystem::path cubin;  // empty: the driver compiles the PTX
  std::vector<ArgumentFiles> sets;
  Protocol protocol;
  uint64_t flush_bytes = 0;
  std::filesystem::path instruments;
  gpu::LaunchChange change{};  // of an experiment, whose results nobody looks at
};

class KernelCase {
 public:
  static Result<std::unique_ptr<KernelCase>> make(device::cuda::CudaDevice& gpu, Instruments& instruments,
                                                  const KernelCaseRequest& request);
  ~KernelCase();
  KernelCase(const KernelCase&) = delete;
  KernelCase& operator=(const KernelCase&) = delete;

  std::string variant() const;    // "attention_forward<<<(8,32,1), 128>>>, 41 registers ..."
  uint64_t device_bytes() const;  // of the tensors and tables of pointers of one call
  Result<void> run(size_t set, uint8_t poison);
  Result<void> read(size_t set, const ArgumentFiles& files);
  Result<void> write(size_t set, const ArgumentFiles& files);
  Result<SampleBatch> sample(const std::vector<size_t>& order, const std::vector<uint8_t>& poison);
  Result<std::vector<double>> throughput(size_t replays);  // us of one call
  Result<KernelList> kernels(size_t set, KernelLook look = KernelLook::profile);
  size_t sets() const { return sets_.size(); }

 private:
  struct Place;
  struct Set;
  KernelCase(device::cuda::CudaDevice& gpu, Instruments& instruments);
  Result<void> load(const KernelCaseRequest& request);
  Result<void> make_set(const ArgumentFiles& files);
  Result<void> launch(const Set& set);
  Result<int> count_kernels(device::cuda::CUgraph graph);
  Result<void> capture_call(Set& set);
  Result<void> capture_throughput();
  Result<Place> make_place();
  Place& place_of(size_t set, size_t number);
  Result<void> warm_up();
  Result<void> enqueue_call(Set& set, Place& place, unsigned event_flags);
  Result<bool> take(std::span<const size_t> order, std::span<const uint8_t> poison, size_t first, SampleBatch& batch);
  std::vector<const spec::ResolvedArgument*> written_tensors() const;
  Result<const spec::ResolvedTensor*> find_tensor(const std::string& name) const;
  Result<void> ready_outputs(Set& set, uint8_t poison);
  Result<void> fill_arrays(const Set& set);   // behind textures and surfaces, from their tensors
  Result<void> drain_arrays(const Set& set);  // of surfaces, to their tensors
  Result<void> check(CUresult code, const char* what) { return gpu_.check(code, what); }

  device::cuda::CudaDevice& gpu_;
  const device::cuda::Driver& driver_;
  spec::KernelSpec spec_;
  spec::Configuration configuration_;
  spec::Shape shape_;
  std::vector<spec::ResolvedArgument> arguments_;
  Protocol protocol_;
  uint64_t flush_bytes_ = 0;
  gpu::LaunchChange change_;
  std::string ptx_;
  std::string cubin_;
  std::string image_name_;
  std::unique_ptr<device::Module> module_;
  std::optional<check::LaunchPlanner> planner_;
  Instruments& instruments_;
  std::optional<device::cuda::GpuMonitor> monitor_;
  std::vector<std::unique_ptr<Set>> sets_;
  CUstream stream_ = nullptr;
  CUdeviceptr padding_ = 0;  // only its size matters
  CUdeviceptr flush_memory_ = 0;
  std::vector<Place> places_;  // behind one gate, where calls are enqueued one by one
  std::optional<device::cuda::Event> gate_;
  uint64_t gate_cycles_ = 0;  // grows when it opened too early
  device::cuda::CUgraphExec throughput_graph_ = nullptr;
};

}  // namespace assay::measure::cuda
