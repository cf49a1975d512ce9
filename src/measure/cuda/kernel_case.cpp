// SPDX-License-Identifier: MIT
#include "measure/cuda/kernel_case.hpp"

#include <chrono>
#include <cstring>
#include <fmt/format.h>

#include "base/file.hpp"
#include "check/arguments.hpp"
#include "device/cuda/cupti.hpp"
#include "spec/configuration.hpp"
#include "spec/launch.hpp"
#include "spec/shape.hpp"

namespace assay::measure::cuda {
namespace fs = std::filesystem;
using namespace device::cuda;  // the driver's types, under the vendor's names
namespace {

constexpr size_t kMostSamples = 65536;
constexpr uint64_t kGateCycles = 200'000;  // about 100 us: enough to enqueue a sample behind it

int thread_count() {
  std::error_code failed;
  int count = 0;
  for ([[maybe_unused]] const auto& task : fs::directory_iterator("/proc/self/task", failed)) ++count;
  return count;
}

}  // namespace

// One set of inputs with outputs of its own, and the launch that uses them.
struct KernelCase::Set {
  std::map<std::string, uint64_t> addresses;
  std::optional<PreparedLaunch> call;
  CUevent start = nullptr;
  CUevent stop = nullptr;
  CUgraphExec graph = nullptr;
  int graph_kernels = 0;  // without those of the instruments
};

KernelCase::KernelCase(CudaDevice& gpu) : gpu_(gpu), driver_(gpu.driver()) {}

Result<std::unique_ptr<KernelCase>> KernelCase::make(CudaDevice& gpu, const KernelCaseRequest& request) {
  std::unique_ptr<KernelCase> made(new KernelCase(gpu));
  ASSAY_CHECK(made->load(request));
  for (const ArgumentFiles& files : request.sets) ASSAY_CHECK(made->make_set(request, files));
  if (made->sets_.empty()) return Error{"a case needs at least one set of inputs"};
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
    if (set->start != nullptr) driver_.cuEventDestroy(set->start);
    if (set->stop != nullptr) driver_.cuEventDestroy(set->stop);
    for (const auto& [name, address] : set->addresses) driver_.cuMemFree(address);
  }
  if (throughput_graph_ != nullptr) driver_.cuGraphExecDestroy(throughput_graph_);
  if (throughput_start_ != nullptr) driver_.cuEventDestroy(throughput_start_);
  if (throughput_stop_ != nullptr) driver_.cuEventDestroy(throughput_stop_);
  if (slots_ != 0) driver_.cuMemFree(slots_);
  if (flush_memory_ != 0) driver_.cuMemFree(flush_memory_);
  if (stream_ != nullptr) driver_.cuStreamDestroy(stream_);
}

