// SPDX-License-Identifier: MIT
// What the commands share: their options, and the way from a specification to something that runs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "build/builder.hpp"
#include "check/worker.hpp"
#include "cli/measure_options.hpp"
#include "device/device.hpp"
#include "spec/configuration.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::cli {

class CommandLine;

struct LogOptions {
  std::vector<std::string> words;  // what to do: "show" ID, "export", "best"; none: list
  std::string kernel;
  std::string kind;
  std::string verdict;
  std::string device;
  std::string since;
  std::optional<size_t> limit;
  std::string format;
  bool samples = false;
};

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
  size_t jobs = 0;
  uint64_t instruction_limit = 0;
  bool no_memory_check = false;
  std::string fmad = "off";
  bool carry = false;
  bool no_measure = false;
  std::string with;           // another tool to ask: "ncu", "compute-sanitizer"
  std::string tool;           // of compute-sanitizer
  std::string sarif;          // a file for the findings
  size_t lines = 12;          // of a profile
  std::string ledger;         // a file; "none"; empty: the project's
  std::string cost_per_hour;  // a number; empty: not known
  LogOptions log;
  MeasureOptions measure;
};

// Each command: its options, and what it does. The result is the exit code.
using CommandFunction = Result<ExitCode> (*)(const Options& options);
struct Command {
  const char* name;
  const char* summary;
  void (*add_options)(CommandLine& line, Options& options);
  CommandFunction run;
};

Command doctor_command();
Command build_command();
Command sanitize_command();
Command check_command();
Command run_command();
Command log_command();
Command profile_command();
Command bench_command();
Command compare_command();
Command gate_command();
Command calibrate_command();
Command suite_command();

// --- options that several commands have
void add_kernel(CommandLine& line, Options& options);
void add_json(CommandLine& line, Options& options);
void add_device(CommandLine& line, Options& options);
void add_configuration(CommandLine& line, Options& options);
void add_seed(CommandLine& line, Options& options);
void add_limits(CommandLine& line, Options& options);

// --- steps that several commands take
std::string device_name(const Options& options);
Result<spec::Configuration> chosen_configuration(const spec::KernelSpec& spec, const Options& options);

// Without --device and without a GPU: on the first virtual GPU that has what the kernel needs.
Options on_suitable_device(const spec::KernelSpec& spec, const Options& options);

// For the memory checks: without --device, the virtual GPU that is most like this machine's GPU.
Result<Options> sanitizer_options(const Options& options);

// The target of the specification whose PTX the chosen device runs best. An error if the device lacks what the kernel
// needs, as tensor maps.
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
