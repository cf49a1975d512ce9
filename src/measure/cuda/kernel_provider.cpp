// SPDX-License-Identifier: MIT
#include "measure/cuda/kernel_provider.hpp"

#include <fmt/format.h>
#include <istream>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "check/launch_change.hpp"
#include "measure/cuda/kernel_case.hpp"

namespace assay::measure::cuda {
namespace {

using nlohmann::json;

ArgumentFiles files_from(const json& object) {
  ArgumentFiles files;
  for (const auto& [name, file] : object.items()) files[name] = file.get<std::string>();
  return files;
}

// None of these has a default here: the parent decides how all contenders are timed.
Result<Gate> gate_from(const json& timing, Launch launch) {
  const json& settings = timing.at("gate");
  Gate gate;
  gate.cycles = settings.at("cycles").get<uint64_t>();
  gate.growth = settings.at("growth").get<uint64_t>();
  gate.most_cycles = settings.at("most_cycles").get<uint64_t>();
  gate.calls = settings.at("calls").get<size_t>();
  if (gate.cycles < 1 || gate.growth < 2 || gate.calls < 1 || gate.calls > kMostCallsBehindGate)
    return Error{fmt::format("a gate of {} cycles that grows {} times, with {} calls behind it, is none", gate.cycles,
                             gate.growth, gate.calls)};
  if (launch == Launch::graph && gate.calls != 1)
    return Error{fmt::format("{} calls behind one gate; a graph stands alone", gate.calls)};
  return gate;
}

Result<KernelCaseRequest> case_from(const json& request) {
  KernelCaseRequest wanted;
  const json& options = request.at("options");
  const json& timing = request.at("timing");
  wanted.specification = options.at("specification").get<std::string>();
  wanted.configuration = options.at("configuration").get<std::string>();
  wanted.ptx = options.at("ptx").get<std::string>();
  wanted.cubin = options.at("cubin").get<std::string>();
  if (options.contains("launch_change"))
    wanted.change = check::launch_change_from(json::parse(options.at("launch_change").get<std::string>()));
  wanted.shape = request.at("shape").get<std::string>();
  for (const json& set : request.at("sets")) wanted.sets.push_back(files_from(set));
  wanted.protocol.launch = launch_from_name(timing.at("protocol").get<std::string>()).value_or(Launch::graph);
  wanted.protocol.cache = cache_from_name(timing.at("cache").get<std::string>()).value_or(Cache::warm);
  wanted.protocol.calls = std::max<size_t>(1, timing.at("calls").get<size_t>());
  wanted.protocol.delay_cycles = timing.at("delay_cycles").get<uint64_t>();
  wanted.protocol.placement = timing.at("placement").get<size_t>();
  ASSAY_TRY(wanted.protocol.gate, gate_from(timing, wanted.protocol.launch));
  wanted.protocol.warm_up_calls = timing.at("warm_up_calls").get<size_t>();
  wanted.flush_bytes = timing.at("flush_bytes").get<uint64_t>();
  wanted.instruments = timing.at("instruments").get<std::string>();
  return wanted;
}

json to_json(const SampleBatch& batch) {
  json fingerprints = json::array();
  for (const uint64_t value : batch.fingerprints) fingerprints.push_back(fmt::format("{:016x}", value));
  return {{"us", batch.us},
          {"fingerprints", fingerprints},
          {"clock_mhz", batch.clock_mhz},
          {"throttled", batch.throttled},
          {"gate", {{"cycles", batch.gate_cycles}, {"retaken", batch.retaken}, {"ungated", batch.ungated.value_or(0)}}},
          {"host_us", batch.host_us}};
}

json to_json(const KernelList& list) {
  json kernels = json::array();
  for (const LaunchedKernel& kernel : list.kernels)
    kernels.push_back({{"name", kernel.name}, {"stream", kernel.stream}, {"us", kernel.us}});
  return {{"available", list.available},
          {"reason", list.reason},
          {"kernels", kernels},
          {"graph_nodes", list.graph_nodes ? json(*list.graph_nodes) : json()},
          {"threads_before", list.threads_before},
          {"threads_after", list.threads_after}};
}

class Server {
 public:
  Result<json> answer(const json& request) {
    const std::string op = request.at("op").get<std::string>();
    if (op == "hello") return hello(request.at("device").get<int>());
    if (!gpu_) return Error{"the first request must be 'hello'"};
    if (op == "prepare") {
      case_.reset();  // its memory first
      ASSAY_TRY(const KernelCaseRequest wanted, case_from(request));
      // The driver compiles them, which takes longer than all the rest.
      if (!instruments_) {
        ASSAY_TRY(Instruments instruments, Instruments::load(*gpu_, wanted.instruments));
        instruments_.emplace(std::move(instruments));
      }
      ASSAY_TRY(case_, KernelCase::make(*gpu_, *instruments_, wanted));
      return json{{"variant", case_->variant()}, {"device_bytes", case_->device_bytes()}};
    }
    if (!case_) return Error{fmt::format("'{}' needs a 'prepare' before it", op)};
    if (op == "sample") return sample(request);
    if (op == "throughput") {
      ASSAY_TRY(const std::vector<double> times, case_->throughput(request.at("replays").get<size_t>()));
      return json{{"us", times}};
    }
    const auto set = request.at("set").get<size_t>();
    if (set >= case_->sets()) return Error{fmt::format("there is no set {}", set)};
    if (op == "run") {
      ASSAY_CHECK(case_->run(set, request.at("poison").get<uint8_t>()));
      return json::object();
    }
    if (op == "read") {
      ASSAY_CHECK(case_->read(set, files_from(request.at("files"))));
      return json::object();
    }
    if (op == "write") {
      ASSAY_CHECK(case_->write(set, files_from(request.at("files"))));
      return json::object();
    }
    if (op == "kernels") {
      const bool profile = request.value("profile", true);
      ASSAY_TRY(const KernelList list, case_->kernels(set, profile ? KernelLook::profile : KernelLook::names));
      return to_json(list);
    }
    return Error{fmt::format("there is no request '{}'", op)};
  }

