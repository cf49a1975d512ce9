// SPDX-License-Identifier: MIT
// A call of the library from the shape, then the library's own parameters and grid.
#include <assay/launch.h>

#include "../library/warp_call.hpp"

namespace {

// A kernel of the library's tables. Where two fit, `tall` says which; the library decides by how they fill the GPU.
struct Tile {
  int columns;
  int rows;
  int keys;
  int stages;
};

Tile tile_of(int head_dim, bool tall) {
  if (head_dim <= 64) return {64, tall ? 128 : 64, 64, 2};
  if (head_dim <= 128) return {128, tall ? 128 : 64, tall ? 32 : 64, 1};
  return {head_dim <= 192 ? 192 : 256, 64, 64, 1};
}

// Of (batch, rows, heads, head_dim).
void set_strides(int64_t (&strides)[3], int64_t rows, int64_t heads, int64_t head_dim) {
  strides[0] = rows * heads * head_dim;
  strides[1] = head_dim;
  strides[2] = heads * head_dim;
}

}  // namespace

void assay_launch(assay::Launch& launch) {
  using namespace assay::attention::library;
  const auto size = [&](const char* name) { return static_cast<int>(launch.integer(name)); };
  assay_attention_call call{};
  call.query = launch.pointer("q");
  call.key = launch.pointer("k");
  call.value = launch.pointer("v");
  call.output = launch.pointer("o");
  call.log_sum_exp = size("without_lse") != 0 ? nullptr : launch.pointer<float>("lse");
  call.batch = size("B");
  call.query_heads = size("H") * size("G");
  call.key_heads = size("H");
  call.query_rows = size("M");
  call.key_rows = size("S");
  call.head_dim = size("D");
  call.scale = static_cast<float>(launch.number("scale"));
  call.flags = size("causal") != 0 ? ASSAY_ATTENTION_CAUSAL : 0;
  set_strides(call.query_strides, call.query_rows, call.query_heads, call.head_dim);
  set_strides(call.output_strides, call.query_rows, call.query_heads, call.head_dim);
  set_strides(call.key_strides, call.key_rows, call.key_heads, call.head_dim);
  set_strides(call.value_strides, call.key_rows, call.key_heads, call.head_dim);

  const Tile tile = tile_of(call.head_dim, size("tall") != 0);
  const std::string name = std::string("warp_") + (size("is_bf16") != 0 ? "bf16" : "f16") + "_d" +
                           std::to_string(tile.columns) + "_" + std::to_string(tile.rows) + "x" +
                           std::to_string(tile.keys) + "x" + std::to_string(tile.stages);
  launch.kernel(name)
      .grid(static_cast<unsigned>(warp_tiles(call, tile.rows)))
      .block(128)
      .shared(static_cast<unsigned>((tile.rows + 2 * tile.stages * tile.keys) * tile.columns * 2))
      .argument(warp_params(call))
      .run();
}
