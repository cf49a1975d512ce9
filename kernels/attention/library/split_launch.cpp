// SPDX-License-Identifier: MIT
#include "split_launch.hpp"

#include <algorithm>
#include <mutex>

#include "../hopper/shared_memory_limit.hpp"
#include "call_tensors.hpp"
#include "kernel_launch.hpp"

namespace assay::attention::library {

split_keys::Shape split_shape(const assay_attention_call& call) {
  return {call.batch, call.key_heads, call.query_heads / call.key_heads, call.query_rows, call.key_rows, call.head_dim};
}

const SplitKernel* find_split_kernel(const assay_attention_call& call, const split_keys::Plan& plan) {
  const SplitKernelList list = call.head_dim <= 64    ? split_kernels_d64()
                               : call.head_dim <= 96  ? split_kernels_d96()
                               : call.head_dim <= 128 ? split_kernels_d128()
                                                      : split_kernels_d256();
  const auto* end = list.kernels + list.count;
  const auto* found = std::find_if(list.kernels, end, [&](const SplitKernel& kernel) {
    return kernel.slabs == plan.slabs && kernel.warps == plan.warps && kernel.bf16 == is_bf16(call) &&
           kernel.solo == (plan.solo != split_keys::Solo::no);
  });
  return found == end ? nullptr : found;
}

namespace {

constexpr int kDevices = 64;

// How many clusters of so many blocks run at a time; 0 if the driver does not say.
int clusters_at_a_time(const SplitKernel& kernel, int cluster) {
  const auto* function = reinterpret_cast<const void*>(kernel.function);
  KernelLaunch launch(cluster, 32 * kernel.warps, kernel.shared_bytes, nullptr);
  launch.in_clusters(cluster);
  int clusters = 0;
  const bool asked = hopper::SharedMemoryLimit::allow(function, kernel.shared_bytes) == cudaSuccess &&
                     cudaOccupancyMaxActiveClusters(&clusters, function, &launch.config()) == cudaSuccess;
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
      if (kernel.head_dim != 128 || kernel.slabs != 1 || kernel.bf16 || kernel.solo) return;
      for (int cluster = 1; cluster <= kLargestCluster; ++cluster) {
        const int clusters = clusters_at_a_time(kernel, cluster);
        if (clusters > 0) (kernel.warps == 8 ? slots.of_8_warps : slots.of_4_warps)[cluster] = clusters;
      }
    });
  });
  return known[index];
}

int launch_split_kernel(const SplitKernel& kernel, const split_keys::Plan& plan, const ExchangeMemory& memory,
                        const assay_attention_call& call, cudaStream_t stream) {
  split_keys::Params params{};
  copy_tensors(call, params);
  params.key_heads = call.key_heads;
  params.group = call.query_heads / call.key_heads;
  params.query_rows = call.query_rows;
  params.key_rows = call.key_rows;
  params.row_chunks = call.head_dim / 8;
  params.row_tiles = split_keys::row_tiles(split_shape(call), kernel.slabs);
  params.scale = call.scale;
  params.causal = is_causal(call) ? 1 : 0;
  params.shares = split_keys::shares_of(split_shape(call), plan);
  params.pieces = static_cast<int>(split_keys::piece_count(split_shape(call), kernel.slabs));
  params.shared_by_blocks = plan.solo == split_keys::Solo::shared ? 1 : 0;
  if (plan.exchanges()) {
    params.exchange = memory.partials;
    params.arrivals = memory.arrivals;
  }

  const int64_t blocks = cluster_count(split_shape(call), plan) * plan.cluster;
  return KernelLaunch(blocks, 32 * kernel.warps, kernel.shared_bytes, stream)
      .in_clusters(kernel.solo ? 0 : plan.cluster)
      .overlapping_previous(overlaps_previous(call))
      .run(kernel.name, kernel.function, params);
}

}  // namespace assay::attention::library
