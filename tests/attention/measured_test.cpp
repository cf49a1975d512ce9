// SPDX-License-Identifier: MIT
// What the library says of measurements. That its tables are those of the Python package: package_test.py.
#include "measured.hpp"

#include <cstring>
#include <gtest/gtest.h>

#include "measured_tables.hpp"

namespace assay::attention::library {
namespace {

assay_attention_call shape(int batch, int heads, int query_rows, int key_rows, int head_dim) {
  assay_attention_call call{};
  call.batch = batch;
  call.query_heads = call.key_heads = heads;
  call.query_rows = query_rows;
  call.key_rows = key_rows;
  call.head_dim = head_dim;
  call.key_strides[0] = int64_t{heads} * key_rows * head_dim;
  call.key_strides[1] = int64_t{key_rows} * head_dim;
  call.key_strides[2] = head_dim;
  return call;
}

TEST(Measured, IsAboutOneGpu) {
  const assay_attention_call call = shape(4, 8, 512, 512, 64);
  EXPECT_EQ(measured_verdict(call, 90, "NVIDIA H200"), ASSAY_ATTENTION_MEASURED_FASTER);
  EXPECT_EQ(measured_verdict(call, 90, "NVIDIA H100"), ASSAY_ATTENTION_NOT_MEASURED);
  EXPECT_EQ(measured_verdict(call, 80, "NVIDIA H200"), ASSAY_ATTENTION_NOT_MEASURED);
}

TEST(Measured, KnowsWhatIsOutsideOfTheMeasurement) {
  EXPECT_EQ(measured_verdict(shape(1 << 15, 1 << 15, 64, 64, 64), 90, "NVIDIA H200"), ASSAY_ATTENTION_NOT_MEASURED);
  EXPECT_EQ(measured_verdict(shape(4, 8, 512, 512, 8), 90, "NVIDIA H200"), ASSAY_ATTENTION_NOT_MEASURED);
}

TEST(Measured, TablesAreWhole) {
  for (const MeasuredGpu& gpu : kMeasuredGpus) {
    EXPECT_GT(std::strlen(gpu.name), 0u);
    // Branches point back, so that every walk ends.
    for (int i = 0; i <= gpu.root; ++i) {
      EXPECT_LT(gpu.nodes[i].then, i);
      EXPECT_LT(gpu.nodes[i].otherwise, i);
      EXPECT_GE(gpu.nodes[i].then, -1 - ASSAY_ATTENTION_MEASURED_NOT_FASTER);
      EXPECT_GE(gpu.nodes[i].otherwise, -1 - ASSAY_ATTENTION_MEASURED_NOT_FASTER);
    }
  }
}

}  // namespace
}  // namespace assay::attention::library
