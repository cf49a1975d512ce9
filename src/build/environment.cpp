// SPDX-License-Identifier: MIT
#include "build/environment.hpp"

#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <future>
#include <optional>
#include <thread>
#include <unistd.h>

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "build/toolkit.hpp"

namespace assay::build {
namespace {

namespace fs = std::filesystem;

// The first line that the program writes, or nothing if it fails.
std::optional<std::string> ask(std::vector<std::string> arguments) {
  Command command;
  command.arguments = std::move(arguments);
  command.time_limit = std::chrono::seconds(10);
  command.output_limit_bytes = 1 << 16;
  const Result<ProcessOutcome> outcome = run(command);
  if (!outcome || !outcome->succeeded()) return std::nullopt;
  const std::string_view text = trim(outcome->output);
  return std::string(text.substr(0, text.find('\n')));
}

std::string whole_output(const fs::path& program, const std::string& argument) {
  Command command;
  command.arguments = {program.string(), argument};
  command.time_limit = std::chrono::seconds(10);
  const Result<ProcessOutcome> outcome = run(command);
  return outcome && outcome->succeeded() ? outcome->output : "";
}

Fact nvcc_fact(const Result<Toolkit>& toolkit) {
  if (!toolkit) return {"nvcc", FactStatus::missing, toolkit.error().message, toolkit.error().hint};
  const std::string value = fmt::format("{} ({})", toolkit->version, toolkit->nvcc.string());
  int major = 0, minor = 0;
  const std::vector<std::string_view> parts = split(toolkit->version, '.');
  std::from_chars(parts[0].data(), parts[0].data() + parts[0].size(), major);
  if (parts.size() > 1) std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), minor);
  if (major < 12 || (major == 12 && minor < 4)) {
    return {"nvcc", FactStatus::warning, value, "Assay is tested with CUDA 12.4 and newer"};
  }
  return {"nvcc", FactStatus::ok, value, ""};
}

Fact ptxas_fact(const Result<Toolkit>& toolkit) {
  fs::path program;
  if (toolkit) program = find_program((toolkit->nvcc.parent_path() / "ptxas").string());
  if (program.empty()) program = find_program("ptxas");
  if (program.empty()) return {"ptxas", FactStatus::missing, "not found", "it comes with the CUDA toolkit"};
  const std::string version = version_in(whole_output(program, "--version"));
  if (toolkit && !version.empty() && version != toolkit->version) {
    return {"ptxas", FactStatus::warning, fmt::format("{} ({})", version, program.string()),
            fmt::format("nvcc is {}; two toolkits are mixed", toolkit->version)};
  }
  return {"ptxas", FactStatus::ok,
          fmt::format("{} ({})", version.empty() ? "unknown version" : version, program.string()), ""};
}

int supported_gcc(const Toolkit& toolkit) {
  for (const char* place : {"include", "targets/x86_64-linux/include"}) {
    const Result<std::string> text = read_file(toolkit.root() / place / "crt" / "host_config.h", 1 << 20);
    if (text) return newest_supported_gcc(*text);
  }
  return 0;
}

Fact host_compiler_fact(const Result<Toolkit>& toolkit) {
  const std::optional<std::string> version = ask({"g++", "-dumpfullversion", "-dumpversion"});
  if (!version) {
    return {"host compiler", FactStatus::missing, "g++ not found",
            "install g++; nvcc needs it, and so do references in C++"};
  }
  int major = 0;
  std::from_chars(version->data(), version->data() + version->size(), major);
  const std::string value = "g++ " + *version;
  const int newest = toolkit ? supported_gcc(*toolkit) : 0;
  if (newest > 0 && major > newest) {
    return {"host compiler", FactStatus::warning, value,
            fmt::format("nvcc {} takes g++ up to {}: install that and set NVCC_CCBIN", toolkit->version, newest)};
  }
  return {"host compiler", FactStatus::ok, newest > 0 ? fmt::format("{} (nvcc takes up to {})", value, newest) : value,
          ""};
}

// Found by its file, so that nothing is loaded and a statically linked program can look, too. The name of the real file
// ends in the driver's version.
Fact driver_fact() {
  std::vector<std::string> folders;
  if (const char* extra = std::getenv("LD_LIBRARY_PATH")) {
    for (const std::string_view folder : split(extra, ':')) folders.emplace_back(folder);
  }
  for (const char* folder :
       {"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/lib/wsl/lib",
        "/usr/lib/x86_64-linux-gnu/nvidia/current", "/usr/local/nvidia/lib64", "/run/opengl-driver/lib"}) {
    folders.emplace_back(folder);
  }
  for (const std::string& folder : folders) {
    const fs::path library = fs::path(folder) / "libcuda.so.1";
    std::error_code failed;
    if (folder.empty() || !fs::exists(library, failed)) continue;
    const std::string real = fs::canonical(library, failed).filename().string();
    const std::string version = real.starts_with("libcuda.so.") ? real.substr(11) : "";
    return {
        "driver", FactStatus::ok,
        version.find('.') == std::string::npos ? library.string() : fmt::format("{} ({})", version, library.string()),
        ""};
  }
  return {"driver", FactStatus::missing, "libcuda.so.1 not found",
          "needed to run on a GPU; the virtual GPU works without it"};
}

Fact nvidia_smi_fact() {
  if (find_program("nvidia-smi").empty()) {
    return {"nvidia-smi", FactStatus::missing, "not found", "it comes with the driver"};
  }
  const std::optional<std::string> gpu =
      ask({"nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"});
  if (!gpu || gpu->empty())
    return {"nvidia-smi", FactStatus::warning, "found, but it lists no GPU", "is the driver loaded?"};
  return {"nvidia-smi", FactStatus::ok, *gpu, ""};
}