Result<void> KernelCase::load(const KernelCaseRequest& request) {
  ASSAY_CHECK(gpu_.make_current());
  // Not on every GPU; where there are no persisting lines there is nothing to take away.
  driver_.cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0);
  ASSAY_TRY(spec_, spec::load(request.specification));
  protocol_ = request.protocol;
  flush_bytes_ = request.flush_bytes;
  ASSAY_TRY(const std::string ptx, read_file(request.ptx));
  std::string cubin;
  if (!request.cubin.empty()) {
    ASSAY_TRY(cubin, read_file(request.cubin));
  }
  ASSAY_TRY(module_, gpu_.load_image({ptx, request.ptx.filename().string(), cubin}));
  ASSAY_TRY(Instruments instruments, Instruments::load(gpu_, request.instruments));
  instruments_.emplace(std::move(instruments));
  if (auto monitor = GpuMonitor::open(gpu_.ordinal())) monitor_ = *monitor;
  ASSAY_CHECK(check(driver_.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate"));
  ASSAY_CHECK(check(driver_.cuMemAlloc(&slots_, kMostSamples * sizeof(uint64_t)), "cuMemAlloc"));
  if (flush_bytes_ > 0) ASSAY_CHECK(check(driver_.cuMemAlloc(&flush_memory_, flush_bytes_), "cuMemAlloc"));
  return {};
}

Result<void> KernelCase::make_set(const KernelCaseRequest& request, const ArgumentFiles& files) {
  spec::Configuration configuration;
  if (request.configuration.empty()) {
    ASSAY_TRY(configuration, spec::default_configuration(spec_));
  } else {
    ASSAY_TRY(configuration, spec::parse_configuration(spec_, request.configuration));
  }
  ASSAY_TRY(const spec::Shape shape, spec::parse_shape(spec_, request.shape));
  ASSAY_TRY(arguments_, spec::resolve_arguments(spec_, configuration, shape));
  sets_.push_back(std::make_unique<Set>());
  Set& set = *sets_.back();
  for (const spec::ResolvedArgument& argument : arguments_) {
    const spec::ResolvedTensor* tensor = argument.tensor();
    if (tensor == nullptr) continue;
    ASSAY_TRY(set.addresses[argument.name], gpu_.allocate(static_cast<uint64_t>(tensor->bytes), argument.name));
  }
  ASSAY_CHECK(write(sets_.size() - 1, files));
  ASSAY_TRY(device::LaunchRequest launch, check::launch_request(spec_, configuration, shape));
  launch.module = module_.get();
  ASSAY_TRY(launch.arguments, check::argument_bytes(gpu_, arguments_, set.addresses));
  ASSAY_TRY(PreparedLaunch call, gpu_.prepare(launch));
  set.call.emplace(std::move(call));
  ASSAY_CHECK(check(driver_.cuEventCreate(&set.start, CU_EVENT_DEFAULT), "cuEventCreate"));
  return check(driver_.cuEventCreate(&set.stop, CU_EVENT_DEFAULT), "cuEventCreate");
}

std::string KernelCase::variant() const {
  int registers = 0;
  const CUfunction function = sets_.front()->call->function();
  driver_.cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
  return fmt::format("{}, {} registers", sets_.front()->call->entry(), registers);
}

// Start event, the call, the delay if one is asked for, stop event.
Result<void> KernelCase::enqueue_call(Set& set, bool external_events) {
  const unsigned flags = external_events ? CU_EVENT_RECORD_EXTERNAL : CU_EVENT_RECORD_DEFAULT;
  ASSAY_CHECK(check(driver_.cuEventRecordWithFlags(set.start, stream_, flags), "cuEventRecord"));
  ASSAY_CHECK(check(set.call->launch(stream_), "cuLaunchKernelEx"));
  if (protocol_.delay_cycles > 0) ASSAY_CHECK(instruments_->spin(stream_, protocol_.delay_cycles));
  return check(driver_.cuEventRecordWithFlags(set.stop, stream_, flags), "cuEventRecord");
}

// What `enqueue` puts on the stream, as an executable graph; `kernels`, if given, counts the kernels in it.
Result<CUgraphExec> KernelCase::capture(const std::function<Result<void>()>& enqueue, int* kernels) {
  ASSAY_CHECK(
      check(driver_.cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "cuStreamBeginCapture"));
  const auto enqueued = enqueue();
  CUgraph graph = nullptr;
  const CUresult ended = driver_.cuStreamEndCapture(stream_, &graph);
  if (!enqueued) return enqueued.error();
  ASSAY_CHECK(check(ended, "cuStreamEndCapture"));
  if (kernels != nullptr) {
    ASSAY_TRY(*kernels, count_kernels(graph));
  }
  CUgraphExec executable = nullptr;
  const CUresult made = driver_.cuGraphInstantiate(&executable, graph, 0);
  driver_.cuGraphDestroy(graph);
  ASSAY_CHECK(check(made, "cuGraphInstantiate"));
  ASSAY_CHECK(check(driver_.cuGraphUpload(executable, stream_), "cuGraphUpload"));
  return executable;
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
  ASSAY_TRY(set.graph, capture([&] { return enqueue_call(set, true); }, &set.graph_kernels));
  if (protocol_.delay_cycles > 0) --set.graph_kernels;
  return {};
}

Result<void> KernelCase::capture_throughput() {
  ASSAY_CHECK(check(driver_.cuEventCreate(&throughput_start_, CU_EVENT_DEFAULT), "cuEventCreate"));
  ASSAY_CHECK(check(driver_.cuEventCreate(&throughput_stop_, CU_EVENT_DEFAULT), "cuEventCreate"));
  const auto calls = [&]() -> Result<void> {
    for (size_t i = 0; i < protocol_.calls; ++i)
      ASSAY_CHECK(check(sets_[i % sets_.size()]->call->launch(stream_), "cuLaunchKernelEx"));
    return {};
  };
  ASSAY_TRY(throughput_graph_, capture(calls, nullptr));
  return {};
}

Result<void> KernelCase::poison_outputs(Set& set, uint8_t poison) {
  for (const spec::ResolvedArgument& argument : arguments_) {
    const spec::ResolvedTensor* tensor = argument.tensor();
    if (tensor == nullptr || tensor->role != spec::Role::output) continue;
    ASSAY_CHECK(check(
        driver_.cuMemsetD8Async(set.addresses.at(argument.name), poison, static_cast<size_t>(tensor->bytes), stream_),
        "cuMemsetD8Async"));
  }
  return {};
}

Result<void> KernelCase::run(size_t set, uint8_t poison) {
  ASSAY_CHECK(poison_outputs(*sets_[set], poison));
  ASSAY_CHECK(check(sets_[set]->call->launch(stream_), "cuLaunchKernelEx"));
  return check(driver_.cuCtxSynchronize(), sets_[set]->call->entry().c_str());
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
    ASSAY_CHECK(write_file_atomically(file, bytes));
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
  }
  return {};
}

