// SPDX-License-Identifier: MIT
// Fills Params as the library does, from a shape whose flags say what is passed and what is null.
#include <assay/launch.h>

#include "params.hpp"

namespace {

using assay::attention::serving::kPageUnit;
using assay::attention::serving::kUnlimited;
using assay::attention::serving::Params;

int round_up_to(int value, int step) {
  return (value + step - 1) / step * step;
}

// -1 is no limit, as for callers of the library.
int limit(int64_t window) {
  return window < 0 ? kUnlimited : static_cast<int>(window);
}

}  // namespace

void assay_launch(assay::Launch& launch) {
  const auto size = [&](const char* name) { return static_cast<int>(launch.integer(name)); };
  const bool packed = size("packed") != 0;
  const bool paged = size("page") > 0;
  Params params{};
  params.query = launch.pointer("q");
  params.key = launch.pointer("k");
  params.value = launch.pointer("v");
  params.output = launch.pointer("o");
  params.log_sum_exp = launch.pointer<float>("lse");
  params.query_starts = packed ? launch.pointer<const int>("query_starts") : nullptr;
  params.key_starts = packed && !paged ? launch.pointer<const int>("key_starts") : nullptr;
  params.key_lengths = paged ? launch.pointer<const int>("key_lengths") : nullptr;
  params.block_table = paged ? launch.pointer<const int>("block_table") : nullptr;
  params.batch = size("B");
  params.key_heads = size("H");
  params.group = size("G");
  params.query_rows = size("M");
  params.key_rows = size("S");
  params.total_query_rows = size("total");
  params.added_keys = paged ? size("added") : 0;
  params.page_units = paged ? size("page") / kPageUnit : 1 << 28;
  params.block_table_stride = size("pages");
  const int dim = size("D");
  const int64_t page_rows = paged ? size("page") : params.key_rows;
  const int64_t query_strides[] = {int64_t{params.query_rows} * params.key_heads * params.group * dim, dim,
                                   int64_t{params.key_heads} * params.group * dim};
  const int64_t key_strides[] = {page_rows * params.key_heads * dim, dim, int64_t{params.key_heads} * dim};
  for (int i = 0; i < 3; ++i) {
    params.query_strides[i] = params.output_strides[i] = query_strides[i];
    params.key_strides[i] = params.value_strides[i] = key_strides[i];
  }
  params.window_left = limit(launch.integer("left") - 1);
  params.window_right = size("causal") != 0 ? 0 : limit(launch.integer("right") - 1);
  params.row_chunks = dim / 8;
  params.scale = static_cast<float>(launch.number("scale"));
  params.softcap = static_cast<float>(launch.number("cap"));

  const bool bf16 = size("is_bf16") != 0;
  const bool split = size("split") != 0;
  const int columns = dim > 192 || (split && dim > 128) ? 256 : dim > 128 ? 192 : dim > 64 ? 128 : 64;
  const std::string name = std::string(bf16 ? "bf16" : "f16") + "_d" + std::to_string(columns);
  if (size("blocks") > 0) {
    const int wide = dim > 192 ? 256 : dim > 128 ? 192 : dim > 96 ? 128 : dim > 64 ? 96 : 64;
    const int keys = wide == 256 ? 48 : wide == 192 ? 80 : 128;
    const int stages = wide == 64 ? 3 : 2;
    const int stored = round_up_to(wide, 64);
    params.row_tiles = round_up_to(params.query_rows, 128) / 128;
    params.in_pairs = size("causal");
    launch.kernel("stream_" + std::string(bf16 ? "bf16" : "f16") + "_d" + std::to_string(wide))
        .grid(static_cast<unsigned>(size("blocks")))
        .block(384)
        .shared(static_cast<unsigned>(
            round_up_to(4 * (128 + stages * keys) * stored + 2 * 32 + 6 * 8 + 4 * 8 * stages, 1024)))
        .argument(params)
        .run();
    return;
  }
  if (split) {
    const int slabs = size("slabs");
    const int warps = size("warps");
    const int tile_keys = columns == 64 ? 32 : 16;
    const int ring = warps * 3 * 2 * tile_keys * columns * 2;
    const int partial = 4 * warps * 16 * slabs * (columns + 8 + 3);
    const int inbox = 16 * (16 * slabs * columns / 4 + 8) + 2 * 4 * 8 * 16 * slabs;
    const auto cluster = static_cast<unsigned>(size("cluster"));
    params.row_tiles = round_up_to(params.group * params.query_rows, 16 * slabs) / (16 * slabs);
    launch.kernel("split_" + name)
        .grid(static_cast<unsigned>(params.batch * params.key_heads * params.row_tiles) * cluster)
        .block(static_cast<unsigned>(32 * warps))
        .cluster(cluster)
        .shared(static_cast<unsigned>(16 * slabs * columns * 2 + (ring > partial ? ring : partial) + inbox))
        .argument(params)
        .run();
    return;
  }
  const int rows = size("tile_rows");
  const int keys = columns == 256 ? 32 : 64;
  const int stages = columns == 64 ? 2 : 1;
  params.row_tiles = round_up_to(params.query_rows, rows) / rows;
  launch.kernel("tile_" + name)
      .grid(static_cast<unsigned>(params.batch * params.key_heads * params.group * params.row_tiles))
      .block(128)
      .shared(static_cast<unsigned>((rows + 2 * stages * keys) * columns * 2))
      .argument(params)
      .run();
}
