// SPDX-License-Identifier: MIT
#include "measure/kernel_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace assay::measure {
namespace {

struct Mark {
  std::string_view part;  // of the kernel's name, in lower case
  std::string_view library;
};

constexpr std::array kMarks{
    Mark{"cudnn", "cuDNN"},
    Mark{"cublas", "cuBLAS"},
    Mark{"cutlass", "CUTLASS"},
    Mark{"at::native", "PyTorch"},
    Mark{"2at6native", "PyTorch"},
    Mark{"pytorch_flash", "FlashAttention in PyTorch"},
    Mark{"flash_fwd", "FlashAttention"},
    Mark{"fmha_", "PyTorch"},
    Mark{"triton_", "Triton"},
    Mark{"nvjet", "cuBLAS"},
    Mark{"ampere_", "cuBLAS"},
    Mark{"sm90_xmma", "cuBLAS"},
    Mark{"sm80_xmma", "cuBLAS"},
    Mark{"cub::", "CUB"},
    Mark{"thrust::", "Thrust"},
};

}  // namespace

std::string library_of(std::string_view kernel) {
  std::string lower(kernel);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const Mark& mark : kMarks) {
    if (lower.find(mark.part) != std::string::npos) return std::string(mark.library);
  }
  return "";
}

}  // namespace assay::measure
