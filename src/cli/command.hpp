// SPDX-License-Identifier: MIT
// What the commands share: their options, and the way from a specification to something that runs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "build/builder.hpp"
#include "check/worker.hpp"
#include "device/device.hpp"
#include "spec/configuration.hpp"
#include "spec/kernel_spec.hpp"

namespace CLI {
class App;
}

namespace assay::cli {

struct Options {
  std::string kernel;  // a folder or a kernel.toml
  bool json = false;
  std::string device;         // empty: the default one
  std::string configuration;  // empty: the default one; "all"
  std::string shape;
  std::string distribution;
  std::string target;
  std::string report = "report.json";
  uint64_t seed = 1;
  size_t fuzz = 16;
  double time_limit_s = 120;
  unsigned jobs = 0;
  uint64_t instruction_limit = 0;
  bool no_memory_check = false;
  bool carry = false;
};

// Each command: its options, and what it does. The result is the exit code.
using CommandFunction = Result<ExitCode> (*)(const Options& options);
struct Command {
  const char* name;
  const char* summary;
  void (*add_options)(CLI::App& app, Options& options);
  CommandFunction run;
};

Command doctor_command();
Command build_command();
Command sanitize_command();
Command check_command();
Command run_command();

// --- options that several commands have
void add_kernel(CLI::App& app, Options& options);
void add_json(CLI::App& app, Options& options);
void add_device(CLI::App& app, Options& options);
void add_configuration(CLI::App& app, Options& options);
void add_seed(CLI::App& app, Options& options);
void add_limits(CLI::App& app, Options& options);

// --- steps that several commands take
std::string device_name(const Options& options);
Result<spec::Configuration> chosen_configuration(const spec::KernelSpec& spec, const Options& options);

// The target of the specification whose PTX the chosen device runs best.
Result<std::string> device_target(const spec::KernelSpec& spec, const Options& options);

// The PTX of one configuration for one device: compiled, from the cache, or carried.
struct Runnable {
  build::BuildResult built;
  check::Worker::Options worker;
};
Result<Runnable> make_runnable(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                               const Options& options);

nlohmann::json document_head(const char* command, const spec::KernelSpec& spec,
                             const spec::Configuration& configuration, const Options& options);
void print_document(const nlohmann::json& document);

}  // namespace assay::cli
