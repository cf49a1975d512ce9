// SPDX-License-Identifier: MIT
// Runs the shipped kernels on a real GPU: each against a double-precision reference over shapes around tile edges, then
// the tensor-core attention against the clock. Kernels come as cubins (kernel_truth.sh builds them), one per
// configuration, and are called through their extern "C" entries as kernel.toml says.
//
//   kernel_truth FOLDER [truth] [times]      cubins named FAMILY.NAME=value,NAME=value.cubin; both parts without a word
#include <filesystem>
#include <sstream>

#include "truth/attention_truth.cuh"
#include "truth/matrix_truth.cuh"

namespace {

truth::KernelLibrary open_library(const std::filesystem::path& file) {
  const std::string stem = file.stem().string();
  const size_t dot = stem.find('.');
  truth::KernelLibrary library;
  library.family = stem.substr(0, dot);
  library.text = dot == std::string::npos ? "" : stem.substr(dot + 1);
  std::istringstream settings(library.text);
  for (std::string setting; std::getline(settings, setting, ',');) {
    const size_t equals = setting.find('=');
    library.configuration[setting.substr(0, equals)] = std::stoi(setting.substr(equals + 1));
  }
  truth::check(cudaLibraryLoadFromFile(&library.handle, file.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
               file.c_str());
  return library;
}

std::vector<truth::KernelLibrary> open_libraries(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".cubin") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<truth::KernelLibrary> libraries;
  for (const auto& file : files) libraries.push_back(open_library(file));
  return libraries;
}

int report(const char* part, const truth::Tally& tally) {
  std::printf("%-10s %d passed, %d failed, %d skipped (shared memory), largest error %.2g\n", part, tally.passed,
              tally.failed, tally.skipped, tally.worst);
  return tally.failed + (tally.passed == 0);
}

int check_all(const std::vector<truth::KernelLibrary>& libraries) {
  using truth::Type;
  truth::Tally attention, gemm, rows;
  truth::attention_truth(libraries, attention);
  truth::gemm_truth<__half>(libraries, Type::f16, gemm);
  truth::gemm_truth<__nv_bfloat16>(libraries, Type::bf16, gemm);
  truth::row_truth<__half>(libraries, Type::f16, rows);
  truth::row_truth<__nv_bfloat16>(libraries, Type::bf16, rows);
  truth::row_truth<float>(libraries, Type::f32, rows);
  return report("attention", attention) + report("gemm", gemm) + report("rows", rows);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: kernel_truth FOLDER [truth] [times]\n");
    return 2;
  }
  bool wants_truth = count == 2, wants_times = count == 2;
  for (int i = 2; i < count; ++i) {
    wants_truth |= std::string(arguments[i]) == "truth";
    wants_times |= std::string(arguments[i]) == "times";
  }
  cudaDeviceProp properties;
  truth::check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  const std::vector<truth::KernelLibrary> libraries = open_libraries(arguments[1]);
  std::printf("%s, %zu kernels\n", properties.name, libraries.size());
  const int failures = wants_truth ? check_all(libraries) : 0;
  if (wants_times) truth::attention_times(libraries);
  return failures == 0 ? 0 : 1;
}
