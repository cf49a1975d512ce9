// SPDX-License-Identifier: MIT
#include "serving_call.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "failure.hpp"

namespace assay::attention::library {
namespace {

constexpr int kPageUnit = 16;

bool has_window(const assay_attention_call& call) {
  return (call.flags & ASSAY_ATTENTION_WINDOW) != 0;
}

// Limits that no query of any sequence meets are none.
void simplify_window(assay_attention_call& call) {
  if (!has_window(call)) {
    call.window_left = call.window_right = -1;
    return;
  }
  if (call.window_left >= call.key_rows - 1) call.window_left = -1;
  if (call.window_right >= call.query_rows - 1) call.window_right = -1;
  if (call.window_right == 0) call.flags |= ASSAY_ATTENTION_CAUSAL;
  if ((call.flags & ASSAY_ATTENTION_CAUSAL) != 0) call.window_right = -1;  // hides no more than that
  if (call.window_left < 0 && call.window_right < 0) call.flags &= ~static_cast<uint32_t>(ASSAY_ATTENTION_WINDOW);
}

}  // namespace

bool is_serving(const assay_attention_call& call) {
  return call.query_starts != nullptr || call.key_starts != nullptr || call.key_lengths != nullptr ||
         call.block_table != nullptr || has_window(call) || call.softcap != 0.0f;
}

int check_pages(const PageFields& fields) {
  if (fields.block_table == nullptr) {
    if (fields.page_rows == 0) return ASSAY_ATTENTION_OK;
    return fail(ASSAY_ATTENTION_INVALID, "page_rows is %d, but there is no block_table", fields.page_rows);
  }
  if (fields.page_rows < kPageUnit || fields.page_rows % kPageUnit != 0) {
    return fail(ASSAY_ATTENTION_UNSUPPORTED, "page_rows is %d; supported are multiples of %d", fields.page_rows,
                kPageUnit);
  }
  const int64_t needed = (int64_t{fields.key_rows} + fields.page_rows - 1) / fields.page_rows;
  if (fields.batch > 1 && fields.block_table_stride < needed) {
    return fail(ASSAY_ATTENTION_INVALID,
                "block_table_stride is %lld, but %d keys in pages of %d rows need %lld numbers for each sequence; "
                "key_rows must be at most what a line of the table holds",
                static_cast<long long>(fields.block_table_stride), fields.key_rows, fields.page_rows,
                static_cast<long long>(needed));
  }
  return ASSAY_ATTENTION_OK;
}

int check_serving(assay_attention_call& call) {
  const struct {
    const char* name;
    const int32_t* pointer;
  } arrays[] = {{"query_starts", call.query_starts},
                {"key_starts", call.key_starts},
                {"key_lengths", call.key_lengths},
                {"block_table", call.block_table}};
  for (const auto& array : arrays) {
    if (reinterpret_cast<uintptr_t>(array.pointer) % alignof(int32_t) != 0) {
      return fail(ASSAY_ATTENTION_INVALID, "%s starts at no multiple of 4 bytes", array.name);
    }
  }
  if (!(call.softcap >= 0.0f) || !std::isfinite(call.softcap)) {
    return fail(ASSAY_ATTENTION_UNSUPPORTED, "softcap is %g; supported are positive finite numbers, and 0 for none",
                static_cast<double>(call.softcap));
  }
  if (call.added_keys < 0 || call.added_keys > call.key_rows) {
    return fail(ASSAY_ATTENTION_INVALID, "added_keys is %d; it must be from 0 to key_rows (%d)", call.added_keys,
                call.key_rows);
  }
  if (call.added_keys > 0 && call.key_lengths == nullptr) {
    return fail(ASSAY_ATTENTION_INVALID, "added_keys is %d, but there are no key_lengths that it could be added to",
                call.added_keys);
  }
  if (call.query_starts != nullptr && call.total_query_rows < 1) {
    return fail(ASSAY_ATTENTION_INVALID,
                "total_query_rows is %d; with query_starts it must say how many rows the packed tensors have",
                call.total_query_rows);
  }
  const PageFields pages{call.block_table, call.block_table_stride, call.page_rows, call.batch, call.key_rows};
  if (int status = check_pages(pages); status != ASSAY_ATTENTION_OK) return status;
  simplify_window(call);
  return ASSAY_ATTENTION_OK;
}

int visible_keys(const assay_attention_call& call) {
  if (!has_window(call) || call.window_left < 0) return call.key_rows;
  const bool causal = (call.flags & ASSAY_ATTENTION_CAUSAL) != 0;
  const int64_t right = causal ? 0 : call.window_right < 0 ? call.key_rows : call.window_right;
  return static_cast<int>(std::min<int64_t>(call.key_rows, call.window_left + int64_t{call.query_rows} + right));
}

}  // namespace assay::attention::library