 private:
  Result<json> hello(int ordinal) {
    ASSAY_TRY(const device::cuda::Driver* driver, device::cuda::Driver::load());
    ASSAY_TRY(gpu_, device::cuda::CudaDevice::open(*driver, ordinal));
    ASSAY_CHECK(gpu_->make_current());
    return json{
        {"name", "kernel"},
        {"versions", {{"cuda_driver", fmt::format("{}.{}", driver->version() / 1000, driver->version() % 1000 / 10)}}},
        {"device", std::string(gpu_->model().name)}};
  }

  Result<json> sample(const json& request) {
    const auto order = request.at("order").get<std::vector<size_t>>();
    const auto poison = request.at("poison").get<std::vector<uint8_t>>();
    if (poison.size() != order.size()) return Error{"'poison' and 'order' differ in length"};
    for (const size_t set : order) {
      if (set >= case_->sets()) return Error{fmt::format("there is no set {}", set)};
    }
    ASSAY_TRY(const SampleBatch batch, case_->sample(order, poison));
    return to_json(batch);
  }

  std::unique_ptr<device::cuda::CudaDevice> gpu_;
  std::optional<Instruments> instruments_;
  std::unique_ptr<KernelCase> case_;
};

bool write_line(int descriptor, const json& answer) {
  const std::string line = answer.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  size_t sent = 0;
  while (sent < line.size()) {
    const ssize_t count = ::write(descriptor, line.data() + sent, line.size() - sent);
    if (count <= 0) return false;
    sent += static_cast<size_t>(count);
  }
  return true;
}

}  // namespace

int serve_kernel_provider(std::istream& input) {
  const int answers = ::dup(STDOUT_FILENO);
  if (answers < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return 1;
  Server server;
  std::string line;
  while (std::getline(input, line)) {
    const json request = json::parse(line, nullptr, false);
    json answer = json::object();
    if (request.is_object() && request.value("op", "") == "quit") break;
    try {
      auto result = server.answer(request);
      if (result) {
        answer = std::move(*result);
      } else {
        answer = {{"error", to_string(Error{result.error().message, result.error().place, ""})},
                  {"hint", result.error().hint}};
      }
      answer["ok"] = result.ok();
    } catch (const json::exception& problem) {
      answer = {{"ok", false}, {"error", fmt::format("a request that is not understood: {}", problem.what())}};
    }
    if (request.is_object() && request.contains("id")) answer["id"] = request["id"];
    if (!write_line(answers, answer)) return 1;
  }
  return 0;
}

}  // namespace assay::measure::cuda
