// SPDX-License-Identifier: MIT
#include "measure/kernel_names.hpp"

#include <gtest/gtest.h>

namespace assay::measure {
namespace {

TEST(KernelNames, of_libraries_are_known) {
  EXPECT_EQ(library_of("cudnn_generated_fort_native_sdpa_sm90_flash_fprop"), "cuDNN");
  EXPECT_EQ(library_of("void cublasLt::splitKreduce_kernel<32, 16>"), "cuBLAS");
  EXPECT_EQ(library_of("nvjet_hsh_128x256_64x4"), "cuBLAS");
  EXPECT_EQ(library_of("void at::native::vectorized_elementwise_kernel<4, float>"), "PyTorch");
  EXPECT_EQ(library_of("_ZN2at6native29vectorized_elementwise_kernelILi4EEEvi"), "PyTorch");
  EXPECT_EQ(library_of("void pytorch_flash::flash_fwd_kernel<x>"), "FlashAttention in PyTorch");
  EXPECT_EQ(library_of("fmha_cutlassF_f16_aligned_64x64"), "CUTLASS");
  EXPECT_EQ(library_of("triton_per_fused_sum_0"), "Triton");
  EXPECT_EQ(library_of("CUTLASS_KERNEL"), "CUTLASS") << "whatever the case";
}

TEST(KernelNames, of_ones_own_are_not) {
  for (const char* name :
       {"", "attention_forward", "row_sum_f32", "_Z7softmaxPfS_i", "my_gemm", "flash", "hopper_sm90"})
    EXPECT_EQ(library_of(name), "") << name;
}

}  // namespace
}  // namespace assay::measure
