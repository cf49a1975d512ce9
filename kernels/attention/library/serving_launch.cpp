// SPDX-License-Identifier: MIT
#include "serving_launch.hpp"

#include <algorithm>

#include "call_tensors.hpp"
#include "kernel_launch.hpp"
#include "serving_call.hpp"

namespace assay::attention::library {
namespace {

int limit(int window) {
  return window < 0 ? serving::kUnlimited : std::min(window, serving::kUnlimited);
}

serving::Params params_of(const assay_attention_call& call) {
  serving::Params params{};
  copy_tensors(call, params);
  params.query_starts = call.query_starts;
  params.key_starts = call.key_starts;
  params.key_lengths = call.key_lengths;
  params.block_table = call.block_table;
  params.block_table_stride = call.block_table_stride;
  params.batch = call.batch;
  params.key_heads = call.key_heads;
  params.group = call.query_heads / call.key_heads;
  params.query_rows = call.query_rows;
  params.key_rows = call.key_rows;
  params.total_query_rows = call.total_query_rows;
  params.added_keys = call.added_keys;
  params.page_units = call.block_table != nullptr ? call.page_rows / serving::kPageUnit : 1;
  params.window_left = limit(call.window_left);
  params.window_right = is_causal(call) ? 0 : limit(call.window_right);
  params.row_chunks = call.head_dim / 8;
  params.scale = call.scale;
  params.softcap = call.softcap;
  return params;
}

}  // namespace

const ServingKernel* choose_serving_tiles(const assay_attention_call& call, int multiprocessors) {
  const ServingKernelList list = call.head_dim <= 64    ? serving_tiles_d64()
                                 : call.head_dim <= 128 ? serving_tiles_d128()
                                 : call.head_dim <= 192 ? serving_tiles_d192()
                                                        : serving_tiles_d256();
  const int64_t heads = int64_t{call.batch} * call.query_heads;
  const ServingKernel* chosen = nullptr;
  for (int i = 0; i < list.count; ++i) {  // tallest tiles first
    const ServingKernel& kernel = list.kernels[i];
    if (kernel.bf16 != is_bf16(call)) continue;
    chosen = &kernel;
    const int64_t tiles = (int64_t{call.query_rows} + kernel.rows - 1) / kernel.rows * heads;
    if (tiles >= int64_t{2} * multiprocessors) break;
  }
  return chosen;
}

const ServingKernel* choose_serving_streaming(const assay_attention_call& call) {
  const ServingKernelList list = call.head_dim <= 64    ? serving_streaming_d64()
                                 : call.head_dim <= 128 ? serving_streaming_d128()
                                                        : serving_streaming_d256();
  return std::find_if(list.kernels, list.kernels + list.count, [&](const ServingKernel& kernel) {
    return kernel.bf16 == is_bf16(call) && kernel.head_dim >= call.head_dim;
  });
}

split_keys::Shape serving_shape(const assay_attention_call& call) {
  return {call.batch,      call.key_heads,     call.query_heads / call.key_heads,
          call.query_rows, visible_keys(call), call.head_dim};
}

const ServingKernel* find_serving_split(const assay_attention_call& call, const split_keys::Plan& plan) {
  const ServingKernelList list = call.head_dim <= 64    ? serving_split_d64()
                                 : call.head_dim <= 128 ? serving_split_d128()
                                                        : serving_split_d256();
  const auto* end = list.kernels + list.count;
  const auto* found = std::find_if(list.kernels, end, [&](const ServingKernel& kernel) {
    return kernel.rows == 16 * plan.slabs && kernel.threads == 32 * plan.warps && kernel.bf16 == is_bf16(call);
  });
  return found == end ? nullptr : found;
}

int launch_serving(const ServingKernel& kernel, int cluster, int multiprocessors, const assay_attention_call& call,
                   cudaStream_t stream) {
  serving::Params params = params_of(call);
  const bool split = kernel.kind == ServingKind::split;
  const int64_t rows = split ? int64_t{params.group} * call.query_rows : call.query_rows;
  params.row_tiles = split_keys::ceil_div(rows, kernel.rows);
  const int64_t heads = int64_t{call.batch} * (split ? call.key_heads : call.query_heads);
  int64_t blocks = heads * params.row_tiles * cluster;
  if (kernel.kind == ServingKind::streaming) {
    const bool causal = params.window_right == 0 && params.window_left == serving::kUnlimited;
    params.in_pairs = causal && blocks > multiprocessors ? 1 : 0;
    if (params.in_pairs != 0) blocks = heads * ((params.row_tiles + 1) / 2);
    blocks = std::min<int64_t>(blocks, multiprocessors);
  }

  KernelLaunch launch(blocks, kernel.threads, kernel.shared_bytes, stream);
  // Tiles, which are for Ampere too, do not wait for the kernel before, and have no clusters.
  if (kernel.kind != ServingKind::tiles) launch.in_clusters(cluster).overlapping_previous(overlaps_previous(call));
  return launch.run(kernel.name, kernel.function, params);
}

}  // namespace assay::attention::library