Result<void> KernelCase::enqueue_sample(Set& set, uint8_t poison, CUdeviceptr slot) {
  if (protocol_.launch == Launch::event) ASSAY_CHECK(instruments_->spin(stream_, kGateCycles));
  ASSAY_CHECK(poison_outputs(set, poison));
  if (flush_bytes_ > 0) ASSAY_CHECK(instruments_->flush(stream_, flush_memory_, flush_bytes_));
  if (protocol_.launch == Launch::graph) {
    ASSAY_CHECK(check(driver_.cuGraphLaunch(set.graph, stream_), "cuGraphLaunch"));
  } else {
    ASSAY_CHECK(enqueue_call(set, false));
  }
  for (const spec::ResolvedArgument& argument : arguments_) {
    const spec::ResolvedTensor* tensor = argument.tensor();
    if (tensor == nullptr || tensor->role == spec::Role::input) continue;
    ASSAY_CHECK(instruments_->fingerprint(stream_, set.addresses.at(argument.name),
                                          static_cast<uint64_t>(tensor->bytes), slot));
  }
  return {};
}

Result<SampleBlock> KernelCase::sample(const std::vector<size_t>& order, const std::vector<uint8_t>& poison) {
  if (order.size() > kMostSamples) return Error{fmt::format("at most {} samples at a time", kMostSamples)};
  SampleBlock block;
  ASSAY_CHECK(check(driver_.cuMemsetD8Async(slots_, 0, order.size() * sizeof(uint64_t), stream_), "cuMemsetD8Async"));
  ASSAY_CHECK(check(driver_.cuStreamSynchronize(stream_), "cuStreamSynchronize"));
  const auto start = std::chrono::steady_clock::now();
  for (size_t i = 0; i < order.size(); ++i) {
    // Lines that were marked to stay would survive any flush.
    if (flush_bytes_ > 0) ASSAY_CHECK(check(driver_.cuCtxResetPersistingL2Cache(), "cuCtxResetPersistingL2Cache"));
    Set& set = *sets_[order[i]];
    ASSAY_CHECK(enqueue_sample(set, poison[i], slots_ + i * sizeof(uint64_t)));
    ASSAY_CHECK(check(driver_.cuCtxSynchronize(), set.call->entry().c_str()));
    float milliseconds = 0;
    ASSAY_CHECK(check(driver_.cuEventElapsedTime(&milliseconds, set.start, set.stop), "cuEventElapsedTime"));
    block.us.push_back(1e3 * static_cast<double>(milliseconds));
  }
  block.host_us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  const GpuReading reading = monitor_ ? monitor_->read() : GpuReading();
  block.clock_mhz.assign(order.size(), reading.sm_clock_mhz.value_or(0));
  block.throttled.assign(order.size(), reading.throttled());
  block.fingerprints.resize(order.size());
  ASSAY_CHECK(
      check(driver_.cuMemcpyDtoH(block.fingerprints.data(), slots_, order.size() * sizeof(uint64_t)), "cuMemcpyDtoH"));
  return block;
}

Result<std::vector<double>> KernelCase::throughput(size_t replays) {
  std::vector<double> times;
  times.reserve(replays);
  for (size_t i = 0; i <= replays; ++i) {
    ASSAY_CHECK(instruments_->spin(stream_, kGateCycles));
    ASSAY_CHECK(check(driver_.cuEventRecord(throughput_start_, stream_), "cuEventRecord"));
    ASSAY_CHECK(check(driver_.cuGraphLaunch(throughput_graph_, stream_), "cuGraphLaunch"));
    ASSAY_CHECK(check(driver_.cuEventRecord(throughput_stop_, stream_), "cuEventRecord"));
    ASSAY_CHECK(check(driver_.cuCtxSynchronize(), "cuCtxSynchronize"));
    float milliseconds = 0;
    ASSAY_CHECK(
        check(driver_.cuEventElapsedTime(&milliseconds, throughput_start_, throughput_stop_), "cuEventElapsedTime"));
    // The first replay warms up.
    if (i > 0) times.push_back(1e3 * static_cast<double>(milliseconds) / static_cast<double>(protocol_.calls));
  }
  return times;
}

Result<KernelList> KernelCase::kernels(size_t set) {
  KernelList list;
  if (protocol_.launch == Launch::graph) list.graph_nodes = sets_[set]->graph_kernels;
  list.threads_before = thread_count();
  auto trace = ActivityTrace::open();
  const auto started = trace ? (*trace)->start() : Result<void>(trace.error());
  if (!started) {
    list.reason = started.error().message;
    list.threads_after = list.threads_before;
    return list;
  }
  list.threads_before = thread_count();  // CUPTI has some of its own
  // A kernel of ours goes first and shows which of CUPTI's streams is the timed one.
  ASSAY_CHECK(instruments_->spin(stream_, 1));
  const CUresult launched = sets_[set]->call->launch(stream_);
  const CUresult ended = driver_.cuCtxSynchronize();
  auto ran = (*trace)->stop();
  ASSAY_CHECK(check(launched, "cuLaunchKernelEx"));
  ASSAY_CHECK(check(ended, sets_[set]->call->entry().c_str()));
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