Fact tool_fact(const std::string& name, const Result<Toolkit>& toolkit, const std::string& hint) {
  fs::path program = find_program(name);
  if (program.empty() && toolkit) program = find_program((toolkit->nvcc.parent_path() / name).string());
  if (program.empty()) return {name, FactStatus::missing, "not found", hint};
  return {name, FactStatus::ok, program.string(), ""};
}

Fact version_fact(const std::string& name, const std::string& hint) {
  const std::optional<std::string> version = ask({name, "--version"});
  if (!version) return {name, FactStatus::missing, "not found", hint};
  return {name, FactStatus::ok, *version, ""};
}

// Asks for the package's version without importing it, which would take seconds.
Fact torch_fact() {
  constexpr const char* kProgram =
      "import importlib.util, importlib.metadata\n"
      "print(importlib.metadata.version('torch') if importlib.util.find_spec('torch') else '')";
  const std::optional<std::string> version = ask({"python3", "-c", kProgram});
  if (version && !version->empty()) return {"torch", FactStatus::ok, *version, ""};
  return {"torch", FactStatus::missing, "not found", "needed for baselines of PyTorch alone: pip install torch"};
}

Fact memory_fact() {
  const Result<std::string> text = read_file("/proc/meminfo", 1 << 16);
  if (!text) return {"memory", FactStatus::warning, "unknown", ""};
  int64_t total_kb = 0, free_kb = 0;
  for (const std::string_view line : split(*text, '\n')) {
    const auto number = [&](std::string_view name, int64_t& value) {
      if (!line.starts_with(name)) return;
      const std::string_view rest = trim(line.substr(name.size()));
      std::from_chars(rest.data(), rest.data() + rest.size(), value);
    };
    number("MemTotal:", total_kb);
    number("MemAvailable:", free_kb);
  }
  if (total_kb == 0) return {"memory", FactStatus::warning, "unknown", ""};
  constexpr double kPerGiB = 1 << 20;
  const bool little = free_kb < (1 << 20);
  return {"memory", little ? FactStatus::warning : FactStatus::ok,
          fmt::format("{:.1f} GiB, {:.1f} GiB of them free", static_cast<double>(total_kb) / kPerGiB,
                      static_cast<double>(free_kb) / kPerGiB),
          little ? "compilers and large shapes may need more than is free" : ""};
}

fs::path nearest_existing(fs::path path) {
  std::error_code failed;
  path = fs::absolute(path, failed);
  while (!fs::exists(path, failed) && path.has_relative_path()) path = path.parent_path();
  return path;
}

Fact disk_fact(const fs::path& cache_folder) {
  std::error_code failed;
  const fs::space_info space = fs::space(nearest_existing(cache_folder), failed);
  if (failed) return {"disk", FactStatus::warning, "unknown", ""};
  const double free_gib = static_cast<double>(space.available) / (1 << 30);
  return {"disk", free_gib < 1 ? FactStatus::warning : FactStatus::ok,
          fmt::format("{:.1f} GiB free for the cache", free_gib),
          free_gib < 1 ? "make room, or set ASSAY_CACHE to a folder on another disk" : ""};
}

Fact cache_fact(const fs::path& cache_folder) {
  if (::access(nearest_existing(cache_folder).c_str(), W_OK) != 0) {
    return {"cache", FactStatus::warning, cache_folder.string() + " cannot be written",
            "set ASSAY_CACHE to a folder that can be written"};
  }
  return {"cache", FactStatus::ok, cache_folder.string(), ""};
}

}  // namespace

std::string_view to_string(FactStatus status) {
  switch (status) {
    case FactStatus::ok:
      return "ok";
    case FactStatus::warning:
      return "warning";
    case FactStatus::missing:
      return "missing";
  }
  return "unknown";
}

int newest_supported_gcc(std::string_view host_config) {
  // #error -- unsupported GNU version! gcc versions later than 15 are not supported! ...
  constexpr std::string_view kPhrase = "gcc versions later than ";
  const size_t at = host_config.find(kPhrase);
  if (at == std::string_view::npos) return 0;
  const std::string_view rest = host_config.substr(at + kPhrase.size());
  int version = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), version);
  return version;
}

std::vector<Fact> environment_facts(const fs::path& cache_folder) {
  const Result<Toolkit> toolkit = find_toolkit(cache_folder / "compilers");
  const std::function<Fact()> probes[] = {
      [&] { return nvcc_fact(toolkit); },
      [&] { return ptxas_fact(toolkit); },
      [&] { return host_compiler_fact(toolkit); },
      driver_fact,
      nvidia_smi_fact,
      [&] { return tool_fact("ncu", toolkit, "Nsight Compute, to import measured counters: package nsight-compute"); },
      [&] { return tool_fact("compute-sanitizer", toolkit, "to compare findings on a GPU: package cuda-sanitizer"); },
      [] { return version_fact("python3", "needed for baselines in Python alone"); },
      torch_fact,
      [] { return version_fact("git", "needed to record which commit was judged"); },
      [] { return Fact{"cores", FactStatus::ok, std::to_string(std::thread::hardware_concurrency()), ""}; },
      memory_fact,
      [&] { return disk_fact(cache_folder); },
      [&] { return cache_fact(cache_folder); },
  };
  std::vector<std::future<Fact>> running;
  running.reserve(std::size(probes));
  for (const std::function<Fact()>& probe : probes) running.push_back(std::async(std::launch::async, probe));
  std::vector<Fact> facts;
  facts.reserve(running.size());
  for (std::future<Fact>& fact : running) facts.push_back(fact.get());
  return facts;
}

}  // namespace assay::build
