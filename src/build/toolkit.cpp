// SPDX-License-Identifier: MIT
#include "build/toolkit.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <vector>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

namespace assay::build {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Path, size and time of change: enough to notice that a program was replaced, without running it.
std::string fingerprint(const fs::path& program) {
  std::error_code failed;
  fs::path real = fs::canonical(program, failed);
  if (failed) real = program;
  const auto size = fs::file_size(real, failed);
  const auto time = fs::last_write_time(real, failed).time_since_epoch().count();
  return fmt::format("{} {} {}", real.string(), size, time);
}

// The environment that steers nvcc and the host compiler that it calls for preprocessing.
std::string surroundings() {
  const std::string host = variable("NVCC_CCBIN").empty() ? "g++" : variable("NVCC_CCBIN");
  std::string text = fingerprint(find_program(host));
  for (const char* name :
       {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"}) {
    text += fmt::format("\n{}={}", name, variable(name));
  }
  return text;
}

Error missing(std::string message) {
  return Error{std::move(message), {}, how_to_get_nvcc(), ExitCode::environment};
}

Result<fs::path> find_nvcc() {
  const std::string given = variable("ASSAY_NVCC");
  if (given == "none") return missing("nvcc is switched off by ASSAY_NVCC=none");
  if (!given.empty()) {
    const fs::path found = find_program(given);
    if (found.empty()) return missing(fmt::format("ASSAY_NVCC names '{}', which is not a program", given));
    return found;
  }
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (variable(name).empty()) continue;
    const fs::path found = find_program((fs::path(variable(name)) / "bin" / "nvcc").string());
    if (!found.empty()) return found;
  }
  if (const fs::path found = find_program("nvcc"); !found.empty()) return found;
  if (const fs::path found = find_program("/usr/local/cuda/bin/nvcc"); !found.empty()) return found;
  return missing("nvcc, the CUDA compiler, was not found");
}

Result<std::string> ask_version(const fs::path& nvcc) {
  Command command;
  command.arguments = {nvcc.string(), "--version"};
  command.time_limit = std::chrono::seconds(30);
  ASSAY_TRY(const ProcessOutcome outcome, run(command));
  if (!outcome.succeeded()) {
    return missing(fmt::format("'{} --version' {}: {}", nvcc.string(), describe_end(outcome), trim(outcome.errors)));
  }
  return outcome.output;
}

Result<std::string> remembered_version(const fs::path& nvcc, const fs::path& memory) {
  if (memory.empty()) return ask_version(nvcc);
  const fs::path file = memory / content_hash(fingerprint(nvcc));
  if (Result<std::string> known = read_file(file, 1 << 16); known && !version_in(*known).empty()) return known;
  ASSAY_TRY(std::string text, ask_version(nvcc));
  std::error_code ignored;
  fs::create_directories(memory, ignored);
  if (Result<void> written = write_file_atomically(file, text); !written) return text;  // only slower next time
  return text;
}

}  // namespace

std::string how_to_get_nvcc() {
  return "install the CUDA toolkit, 12.4 or newer, from NVIDIA's package repository "
         "(https://developer.nvidia.com/cuda-downloads; the package cuda-nvcc is enough) and set CUDA_HOME to its "
         "folder";
}

std::string version_in(const std::string& text) {
  // "Cuda compilation tools, release 13.0, V13.0.88"
  const size_t release = text.find("release ");
  const size_t start = release == std::string::npos ? release : text.find(", V", release);
  if (start == std::string::npos) return "";
  const size_t end = text.find_first_not_of("0123456789.", start + 3);
  return text.substr(start + 3, end == std::string::npos ? end : end - start - 3);
}

Result<Toolkit> find_toolkit(const fs::path& memory) {
  ASSAY_TRY(const fs::path nvcc, find_nvcc());
  ASSAY_TRY(const std::string text, remembered_version(nvcc, memory));
  const std::string version = version_in(text);
  return Toolkit{
      .nvcc = nvcc,
      .version = version.empty() ? "unknown" : version,
      // What nvcc says of itself is the same in two installations of one release; without it the file decides.
      .identity = Hasher().add(version.empty() ? fingerprint(nvcc) : text).add(surroundings()).hex()};
}

}  // namespace assay::build
