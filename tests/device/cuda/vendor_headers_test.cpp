// SPDX-License-Identifier: MIT
// Our declarations against NVIDIA's own headers, where a toolkit is installed.
#include <gtest/gtest.h>

#include "device/cuda/cupti_records.hpp"
#include "device/cuda/driver_types.hpp"

#if __has_include(<cuda.h>)
#include <cuda.h>

namespace ours = assay::device::cuda;

#define SAME(name) EXPECT_EQ(static_cast<long>(ours::name), static_cast<long>(::name)) << #name
#define SAME_PLACE(structure, member) EXPECT_EQ(offsetof(ours::structure, member), offsetof(::structure, member))

TEST(VendorHeaders, Constants) {
  SAME(CUDA_ERROR_ILLEGAL_ADDRESS);
  SAME(CUDA_ERROR_MISALIGNED_ADDRESS);
  SAME(CUDA_ERROR_ASSERT);
  SAME(CUDA_ERROR_LAUNCH_FAILED);
  SAME(CUDA_ERROR_LAUNCH_TIMEOUT);
  SAME(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  SAME(CUDA_ERROR_ILLEGAL_INSTRUCTION);
  SAME(CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  SAME(CUDA_ERROR_NO_BINARY_FOR_GPU);
  SAME(CUDA_ERROR_NOT_FOUND);
  SAME(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  SAME(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  SAME(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  SAME(CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE);
  SAME(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  SAME(CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED);
  SAME(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
  SAME(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  SAME(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  SAME(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
  SAME(CU_JIT_ERROR_LOG_BUFFER);
  SAME(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  SAME(CU_JIT_GENERATE_LINE_INFO);
  SAME(CU_LIMIT_PERSISTING_L2_CACHE_SIZE);
  SAME(CU_GRAPH_NODE_TYPE_EVENT_RECORD);
  SAME(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  SAME(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
  SAME(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
  SAME(CU_TENSOR_MAP_INTERLEAVE_32B);
  SAME(CU_TENSOR_MAP_SWIZZLE_128B);
  SAME(CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
  SAME(CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
  SAME(CU_EVENT_RECORD_EXTERNAL);
  SAME(CU_STREAM_NON_BLOCKING);
  SAME(CU_AD_FORMAT_UNSIGNED_INT8);
  SAME(CU_AD_FORMAT_UNSIGNED_INT32);
  SAME(CU_AD_FORMAT_SIGNED_INT16);
  SAME(CU_AD_FORMAT_HALF);
  SAME(CU_AD_FORMAT_FLOAT);
  SAME(CU_MEMORYTYPE_DEVICE);
  SAME(CU_MEMORYTYPE_ARRAY);
  SAME(CU_RESOURCE_TYPE_LINEAR);
  SAME(CU_RESOURCE_TYPE_PITCH2D);
  SAME(CU_TR_ADDRESS_MODE_MIRROR);
  SAME(CU_TR_ADDRESS_MODE_BORDER);
  SAME(CU_TR_FILTER_MODE_LINEAR);
}

TEST(VendorHeaders, Layouts) {
  EXPECT_EQ(sizeof(ours::CUlaunchConfig), sizeof(::CUlaunchConfig));
  EXPECT_EQ(sizeof(ours::CUlaunchAttribute), sizeof(::CUlaunchAttribute));
  EXPECT_EQ(sizeof(ours::CUtensorMap), sizeof(::CUtensorMap));
  EXPECT_GE(alignof(ours::CUtensorMap), alignof(::CUtensorMap));
  EXPECT_EQ(sizeof(ours::CUDA_ARRAY3D_DESCRIPTOR), sizeof(::CUDA_ARRAY3D_DESCRIPTOR));
  EXPECT_EQ(sizeof(ours::CUDA_MEMCPY3D), sizeof(::CUDA_MEMCPY3D));
  EXPECT_EQ(sizeof(ours::CUDA_RESOURCE_DESC), sizeof(::CUDA_RESOURCE_DESC));
  EXPECT_EQ(sizeof(ours::CUDA_TEXTURE_DESC), sizeof(::CUDA_TEXTURE_DESC));
  SAME_PLACE(CUDA_MEMCPY3D, dstArray);
  SAME_PLACE(CUDA_MEMCPY3D, WidthInBytes);
  SAME_PLACE(CUDA_RESOURCE_DESC, res);
  SAME_PLACE(CUDA_TEXTURE_DESC, borderColor);
  SAME_PLACE(CUlaunchConfig, hStream);
  SAME_PLACE(CUlaunchConfig, attrs);
  SAME_PLACE(CUlaunchConfig, numAttrs);
  SAME_PLACE(CUlaunchAttribute, value);
}
#endif

#if __has_include(<cupti_activity.h>)
#include <cupti_activity.h>

#define PLACE(ours_member, theirs) \
  EXPECT_EQ(offsetof(assay::device::cuda::KernelRecord, ours_member), offsetof(CUpti_ActivityKernel9, theirs))

TEST(VendorHeaders, CuptiRecords) {
  PLACE(start, start);
  PLACE(end, end);
  PLACE(device, deviceId);
  PLACE(context, contextId);
  PLACE(stream, streamId);
  PLACE(grid_x, gridX);
  PLACE(block_z, blockZ);
  PLACE(correlation, correlationId);
  PLACE(name, name);
  using assay::device::cuda::TransferRecord;
  EXPECT_EQ(offsetof(TransferRecord, bytes), offsetof(CUpti_ActivityMemcpy6, bytes));
  EXPECT_EQ(offsetof(TransferRecord, stream), offsetof(CUpti_ActivityMemcpy6, streamId));
  EXPECT_EQ(offsetof(TransferRecord, correlation), offsetof(CUpti_ActivityMemcpy6, correlationId));
  EXPECT_EQ(offsetof(TransferRecord, bytes), offsetof(CUpti_ActivityMemset4, bytes));
  EXPECT_EQ(offsetof(TransferRecord, stream), offsetof(CUpti_ActivityMemset4, streamId));
}
#endif
