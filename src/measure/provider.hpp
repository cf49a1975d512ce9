// SPDX-License-Identifier: MIT
// A provider as its parent sees it: a child process that is asked and not trusted. docs/providers.md has the protocol.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/child.hpp"
#include "base/result.hpp"
#include "measure/contender.hpp"
#include "measure/guard.hpp"

namespace assay::measure {

// The timed calls of one request, in order.
struct SampleBatch {
  std::vector<double> us;
  std::vector<uint64_t> fingerprints;
  std::vector<double> clock_mhz;  // 0: not known
  std::vector<bool> throttled;
  uint64_t gate_cycles = 0;       // of the last gate
  size_t retaken = 0;             // samples thrown away because their gate had opened
  std::optional<size_t> ungated;  // samples kept although it had; nothing: the provider does not say
  double host_us = 0;             // as the provider says
  double wall_us = 0;             // as we saw it, the answer's way included
};

struct LaunchedKernel {
  std::string name;
  int64_t stream = 0;  // 0: the one that is timed
  double us = 0;       // 0: not measured
};

// How to find out what a call launches. A profiler sees what really ran, and on which streams; it takes seconds to
// start, and slows whatever runs in that process afterwards. Names alone are those of a captured call.
enum class KernelLook : uint8_t { profile, names };

// What one call launches.
struct KernelList {
  bool available = false;
  std::string reason;  // why it is not
  std::vector<LaunchedKernel> kernels;
  std::optional<int> graph_nodes;  // kernels, copies and fills of a captured call, if that is known
  int threads_before = 0;
  int threads_after = 0;
  double persisting_l2_bytes = 0;  // cache that was set aside for lines that survive a flush
};

// Replays of many calls back to back.
struct Throughput {
  std::vector<double> us;  // of one call
  double wall_us = 0;      // of the whole request, as we saw it
};

struct ProviderIdentity {
  std::string name;
  std::string device;
  std::map<std::string, std::string> versions;
};

// What requests of one kind took, as the parent's clock saw it, or a part of them as the provider says ("prepare:
// compile").
struct RequestCost {
  size_t count = 0;
  double seconds = 0;

  void add(double more) {
    ++count;
    seconds += more;
  }
};
using RequestCosts = std::map<std::string, RequestCost>;

// What an answer to `prepare` says of the device memory that one call holds; nothing: it says nothing. A figure that
// can be none is an error.
Result<std::optional<uint64_t>> device_bytes_in(const nlohmann::json& answer);

using ArgumentFiles = std::map<std::string, std::filesystem::path>;  // by argument

class Provider {
 public:
  struct Limits {
    std::chrono::milliseconds start{std::chrono::minutes(3)};    // imports and contexts take their time
    std::chrono::milliseconds prepare{std::chrono::minutes(5)};  // so do compilers
    std::chrono::milliseconds request{std::chrono::minutes(2)};
    size_t memory_bytes = 0;  // private memory of the process, on the host; 0: no limit

    // What [limits] of a specification says.
    static Limits of(const spec::KernelSpec& spec);
  };

  // Starts the program.
  static Result<std::unique_ptr<Provider>> launch(const Contender& contender, const Limits& limits);
  // The first request: which device, and who it is. Until then nothing else may be asked.
  Result<void> greet(int device);
  // Both.
  static Result<std::unique_ptr<Provider>> start(const Contender& contender, int device, const Limits& limits);
  static Result<std::unique_ptr<Provider>> start(const Contender& contender, int device) {
    return start(contender, device, Limits());
  }

  const ProviderIdentity& identity() const { return identity_; }
  const std::string& name() const { return name_; }
  // The guard that its last answer ran into, if one did: answer_id, not_positive or contract.
  const std::optional<GuardKind>& failed_guard() const { return failed_guard_; }

  const RequestCosts& costs() const { return costs_; }
  // Device memory that a call of the prepared case holds at most, if the provider says.
  const std::optional<uint64_t>& device_bytes() const { return device_bytes_; }

  // After an error of any of these the provider has been stopped.
  Result<std::string> prepare(nlohmann::json request);  // what will run, in words
  Result<void> run(size_t set, uint8_t poison);
  Result<void> read(size_t set, const ArgumentFiles& files);
  Result<void> write(size_t set, const ArgumentFiles& files);
  Result<SampleBatch> sample(const std::vector<size_t>& order, const std::vector<uint8_t>& poison);
  Result<Throughput> throughput(size_t replays);
  Result<KernelList> kernels(size_t set, KernelLook look = KernelLook::profile);

 private:
  Provider(const Contender& contender, const Limits& limits) : name_(contender.name), limits_(limits) {}
  Result<nlohmann::json> ask(const char* op, nlohmann::json request, std::chrono::milliseconds limit);
  void note_parts(const char* op, const nlohmann::json& answer);
  Error lost(const std::string& what, std::optional<GuardKind> guard = std::nullopt);

  std::string name_;
  std::optional<GuardKind> failed_guard_;
  Limits limits_;
  std::unique_ptr<Child> child_;
  ProviderIdentity identity_;
  RequestCosts costs_;
  std::optional<uint64_t> device_bytes_;
};

}  // namespace assay::measure
