// SPDX-License-Identifier: MIT
// Fills the struct of the C interface, from a shape whose flags say what is passed and what is null.
#include <assay/launch.h>

#include "../library/assay_attention.h"

void assay_launch(assay::Launch& launch) {
  const auto size = [&](const char* name) { return static_cast<int>(launch.integer(name)); };
  const bool paged = size("page") > 0;
  assay_attention_append_call call{};
  call.struct_size = sizeof call;
  call.new_key = launch.pointer("new_key");
  call.new_value = launch.pointer("new_value");
  call.key = launch.pointer("key");
  call.value = launch.pointer("value");
  call.batch = size("B");
  call.key_heads = size("H");
  call.new_rows = size("N");
  call.key_rows = size("S");
  call.head_dim = size("D");
  call.page_rows = size("page");
  call.first_row = size("first");
  call.key_lengths = size("lengths") != 0 ? launch.pointer<const int32_t>("key_lengths") : nullptr;
  call.block_table = paged ? launch.pointer<const int32_t>("block_table") : nullptr;
  call.block_table_stride = size("pages");
  const int64_t row = int64_t{call.key_heads} * call.head_dim;
  const int64_t new_strides[] = {call.new_rows * row, call.head_dim, row};
  const int64_t strides[] = {(paged ? call.page_rows : call.key_rows) * row, call.head_dim, row};
  for (int i = 0; i < 3; ++i) {
    call.new_key_strides[i] = call.new_value_strides[i] = new_strides[i];
    call.key_strides[i] = call.value_strides[i] = strides[i];
  }
  const int64_t chunks = int64_t{call.batch} * call.new_rows * call.key_heads * (call.head_dim / 8);
  launch.kernel("append").grid(static_cast<unsigned>((chunks + 255) / 256)).block(256).argument(call).run();
}
