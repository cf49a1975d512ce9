// SPDX-License-Identifier: MIT
// Who takes part in a measurement: the program that serves as provider, and what it is asked.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "build/builder.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::measure {

struct Contender {
  std::string name;                    // "candidate", "sdpa", ...
  std::string provider;                // one of provider_names()
  std::vector<std::string> arguments;  // the program first
  spec::Options options;               // go to the provider with each case
  // Kernels by others (cuBLAS, cuDNN, PyTorch's own) are no achievement of a candidate; a baseline may use them.
  bool must_be_own_kernels = false;
  std::filesystem::path warm_folder{};  // of warm_pool.py, for a program in Python that a pool can start; empty: none
  std::string preload{};                // modules that the pool imports, blanks between them
};

// kernel, torch_sdpa, torch_compile, python, command: what [baseline.NAME] provider may say.
const std::vector<std::string>& provider_names();

inline constexpr const char* kProviderCommand = "--provider";  // this program, started as provider of a kernel folder

// A configuration of a kernel folder that has been built.
Contender kernel_contender(const std::string& name, const spec::KernelSpec& spec, const build::BuildResult& built);

// What --baseline names: a [baseline.NAME] of the specification; or "sdpa", "sdpa:flash", "torch_compile".
Result<spec::Baseline> find_baseline(const spec::KernelSpec& spec, const std::string& name);

// The programs in Python, and the instruments, written to a folder of the cache when they are needed.
class ProviderPrograms {
 public:
  static Result<ProviderPrograms> install(const std::filesystem::path& cache_folder);

  // Any provider but "kernel", which has to be built first. Files are relative to the specification's folder.
  Result<Contender> contender(const spec::Baseline& baseline, const std::filesystem::path& spec_folder) const;
  std::filesystem::path instruments() const { return folder_ / "instruments.ptx"; }

 private:
  explicit ProviderPrograms(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path folder_;
};

}  // namespace assay::measure
