// SPDX-License-Identifier: MIT
#include "measure/cuda/kernel_case.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <set>

#include "base/file.hpp"
#include "build/artifact_cache.hpp"
#include "check/arguments.hpp"
#include "check/launch_change.hpp"
#include "device/cuda/cupti.hpp"
#include "device/cuda/stream_work.hpp"
#include "spec/configuration.hpp"
#include "spec/launch.hpp"
#include "spec/shape.hpp"

namespace assay::measure::cuda {
namespace fs = std::filesystem;
using namespace device::cuda;  // the driver's types, under the vendor's names
namespace {

constexpr uint8_t kFirstPoison = 0x5a;

int thread_count() {
  std::error_code failed;
  int count = 0;
  for ([[maybe_unused]] const auto& task : fs::directory_iterator("/proc/self/task", failed)) ++count;
  return count;
}

}  // namespace

// What is read after one timed call.
struct KernelCase::Place {
  Event start;
  Event stop;
  CUdeviceptr slot = 0;  // the fingerprint
};

// One set of inputs with outputs of its own, and the launch that uses them.
struct KernelCase::Set {
  std::map<std::string, uint64_t> addresses;   // of tensors and arrays of pointers
  std::map<std::string, uint64_t> originals;   // what an inout argument holds before each call
  std::set<std::string> variables;             // arguments whose memory is the module's
  std::unique_ptr<device::Module> own_module;  // with variables of its own, if there are some
  std::vector<PreparedLaunch> call;            // the kernels, in order
  std::optional<Place> place;                  // of its graph
  CUgraphExec graph = nullptr;
  int graph_kernels = 0;  // without those of the instruments
};

KernelCase::KernelCase(CudaDevice& gpu, Instruments& instruments)
    : gpu_(gpu), driver_(gpu.driver()), instruments_(instruments) {}

Result<std::unique_ptr<KernelCase>> KernelCase::make(CudaDevice& gpu, Instruments& instruments,
                                                     const KernelCaseRequest& request) {
  std::unique_ptr<KernelCase> made(new KernelCase(gpu, instruments));
  ASSAY_CHECK(made->load(request));
  for (const ArgumentFiles& files : request.sets) ASSAY_CHECK(made->make_set(files));
  if (made->sets_.empty()) return Error{"a case needs at least one set of inputs"};
  ASSAY_CHECK(made->warm_up());
  for (auto& set : made->sets_) {
    if (made->protocol_.launch == Launch::graph) ASSAY_CHECK(made->capture_call(*set));
  }
  ASSAY_CHECK(made->capture_throughput());
  return made;
}

KernelCase::~KernelCase() {
  driver_.cuCtxSynchronize();
  for (const auto& set : sets_) {
    if (set->graph != nullptr) driver_.cuGraphExecDestroy(set->graph);
    for (const auto* memory : {&set->addresses, &set->originals}) {
      for (const auto& [name, address] : *memory) {
        if (memory == &set->originals || !set->variables.contains(name)) driver_.cuMemFree(address);
      }
    }
    if (set->place) driver_.cuMemFree(set->place->slot);
  }
  for (const Place& place : places_) driver_.cuMemFree(place.slot);
  if (throughput_graph_ != nullptr) driver_.cuGraphExecDestroy(throughput_graph_);
  if (flush_memory_ != 0) driver_.cuMemFree(flush_memory_);
  if (padding_ != 0) driver_.cuMemFree(padding_);
  if (stream_ != nullptr) driver_.cuStreamDestroy(stream_);
}

Result<void> KernelCase::load(const KernelCaseRequest& request) {
  ASSAY_CHECK(gpu_.make_current());
  // Not on every GPU; where there are no persisting lines there is nothing to take away.
  driver_.cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0);
  ASSAY_TRY(spec_, spec::load(request.specification));
  if (request.configuration.empty()) {
    ASSAY_TRY(configuration_, spec::default_configuration(spec_));
  } else {
    ASSAY_TRY(configuration_, spec::parse_configuration(spec_, request.configuration));
  }
  ASSAY_TRY(shape_, spec::parse_shape(spec_, request.shape));
  ASSAY_TRY(arguments_, spec::resolve_arguments(spec_, configuration_, shape_));
  protocol_ = request.protocol;
  flush_bytes_ = request.flush_bytes;
  change_ = request.change;
  if (!request.ptx.empty()) {
    ASSAY_TRY(ptx_, read_file(request.ptx));
  }
  if (!request.cubin.empty()) {
    ASSAY_TRY(cubin_, read_file(request.cubin));
  }
  image_name_ = (request.ptx.empty() ? request.cubin : request.ptx).filename().string();
  ASSAY_TRY(module_, gpu_.load_image({ptx_, image_name_, cubin_}));
  ASSAY_TRY(auto planner, check::LaunchPlanner::open(spec_, configuration_, {ptx_, image_name_, cubin_},
                                                     build::ArtifactCache::default_folder()));
  planner_.emplace(std::move(planner));
  if (auto monitor = GpuMonitor::open(gpu_.ordinal())) monitor_ = *monitor;
  ASSAY_CHECK(check(driver_.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate"));
  const uint64_t padding = request.protocol.placement * kPlacementBytes;
  if (padding > 0) ASSAY_CHECK(check(driver_.cuMemAlloc(&padding_, padding), "cuMemAlloc"));
  if (flush_bytes_ > 0) ASSAY_CHECK(check(driver_.cuMemAlloc(&flush_memory_, flush_bytes_), "cuMemAlloc"));
  ASSAY_TRY(gate_, Event::make(gpu_));
  gate_cycles_ = protocol_.gate.cycles * protocol_.gate.calls;
  while (protocol_.launch == Launch::event && places_.size() < protocol_.gate.calls) {
    ASSAY_TRY(Place place, make_place());
    places_.push_back(std::move(place));
  }
  return {};
}

Result<KernelCase::Place> KernelCase::make_place() {
  ASSAY_TRY(Event start, Event::make(gpu_));
  ASSAY_TRY(Event stop, Event::make(gpu_));
  Place place{std::move(start), std::move(stop)};
  ASSAY_CHECK(check(driver_.cuMemAlloc(&place.slot, sizeof(uint64_t)), "cuMemAlloc"));
  return place;
}

// First launches load code and allocate.
Result<void> KernelCase::warm_up() {
  for (size_t call = 0; call < protocol_.warm_up_calls; ++call) {
    for (size_t set = 0; set < sets_.size(); ++set) ASSAY_CHECK(run(set, kFirstPoison));
  }
  return {};
}

Result<void> KernelCase::make_set(const ArgumentFiles& files) {
  sets_.push_back(std::make_unique<Set>());
  Set& set = *sets_.back();
  if (protocol_.launch == Launch::graph) {
    ASSAY_TRY(set.place, make_place());
  }
  // Sets differ in their inputs, and so in the variables that are among them.
  if (spec_.has_globals()) {
    ASSAY_TRY(set.own_module, gpu_.load_image({ptx_, image_name_, cubin_}));
  }
  const device::Module& module = set.own_module ? *set.own_module : *module_;
  for (const spec::ResolvedArgument& argument : arguments_) {
    const spec::ResolvedTensor* tensor = argument.tensor();
    if (tensor == nullptr) continue;
    const auto bytes = static_cast<uint64_t>(tensor->bytes);
    if (argument.global.empty()) {
      ASSAY_TRY(set.addresses[argument.name], gpu_.allocate(bytes + change_.pointer_offset, argument.name));
    } else {
      ASSAY_TRY(const CudaDevice::Variable variable, gpu_.variable(module, argument.global));
      if (variable.bytes < bytes)
        return Error{
            fmt::format("the variable '{}' has {} bytes, expected {}", argument.global, variable.bytes, bytes)};
      set.addresses[argument.name] = variable.address;
      set.variables.insert(argument.name);
    }
    if (tensor->role != spec::Role::inout) continue;
    ASSAY_TRY(set.originals[argument.name], gpu_.allocate(bytes, argument.name + " before the call"));
  }
  for (const spec::ResolvedArgument& argument : arguments_) {
    if (argument.pointers() == nullptr) continue;
    const std::vector<std::byte> bytes = check::pointer_bytes(*argument.pointers(), arguments_, set.addresses);
    ASSAY_TRY(set.addresses[argument.name], gpu_.allocate(bytes.size(), argument.name));
    ASSAY_CHECK(gpu_.upload(set.addresses[argument.name], bytes));
  }
  ASSAY_CHECK(check::write_scalar_variables(gpu_, module, arguments_));
  ASSAY_CHECK(write(sets_.size() - 1, files));
  ASSAY_TRY(std::vector<device::LaunchRequest> requests,
            planner_->plan(gpu_, shape_, arguments_, check::shifted(set.addresses, change_)));
  ASSAY_CHECK(check::apply(change_, requests));
  for (device::LaunchRequest& request : requests) {
    request.module = &module;
    ASSAY_TRY(PreparedLaunch call, gpu_.prepare(request));
    set.call.push_back(std::move(call));
  }
  if (set.call.empty()) return Error{"the shape leaves nothing to launch, and so nothing to time"};
  return {};
}

// The kernels of one call, one after the other.
Result<void> KernelCase::launch(const Set& set) {
  for (const PreparedLaunch& kernel : set.call) ASSAY_CHECK(check(kernel.launch(stream_), "cuLaunchKernelEx"));
  return {};
}

std::string KernelCase::variant() const {
  std::string text;
  for (const PreparedLaunch& kernel : sets_.front()->call) {
    int registers = 0;
    driver_.cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel.function());
    text += fmt::format("{}{}, {} registers", text.empty() ? "" : "; ", kernel.entry(), registers);
  }
  return text;
}

uint64_t KernelCase::device_bytes() const {
  uint64_t bytes = 0;
  for (const spec::ResolvedArgument& argument : arguments_) {
    if (const spec::ResolvedTensor* tensor = argument.tensor()) bytes += static_cast<uint64_t>(tensor->bytes);
    if (argument.pointers() != nullptr)
      bytes += check::pointer_bytes(*argument.pointers(), arguments_, sets_.front()->addresses).size();
  }
  return bytes;
}

// Flush, start event, the call, the delay if one is asked for, stop event, fingerprint.
Result<void> KernelCase::enqueue_call(Set& set, Place& place, unsigned event_flags) {
  ASSAY_CHECK(check(driver_.cuMemsetD8Async(place.slot, 0, sizeof(uint64_t), stream_), "cuMemsetD8Async"));
  if (flush_bytes_ > 0) ASSAY_CHECK(instruments_.flush(stream_, flush_memory_, flush_bytes_));
  ASSAY_CHECK(place.start.record(stream_, event_flags));
  ASSAY_CHECK(launch(set));
  if (protocol_.delay_cycles > 0) ASSAY_CHECK(instruments_.spin(stream_, protocol_.delay_cycles));
  ASSAY_CHECK(place.stop.record(stream_, event_flags));
  ASSAY_CHECK(drain_arrays(set));
  for (const spec::ResolvedArgument* written : written_tensors()) {
    ASSAY_CHECK(instruments_.fingerprint(stream_, set.addresses.at(written->name),
                                         static_cast<uint64_t>(written->tensor()->bytes), place.slot));
  }
  return {};
}

std::vector<const spec::ResolvedArgument*> KernelCase::written_tensors() const {
  std::vector<const spec::ResolvedArgument*> written;
  for (const spec::ResolvedArgument& argument : arguments_) {
    if (argument.tensor() != nullptr && spec::is_result(argument.tensor()->role)) written.push_back(&argument);
  }
  return written;
}

Result<int> KernelCase::count_kernels(CUgraph graph) {
  size_t count = 0;
  ASSAY_CHECK(check(driver_.cuGraphGetNodes(graph, nullptr, &count), "cuGraphGetNodes"));
  std::vector<CUgraphNode> nodes(count);
  ASSAY_CHECK(check(driver_.cuGraphGetNodes(graph, nodes.data(), &count), "cuGraphGetNodes"));
  int kernels = 0;
  for (CUgraphNode node : nodes) {
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    ASSAY_CHECK(check(driver_.cuGraphNodeGetType(node, &type), "cuGraphNodeGetType"));
    if (type == CU_GRAPH_NODE_TYPE_KERNEL) ++kernels;
  }
  return kernels;
}

Result<void> KernelCase::capture_call(Set& set) {
  const auto enqueue = [&] { return enqueue_call(set, *set.place, CU_EVENT_RECORD_EXTERNAL); };
  const auto count = [&](CUgraph graph) -> Result<void> {
    ASSAY_TRY(set.graph_kernels, count_kernels(graph));
    return {};
  };
  ASSAY_TRY(set.graph, device::cuda::captured_graph(gpu_, stream_, enqueue, count));
  set.graph_kernels -= static_cast<int>(written_tensors().size());
  if (flush_bytes_ > 0) --set.graph_kernels;
  if (protocol_.delay_cycles > 0) --set.graph_kernels;
  return {};
}

Result<void> KernelCase::capture_throughput() {
  const auto calls = [&]() -> Result<void> {
    for (size_t i = 0; i < protocol_.calls; ++i) ASSAY_CHECK(launch(*sets_[i % sets_.size()]));
    return {};
  };
  ASSAY_TRY(throughput_graph_, device::cuda::captured_graph(gpu_, stream_, calls));
  return {};
}

// Outputs and scratch memory are poisoned, and what the call changes is as it was.
Result<void> KernelCase::ready_outputs(Set& set, uint8_t poison) {
  for (const spec::ResolvedArgument& argument : arguments_) {
    if (argument.tensor() == nullptr || argument.tensor()->role != spec::Role::scratch) continue;
    const auto bytes = static_cast<size_t>(argument.tensor()->bytes);
    ASSAY_CHECK(
        check(driver_.cuMemsetD8Async(set.addresses.at(argument.name), poison, bytes, stream_), "cuMemsetD8Async"));
  }
  for (const spec::ResolvedArgument* written : written_tensors()) {
    const uint64_t address = set.addresses.at(written->name);
    const auto bytes = static_cast<size_t>(written->tensor()->bytes);
    if (const auto original = set.originals.find(written->name); original != set.originals.end()) {
      ASSAY_CHECK(check(driver_.cuMemcpyDtoDAsync(address, original->second, bytes, stream_), "cuMemcpyDtoDAsync"));
    } else {
      ASSAY_CHECK(check(driver_.cuMemsetD8Async(address, poison, bytes, stream_), "cuMemsetD8Async"));
    }
  }
  return fill_arrays(set);
}

namespace {

std::vector<uint64_t> tensors_of(const std::map<std::string, uint64_t>& addresses) {
  std::vector<uint64_t> tensors;
  tensors.reserve(addresses.size());
  for (const auto& [name, address] : addresses) tensors.push_back(address);
  return tensors;
}

}  // namespace

Result<void> KernelCase::fill_arrays(const Set& set) {
  if (gpu_.textures().empty()) return {};
  return check(gpu_.textures().fill(stream_, tensors_of(check::shifted(set.addresses, change_))), "cuMemcpy3DAsync");
}

Result<void> KernelCase::drain_arrays(const Set& set) {
  if (gpu_.textures().empty()) return {};
  return check(gpu_.textures().drain(stream_, tensors_of(check::shifted(set.addresses, change_))), "cuMemcpy3DAsync");
}

Result<void> KernelCase::run(size_t set, uint8_t poison) {
  ASSAY_CHECK(ready_outputs(*sets_[set], poison));
  ASSAY_CHECK(launch(*sets_[set]));
  ASSAY_CHECK(drain_arrays(*sets_[set]));
  return check(driver_.cuCtxSynchronize(), sets_[set]->call.front().entry().c_str());
}

Result<const spec::ResolvedTensor*> KernelCase::find_tensor(const std::string& name) const {
  for (const spec::ResolvedArgument& argument : arguments_) {
    if (argument.name == name && argument.tensor() != nullptr) return argument.tensor();
  }
  return Error{fmt::format("there is no tensor '{}'", name)};
}

Result<void> KernelCase::read(size_t set, const ArgumentFiles& files) {
  for (const auto& [name, file] : files) {
    ASSAY_TRY(const spec::ResolvedTensor* const tensor, find_tensor(name));
    std::string bytes(static_cast<size_t>(tensor->bytes), '\0');
    ASSAY_CHECK(gpu_.download(sets_[set]->addresses.at(name), std::as_writable_bytes(std::span(bytes))));
    ASSAY_CHECK(write_scratch_file(file, bytes));
  }
  return {};
}

Result<void> KernelCase::write(size_t set, const ArgumentFiles& files) {
  for (const auto& [name, file] : files) {
    ASSAY_TRY(const spec::ResolvedTensor* const tensor, find_tensor(name));
    ASSAY_TRY(const std::string bytes, read_file(file, size_t{1} << 36));
    if (bytes.size() != static_cast<size_t>(tensor->bytes))
      return Error{fmt::format("'{}' has {} bytes, expected {}", name, bytes.size(), tensor->bytes)};
    ASSAY_CHECK(gpu_.upload(sets_[set]->addresses.at(name), std::as_bytes(std::span(bytes))));
    const auto original = sets_[set]->originals.find(name);
    if (original != sets_[set]->originals.end())
      ASSAY_CHECK(gpu_.upload(original->second, std::as_bytes(std::span(bytes))));
  }
  return {};
}

KernelCase::Place& KernelCase::place_of(size_t set, size_t number) {
  return sets_[set]->place ? *sets_[set]->place : places_[number];
}

// The samples of one gate, from `first` on; whether it was still closed when the last of them had been enqueued.
Result<bool> KernelCase::take(std::span<const size_t> order, std::span<const uint8_t> poison, size_t first,
                              SampleBatch& batch) {
  const size_t end = std::min(order.size(), first + protocol_.gate.calls);
  // Lines that were marked to stay would survive any flush.
  if (flush_bytes_ > 0) ASSAY_CHECK(check(driver_.cuCtxResetPersistingL2Cache(), "cuCtxResetPersistingL2Cache"));
  ASSAY_CHECK(instruments_.spin(stream_, gate_cycles_));
  ASSAY_CHECK(gate_->record(stream_));
  for (size_t i = first; i < end; ++i) {
    Set& set = *sets_[order[i]];
    ASSAY_CHECK(ready_outputs(set, poison[i]));
    if (protocol_.launch == Launch::event) {
      ASSAY_CHECK(enqueue_call(set, places_[i - first], CU_EVENT_RECORD_DEFAULT));
    } else {
      ASSAY_CHECK(check(driver_.cuGraphLaunch(set.graph, stream_), "cuGraphLaunch"));
    }
  }
  ASSAY_TRY(const bool opened, gate_->passed());
  ASSAY_CHECK(check(driver_.cuCtxSynchronize(), sets_[order[first]]->call.front().entry().c_str()));
  for (size_t i = first; i < end; ++i) {
    Place& place = place_of(order[i], i - first);
    ASSAY_TRY(batch.us[i], place.stop.microseconds_since(place.start));
    ASSAY_CHECK(check(driver_.cuMemcpyDtoH(&batch.fingerprints[i], place.slot, sizeof(uint64_t)), "cuMemcpyDtoH"));
  }
  return !opened;
}

Result<SampleBatch> KernelCase::sample(const std::vector<size_t>& order, const std::vector<uint8_t>& poison) {
  SampleBatch batch;
  batch.us.resize(order.size());
  batch.fingerprints.resize(order.size());
  batch.ungated = 0;
  const Gate& gate = protocol_.gate;
  const auto start = std::chrono::steady_clock::now();
  for (size_t first = 0; first < order.size(); first += gate.calls) {
    const size_t count = std::min(gate.calls, order.size() - first);
    while (true) {
      ASSAY_TRY(const bool hidden, take(order, poison, first, batch));
      if (hidden) break;
      if (gate_cycles_ >= gate.most_cycles) {
        *batch.ungated += count;
        break;
      }
      gate_cycles_ = std::min(gate_cycles_ * gate.growth, gate.most_cycles);
      batch.retaken += count;
    }
  }
  batch.gate_cycles = gate_cycles_;
  batch.host_us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  const GpuReading reading = monitor_ ? monitor_->read() : GpuReading();
  batch.clock_mhz.assign(order.size(), reading.sm_clock_mhz.value_or(0));
  batch.throttled.assign(order.size(), reading.throttled());
  return batch;
}

// Without a pause between replays: the parent's own clock checks the sum.
Result<std::vector<double>> KernelCase::throughput(size_t replays) {
  std::vector<std::pair<Event, Event>> marks;
  for (size_t i = 0; i < replays; ++i) {
    ASSAY_TRY(Event start, Event::make(gpu_));
    ASSAY_TRY(Event stop, Event::make(gpu_));
    marks.emplace_back(std::move(start), std::move(stop));
  }
  ASSAY_CHECK(check(driver_.cuGraphLaunch(throughput_graph_, stream_), "cuGraphLaunch"));  // warms up
  ASSAY_CHECK(check(driver_.cuCtxSynchronize(), "cuCtxSynchronize"));
  ASSAY_CHECK(instruments_.spin(stream_, protocol_.gate.cycles));
  for (auto& [start, stop] : marks) {
    ASSAY_CHECK(start.record(stream_));
    ASSAY_CHECK(check(driver_.cuGraphLaunch(throughput_graph_, stream_), "cuGraphLaunch"));
    ASSAY_CHECK(stop.record(stream_));
  }
  ASSAY_CHECK(check(driver_.cuCtxSynchronize(), "cuCtxSynchronize"));
  std::vector<double> times;
  times.reserve(replays);
  for (const auto& [start, stop] : marks) {
    ASSAY_TRY(const double us, stop.microseconds_since(start));
    times.push_back(us / static_cast<double>(protocol_.calls));
  }
  return times;
}

Result<KernelList> KernelCase::kernels(size_t set, KernelLook look) {
  KernelList list;
  if (protocol_.launch == Launch::graph) list.graph_nodes = sets_[set]->graph_kernels;
  list.threads_before = thread_count();
  if (look == KernelLook::names) {  // nothing but what we launch ourselves can run
    for (const PreparedLaunch& launch : sets_[set]->call) list.kernels.push_back({launch.entry(), 0, 0});
    list.threads_after = list.threads_before;
    list.available = true;
    return list;
  }
  auto trace = ActivityTrace::open();
  const auto started = trace ? (*trace)->start() : Result<void>(trace.error());
  if (!started) {
    list.reason = started.error().message;
    list.threads_after = list.threads_before;
    return list;
  }
  list.threads_before = thread_count();  // CUPTI has some of its own
  // A kernel of ours goes first and shows which of CUPTI's streams is the timed one.
  ASSAY_CHECK(instruments_.spin(stream_, 1));
  const Result<void> launched = launch(*sets_[set]);
  const CUresult ended = driver_.cuCtxSynchronize();
  auto ran = (*trace)->stop();
  ASSAY_CHECK(launched);
  ASSAY_CHECK(check(ended, sets_[set]->call.front().entry().c_str()));
  list.threads_after = thread_count();
  if (!ran) {
    list.reason = ran.error().message;
    return list;
  }
  list.available = true;
  const uint32_t timed = ran->empty() ? 0 : ran->front().stream;
  for (size_t i = 1; i < ran->size(); ++i) {
    const Activity& activity = (*ran)[i];
    list.kernels.push_back({activity.name, activity.stream == timed ? 0 : int64_t{activity.stream} + 1,
                            1e-3 * static_cast<double>(activity.end_ns - activity.start_ns)});
  }
  return list;
}

}  // namespace assay::measure::cuda
