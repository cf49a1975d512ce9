// SPDX-License-Identifier: MIT
#include "split_launch.hpp"

#include <algorithm>
#include <mutex>

#include "../hopper/shared_memory_limit.hpp"
#include "failure.hpp"

namespace assay::attention::library {

split_keys::Shape split_shape(const assay_attention_call& call) {
  return {call.batch, call.key_heads, call.query_heads / call.key_heads, call.query_rows, call.key_rows, call.head_dim};
}

const SplitKernel* find_split_kernel(const assay_attention_call& call, const split_keys::Plan& plan) {
  const SplitKernelList list = call.head_dim <= 64    ? split_kernels_d64()
                               : call.head_dim <= 128 ? split_kernels_d128()
                                                      : split_kernels_d256();
  const auto* end = list.kernels + list.count;
  const auto* found = std::find_if(list.kernels, end, [&](const SplitKernel& kernel) {
    return kernel.slabs == plan.slabs && kernel.warps == plan.warps &&
           kernel.bf16 == (call.dtype == ASSAY_ATTENTION_BF16);
  });
  return found == end ? nullptr : found;
}

namespace {

constexpr int kDevices = 64;

// How many clusters of so many blocks run at a time; 0 if the driver does not say.
int clusters_at_a_time(const SplitKernel& kernel, int cluster) {
  const auto* function = reinterpret_cast<const void*>(kernel.function);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = static_cast<unsigned>(cluster);
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(cluster));
  config.blockDim = dim3(static_cast<unsigned>(32 * kernel.warps));
  config.dynamicSmemBytes = static_cast<size_t>(kernel.shared_bytes);
  config.attrs = &attribute;
  config.numAttrs = 1;
  int clusters = 0;
  const bool asked = hopper::SharedMemoryLimit::allow(function, kernel.shared_bytes) == cudaSuccess &&
                     cudaOccupancyMaxActiveClusters(&clusters, function, &config) == cudaSuccess;
  if (asked) return clusters;
  (void)cudaGetLastError();
  return 0;
}

}  // namespace

const split_keys::ClusterSlots& cluster_slots(const DeviceFacts& device) {
  static split_keys::ClusterSlots known[kDevices];
  static std::once_flag asked[kDevices];
  const int index = std::clamp(device.index, 0, kDevices - 1);
  std::call_once(asked[index], [&] {
    split_keys::ClusterSlots& slots = known[index];
    slots = split_keys::usual_slots(device.multiprocessors);
    for_each_split_kernel([&](const SplitKernel& kernel, int) {
      if (kernel.head_dim != 128 || kernel.slabs != 1 || kernel.bf16) return;
      for (int cluster = 1; cluster <= split_keys::kLargestCluster; ++cluster) {
        const int clusters = clusters_at_a_time(kernel, cluster);
        if (clusters > 0) (kernel.warps == 8 ? slots.of_8_warps : slots.of_4_warps)[cluster] = clusters;
      }
    });
  });
  return known[index];
}

int launch_split_kernel(const SplitKernel& kernel, int cluster, const assay_attention_call& call, cudaStream_t stream) {
  split_keys::Params params{};
  params.query = call.query;
  params.key = call.key;
  params.value = call.value;
  params.output = call.output;
  params.log_sum_exp = call.log_sum_exp;
  std::copy_n(call.query_strides, 3, params.query_strides);
  std::copy_n(call.key_strides, 3, params.key_strides);
  std::copy_n(call.value_strides, 3, params.value_strides);
  std::copy_n(call.output_strides, 3, params.output_strides);
  params.key_heads = call.key_heads;
  params.group = call.query_heads / call.key_heads;
  params.query_rows = call.query_rows;
  params.key_rows = call.key_rows;
  params.row_chunks = call.head_dim / 8;
  params.row_tiles = split_keys::row_tiles(split_shape(call), kernel.slabs);
  params.scale = call.scale;
  params.causal = (call.flags & ASSAY_ATTENTION_CAUSAL) != 0 ? 1 : 0;

  cudaLaunchAttribute attributes[2]{};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim.x = static_cast<unsigned>(cluster);
  attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
  attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[1].val.programmaticStreamSerializationAllowed = 1;
  const int64_t blocks = int64_t{call.batch} * call.key_heads * params.row_tiles * cluster;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(32 * kernel.warps));
  config.dynamicSmemBytes = static_cast<size_t>(kernel.shared_bytes);
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = (call.flags & ASSAY_ATTENTION_OVERLAP_PREVIOUS) != 0 ? 2 : 1;

  const auto* function = reinterpret_cast<const void*>(kernel.function);
  void* arguments[] = {&params};
  const cudaError_t status = hopper::launch_with_shared_memory(
      function, kernel.shared_bytes, [&] { return cudaLaunchKernelExC(&config, function, arguments); });
  if (status == cudaSuccess) return ASSAY_ATTENTION_OK;
  return fail(ASSAY_ATTENTION_CUDA_FAILED, "%s: %s", kernel.name, cudaGetErrorString(status));
}

}  // namespace assay::attention::library
