// SPDX-License-Identifier: MIT
#include "work/gpu_facts.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/process.hpp"
#include "base/text.hpp"
#include "build/artifact_cache.hpp"
#include "build/toolkit.hpp"
#include "device/cuda/cupti.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/nvml.hpp"

namespace assay::work {
namespace {

using build::Fact;
using build::FactStatus;
using device::cuda::Ceilings;
using device::cuda::CudaDevice;
using device::cuda::GpuState;

constexpr double kGiB = 1 << 30;

template <class T>
std::string or_unknown(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "unknown";
}

std::string watts(const std::optional<double>& power) {
  return power ? fmt::format("{:.0f}", *power) : "unknown";
}

// 13000 for "13.0.88" or "13.0": the driver's way of writing a version of CUDA. 0 if it is none.
int cuda_number(const std::string& version) {
  int major = 0, minor = 0;
  const std::vector<std::string_view> parts = split(version, '.');
  std::from_chars(parts[0].data(), parts[0].data() + parts[0].size(), major);
  if (parts.size() > 1) std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), minor);
  return 1000 * major + 10 * minor;
}

std::string cuda_text(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

Fact process_fact(const GpuState& state, unsigned own_pid) {
  std::vector<std::string> others;
  for (const device::cuda::GpuProcess& process : state.processes) {
    if (process.pid == own_pid) continue;
    others.push_back(fmt::format(
        "{}{}{}", process.pid, process.name.empty() ? "" : " " + process.name,
        process.used_bytes ? fmt::format(" ({:.1f} GiB)", static_cast<double>(*process.used_bytes) / kGiB) : ""));
  }
  if (others.empty()) return {"GPU processes", FactStatus::ok, "none", ""};
  return {"GPU processes", FactStatus::warning, join(others, ", "),
          "others use this GPU: timings will vary; end them or choose another with CUDA_VISIBLE_DEVICES"};
}

Fact device_fact(const CudaDevice& device) {
  const gpu::GpuModel& model = device.model();
  return {device.name(), FactStatus::ok,
          fmt::format("{}, compute capability {}.{}, {} multiprocessors, {:.0f} MiB L2, {:.1f} GiB", model.name,
                      model.compute_major, model.compute_minor, model.sm_count,
                      static_cast<double>(model.l2_bytes) / (1 << 20), static_cast<double>(model.memory_bytes) / kGiB),
          ""};
}

Fact cupti_fact() {
  const auto trace = device::cuda::ActivityTrace::open();
  if (trace) return {"CUPTI", FactStatus::ok, (*trace)->library_path(), ""};
  return {"CUPTI", FactStatus::missing, "not found", trace.error().hint};
}

// Asked in a process of its own, with a time limit: an import may hang or crash.
std::optional<TorchAnswer> ask_torch() {
  constexpr const char* kProgram =
      "import json, torch\n"
      "names = {0: 'math', 1: 'flash', 2: 'efficient', 3: 'cudnn', 4: 'overrideable'}\n"
      "order = []\n"
      "try:\n"
      "    order = [names.get(int(i), str(i)) for i in torch._C._get_sdp_priority_order()]\n"
      "except Exception:\n"
      "    pass\n"
      "print(json.dumps({'version': torch.__version__, 'cuda': torch.version.cuda or '',\n"
      "    'cudnn': str(torch.backends.cudnn.version() or ''), 'sdpa': ', '.join(order),\n"
      "    'sees_gpu': torch.cuda.is_available()}))";
  Command command;
  command.arguments = {"python3", "-c", kProgram};
  command.time_limit = std::chrono::seconds(60);
  command.output_limit_bytes = 1 << 16;
  const Result<ProcessOutcome> outcome = run(command);
  if (!outcome || !outcome->succeeded()) return std::nullopt;
  const std::string_view text = trim(outcome->output);
  const size_t last = text.rfind('\n');
  return torch_answer(std::string(last == std::string_view::npos ? text : text.substr(last + 1)));
}

// A rate beside the product's: "measured 4012 GB/s, 84 % of the product's 4800".
std::string beside(double measured, const char* unit, double peak, bool known_product) {
  std::string text = fmt::format("measured {:.0f} {}", measured, unit);
  if (peak > 0)
    text += fmt::format(", {:.0f} % of {} {:.0f}", 100 * measured / peak,
                        known_product ? "the product's" : "what its clocks give,", peak);
  return text;
}

void append(std::vector<Fact>& facts, std::vector<Fact> more) {
  facts.insert(facts.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// Facts of one GPU.
std::vector<Fact> facts_of(CudaDevice& device, bool measure) {
  std::vector<Fact> facts = {device_fact(device)};
  bool shared = false;
  if (const auto state = device::cuda::read_state(device.ordinal())) {
    append(facts, state_facts(*state, static_cast<unsigned>(::getpid())));
    shared = process_fact(*state, static_cast<unsigned>(::getpid())).status != FactStatus::ok;
  } else {
    facts.push_back({"NVML", FactStatus::missing, state.error().message,
                     "clocks, power and throttling cannot be read; timings will not be marked as throttled"});
  }
  if (!measure || shared) return facts;
  if (const auto ceilings = device::cuda::measure_ceilings(device)) {
    append(facts, ceiling_facts(*ceilings, device.model(), device.known_product()));
  } else {
    facts.push_back({"ceilings", FactStatus::warning, ceilings.error().message, ceilings.error().hint});
  }
  return facts;
}

}  // namespace

std::vector<Fact> state_facts(const GpuState& state, unsigned own_pid) {
  std::vector<Fact> facts;
  const device::cuda::GpuReading& now = state.reading;
  facts.push_back({"GPU driver", FactStatus::ok, state.driver_version, ""});
  facts.push_back({"GPU clocks", FactStatus::ok,
                   fmt::format("multiprocessors {} of {} MHz, memory {} of {} MHz", or_unknown(now.sm_clock_mhz),
                               or_unknown(state.max_sm_clock_mhz), or_unknown(now.memory_clock_mhz),
                               or_unknown(state.max_memory_clock_mhz)),
                   ""});
  facts.push_back(
      {"GPU power", FactStatus::ok,
       fmt::format("{} of {} W, {} C", watts(now.power_w), watts(state.power_limit_w), or_unknown(now.temperature_c)),
       ""});
  if (now.clock_reasons) {
    facts.push_back({"GPU throttling", now.throttled() ? FactStatus::warning : FactStatus::ok,
                     device::cuda::describe_clock_reasons(*now.clock_reasons),
                     now.throttled() ? "the GPU is slowed down just now: let it cool, or raise the power limit" : ""});
  }
  if (state.ecc) facts.push_back({"GPU ECC", FactStatus::ok, *state.ecc ? "on" : "off", ""});
  if (state.mig && *state.mig)
    facts.push_back(
        {"GPU MIG", FactStatus::warning, "on", "a part of a GPU is measured, and its neighbours share memory"});
  if (state.memory_free_bytes && state.memory_total_bytes) {
    const bool little = *state.memory_free_bytes < *state.memory_total_bytes / 4;
    facts.push_back({"GPU memory", little ? FactStatus::warning : FactStatus::ok,
                     fmt::format("{:.1f} of {:.1f} GiB free", static_cast<double>(*state.memory_free_bytes) / kGiB,
                                 static_cast<double>(*state.memory_total_bytes) / kGiB),
                     little ? "large shapes will not fit" : ""});
  }
  facts.push_back(process_fact(state, own_pid));
  return facts;
}

std::vector<Fact> ceiling_facts(const Ceilings& ceilings, const gpu::GpuModel& model, bool known_product) {
  std::vector<Fact> facts;
  const bool slow_copy =
      model.memory_bandwidth_gb_per_s > 0 && ceilings.copy_gb_per_s < 0.7 * model.memory_bandwidth_gb_per_s;
  facts.push_back({"copy bandwidth", slow_copy ? FactStatus::warning : FactStatus::ok,
                   beside(ceilings.copy_gb_per_s, "GB/s", model.memory_bandwidth_gb_per_s, known_product),
                   slow_copy ? "less than 70 %: is the GPU shared, or are its memory clocks lowered?" : ""});
  if (ceilings.tensor_f16_tflops > 0) {
    facts.push_back(
        {"f16 tensor rate", FactStatus::ok,
         beside(ceilings.tensor_f16_tflops, "TFLOP/s", model.tensor_f16_tflops, known_product) +
             fmt::format(" ({}{})", ceilings.tensor_instruction,
                         ceilings.sm_clock_mhz ? fmt::format(", then at {} MHz", *ceilings.sm_clock_mhz) : ""),
         ""});
  }
  facts.push_back({"launch latency", FactStatus::ok,
                   fmt::format("measured {:.2f} us each in a row, {:.1f} us to the end of one", ceilings.launch_us,
                               ceilings.round_trip_us),
                   ""});
  return facts;
}

std::optional<TorchAnswer> torch_answer(const std::string& line) {
  const nlohmann::json answer = nlohmann::json::parse(line, nullptr, false);
  if (!answer.is_object()) return std::nullopt;
  const auto text = [&](const char* key) {
    const auto found = answer.find(key);
    return found != answer.end() && found->is_string() ? found->get<std::string>() : "";
  };
  const auto sees = answer.find("sees_gpu");
  TorchAnswer torch{text("version"), text("cuda"), text("cudnn"), text("sdpa"),
                    sees != answer.end() && sees->is_boolean() && sees->get<bool>()};
  if (torch.version.empty()) return std::nullopt;
  return torch;
}

std::vector<Fact> version_facts(int driver_cuda, const std::string& nvcc, const std::optional<TorchAnswer>& torch) {
  std::vector<Fact> facts;
  const int compiler = nvcc.empty() ? 0 : cuda_number(nvcc);
  Fact driver{"driver's CUDA", FactStatus::ok, cuda_text(driver_cuda), ""};
  if (compiler > driver_cuda) {
    driver.status = FactStatus::warning;
    driver.hint =
        compiler / 1000 > driver_cuda / 1000
            ? fmt::format(
                  "nvcc is of CUDA {}, a major version newer: what it makes will not load; update the driver, "
                  "or use a toolkit of CUDA {}",
                  cuda_text(compiler), driver_cuda / 1000)
            : fmt::format(
                  "nvcc is of CUDA {}: its machine code loads, its PTX does not; update the driver, or list "
                  "this GPU's own target in [kernel] targets",
                  cuda_text(compiler));
  }
  facts.push_back(std::move(driver));
  if (!torch) return facts;
  Fact fact{"PyTorch", FactStatus::ok,
            fmt::format("{}, CUDA {}, cuDNN {}", torch->version, torch->cuda.empty() ? "none" : torch->cuda,
                        torch->cudnn.empty() ? "none" : torch->cudnn),
            ""};
  if (torch->cuda.empty()) {
    fact.status = FactStatus::warning;
    fact.hint = "this PyTorch is for processors alone: install one for CUDA, see pytorch.org";
  } else if (cuda_number(torch->cuda) / 1000 > driver_cuda / 1000) {
    fact.status = FactStatus::warning;
    fact.hint = fmt::format("it needs a driver of CUDA {}: update the driver, or install PyTorch for CUDA {}",
                            torch->cuda, driver_cuda / 1000);
  } else if (!torch->sees_gpu) {
    fact.status = FactStatus::warning;
    fact.hint = "it does not see the GPU: python3 -c 'import torch; torch.cuda.init()' tells why";
  }
  facts.push_back(std::move(fact));
  if (!torch->sdpa.empty()) facts.push_back({"SDPA order", FactStatus::ok, torch->sdpa, ""});
  return facts;
}

std::vector<Fact> gpu_facts(const GpuFactOptions& options) {
  const auto driver = device::cuda::Driver::load();
  const int count = device::cuda::device_count();
  if (!driver || count == 0) return {};
  std::vector<Fact> facts;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    const auto device = CudaDevice::open(**driver, ordinal);
    if (device) {
      append(facts, facts_of(**device, options.measure));
    } else {
      facts.push_back(
          {fmt::format("cuda:{}", ordinal), FactStatus::warning, device.error().message, device.error().hint});
    }
  }
  const auto toolkit = build::find_toolkit(build::ArtifactCache::default_folder() / "compilers");
  append(facts, version_facts((*driver)->version(), toolkit ? toolkit->version : "",
                              options.torch ? ask_torch() : std::nullopt));
  facts.push_back(cupti_fact());
  return facts;
}

}  // namespace assay::work
