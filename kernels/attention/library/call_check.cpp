// SPDX-License-Identifier: MIT
#include "call_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../hopper/choice.hpp"
#include "../split_keys/plan.hpp"
#include "failure.hpp"
#include "hopper_call.hpp"
#include "serving_call.hpp"

namespace assay::attention::library {
namespace {

constexpr int32_t kMaxRows = 1 << 30;
constexpr int64_t kMaxTiles = int64_t{1} << 30;  // of 64 rows, over all heads: indices are 32-bit numbers
constexpr int kMaxHeadDim = 256;
constexpr uint32_t kFlags = ASSAY_ATTENTION_CAUSAL | ASSAY_ATTENTION_OVERLAP_PREVIOUS | ASSAY_ATTENTION_WINDOW;
constexpr size_t kFirstVersionSize = offsetof(assay_attention_call, query_starts);

struct Tensor {
  const char* name;
  const void* pointer;
  int64_t (&strides)[3];
  int32_t sizes[3];
  bool written;
};

int check_sizes(const assay_attention_call& call) {
  const struct {
    const char* name;
    int32_t value;
    int32_t most;
  } sizes[] = {{"batch", call.batch, kMaxRows},
               {"query_heads", call.query_heads, kMaxRows},
               {"key_heads", call.key_heads, kMaxRows},
               {"query_rows", call.query_rows, kMaxRows},
               {"key_rows", call.key_rows, kMaxRows}};
  for (const auto& size : sizes) {
    if (size.value < 1 || size.value > size.most) {
      return fail(ASSAY_ATTENTION_INVALID, "%s is %d; it must be from 1 to %d", size.name, size.value, size.most);
    }
  }
  if (call.query_heads % call.key_heads != 0) {
    return fail(ASSAY_ATTENTION_INVALID, "query_heads (%d) is no multiple of key_heads (%d)", call.query_heads,
                call.key_heads);
  }
  if (call.head_dim < 1) return fail(ASSAY_ATTENTION_INVALID, "head_dim is %d; it must be positive", call.head_dim);
  if (call.head_dim % 8 != 0 || call.head_dim > kMaxHeadDim) {
    return fail(ASSAY_ATTENTION_UNSUPPORTED, "head_dim is %d; supported are multiples of 8 up to %d", call.head_dim,
                kMaxHeadDim);
  }
  // Each factor is at most 2^30, so that the product of two fits and the third is divided by.
  const int64_t heads = int64_t{call.batch} * call.query_heads;
  const int64_t tiles = (int64_t{call.query_rows} + 63) / 64;
  if (heads > kMaxTiles / tiles) {
    return fail(
        ASSAY_ATTENTION_UNSUPPORTED,
        "batch %d x %d heads x %d rows is too much for one call; split the batch (at most 2^30 tiles of 64 rows)",
        call.batch, call.query_heads, call.query_rows);
  }
  return ASSAY_ATTENTION_OK;
}

// Sizes that decide which strides are looked at, of query and output. The rows of packed sequences are many even where
// each sequence has one, and their batch stride means nothing.
Tensor query_like(const char* name, const void* pointer, int64_t (&strides)[3], const assay_attention_call& call,
                  bool written) {
  const bool packed = call.query_starts != nullptr;
  return {name,
          pointer,
          strides,
          {packed ? 1 : call.batch, call.query_heads, packed ? std::max(2, call.query_rows) : call.query_rows},
          written};
}
// Of key and value: the first stride is that of pages if there are some.
Tensor key_like(const char* name, const void* pointer, int64_t (&strides)[3], const assay_attention_call& call,
                bool written) {
  const bool paged = call.block_table != nullptr;
  const bool packed = call.key_starts != nullptr && !paged;
  return {name,
          pointer,
          strides,
          {paged    ? 2
           : packed ? 1
                    : call.batch,
           call.key_heads, paged || packed ? std::max(2, call.key_rows) : call.key_rows},
          written};
}

int check_tensor(Tensor& tensor, int head_dim, bool needed) {
  if (tensor.pointer == nullptr && needed) return fail(ASSAY_ATTENTION_INVALID, "%s is null", tensor.name);
  if (reinterpret_cast<uintptr_t>(tensor.pointer) % 16 != 0) {
    return fail(ASSAY_ATTENTION_UNSUPPORTED, "%s starts at %p; supported are addresses that are multiples of 16 bytes",
                tensor.name, tensor.pointer);
  }
  static const char* const dimensions[] = {"batch", "head", "row"};
  for (int i = 0; i < 3; ++i) {
    int64_t& stride = tensor.strides[i];
    if (tensor.sizes[i] == 1) {
      stride = (head_dim + 7) / 8 * 8;
      continue;
    }
    if (stride < 0 || stride % 8 != 0 || stride >= int64_t{1} << 39) {
      return fail(ASSAY_ATTENTION_UNSUPPORTED,
                  "%s: the %s stride is %lld elements; supported are multiples of 8 from 0", tensor.name, dimensions[i],
                  static_cast<long long>(stride));
    }
    if (tensor.written && stride == 0) {
      return fail(ASSAY_ATTENTION_INVALID, "%s: the %s stride is 0, so that results would overwrite each other",
                  tensor.name, dimensions[i]);
    }
  }
  return ASSAY_ATTENTION_OK;
}

// Fields that this library does not know must say nothing.
bool rest_is_zero(const assay_attention_call* call, size_t from, size_t to) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(call);
  return std::all_of(bytes + from, bytes + to, [](unsigned char byte) { return byte == 0; });
}

}  // namespace

int check_call(const assay_attention_call* call, bool tensors_needed, assay_attention_call& known) {
  if (call == nullptr) return fail(ASSAY_ATTENTION_INVALID, "the call is null");
  const size_t size = call->struct_size;
  if ((size < sizeof known && size != kFirstVersionSize) || size > 4096) {
    return fail(ASSAY_ATTENTION_INVALID,
                "struct_size is %zu; it must be sizeof(assay_attention_call), %zu in this version", size, sizeof known);
  }
  if (size > sizeof known && !rest_is_zero(call, sizeof known, size)) {
    return fail(ASSAY_ATTENTION_UNSUPPORTED, "the call uses fields of a newer header than this library (version %d)",
                ASSAY_ATTENTION_VERSION);
  }
  known = {};
  std::memcpy(&known, call, std::min(size, sizeof known));
  if ((known.flags & ~kFlags) != 0) {
    return fail(ASSAY_ATTENTION_UNSUPPORTED, "flags are 0x%x; this version knows 0x%x", known.flags, kFlags);
  }
  if (known.dtype != ASSAY_ATTENTION_F16 && known.dtype != ASSAY_ATTENTION_BF16) {
    return fail(ASSAY_ATTENTION_UNSUPPORTED, "dtype is %d; supported are 0 (fp16) and 1 (bf16)", known.dtype);
  }
  if (!(known.scale > 0.0f) || !std::isfinite(known.scale)) {
    return fail(ASSAY_ATTENTION_UNSUPPORTED, "scale is %g; supported are positive finite numbers",
                static_cast<double>(known.scale));
  }
  if (int status = check_sizes(known); status != ASSAY_ATTENTION_OK) return status;
  if (int status = check_serving(known); status != ASSAY_ATTENTION_OK) return status;
  Tensor tensors[] = {query_like("query", known.query, known.query_strides, known, false),
                      key_like("key", known.key, known.key_strides, known, false),
                      key_like("value", known.value, known.value_strides, known, false),
                      query_like("output", known.output, known.output_strides, known, true)};
  for (Tensor& tensor : tensors) {
    if (int status = check_tensor(tensor, known.head_dim, tensors_needed); status != ASSAY_ATTENTION_OK) return status;
  }
  if (reinterpret_cast<uintptr_t>(known.log_sum_exp) % alignof(float) != 0) {
    return fail(ASSAY_ATTENTION_INVALID, "log_sum_exp starts at no multiple of 4 bytes");
  }
  return ASSAY_ATTENTION_OK;
}

int check_append(const assay_attention_append_call* call, assay_attention_append_call& known) {
  if (call == nullptr) return fail(ASSAY_ATTENTION_INVALID, "the call is null");
  if (call->struct_size != sizeof known) {
    return fail(ASSAY_ATTENTION_INVALID, "struct_size is %u; it must be sizeof(assay_attention_append_call), %zu",
                call->struct_size, sizeof known);
  }
  known = *call;
  // The same rules as for a call whose queries are the new keys.
  assay_attention_call rows{};
  rows.batch = known.batch;
  rows.query_heads = rows.key_heads = known.key_heads;
  rows.query_rows = known.new_rows;
  rows.key_rows = known.key_rows;
  rows.head_dim = known.head_dim;
  rows.block_table = known.block_table;
  if (known.new_rows < 1) return fail(ASSAY_ATTENTION_INVALID, "new_rows is %d; it must be positive", known.new_rows);
  if (known.first_row < 0) {
    return fail(ASSAY_ATTENTION_INVALID, "first_row is %d; it must not be negative", known.first_row);
  }
  if (known.reserved != 0) {
    return fail(ASSAY_ATTENTION_UNSUPPORTED, "the call uses fields of a newer header than this library (version %d)",
                ASSAY_ATTENTION_VERSION);
  }
  if (known.dtype != ASSAY_ATTENTION_F16 && known.dtype != ASSAY_ATTENTION_BF16) {
    return fail(ASSAY_ATTENTION_UNSUPPORTED, "dtype is %d; supported are 0 (fp16) and 1 (bf16)", known.dtype);
  }
  if (int status = check_sizes(rows); status != ASSAY_ATTENTION_OK) return status;
  const PageFields pages{known.block_table, known.block_table_stride, known.page_rows, known.batch, known.key_rows};
  if (int status = check_pages(pages); status != ASSAY_ATTENTION_OK) return status;
  Tensor tensors[] = {query_like("new_key", known.new_key, known.new_key_strides, rows, false),
                      query_like("new_value", known.new_value, known.new_value_strides, rows, false),
                      key_like("key", known.key, known.key_strides, rows, true),
                      key_like("value", known.value, known.value_strides, rows, true)};
  for (Tensor& tensor : tensors) {
    if (int status = check_tensor(tensor, known.head_dim, true); status != ASSAY_ATTENTION_OK) return status;
  }
  return ASSAY_ATTENTION_OK;
}

namespace {

// For few keys mma.sync starts faster (library/README.md).
bool few_keys(const assay_attention_call& call) {
  return call.key_rows <= (call.head_dim <= 64 || call.head_dim > 128 ? 64 : 128);
}

// Of 128 rows.
int64_t row_tiles(const assay_attention_call& call) {
  return int64_t{call.batch} * call.query_heads * ((call.query_rows + 127) / 128);
}

// TMA needs rows that differ in address, and its grids end at 65,535 heads.
bool fits_tensor_maps(const assay_attention_call& call) {
  const auto repeats = [](const int64_t(&strides)[3]) { return std::count(strides, strides + 3, 0) > 0; };
  return call.batch <= 65535 && call.query_heads <= 65535 && !repeats(call.query_strides) &&
         !repeats(call.key_strides) && !repeats(call.value_strides) && !repeats(call.output_strides);
}

split_keys::Shape shape_of(const assay_attention_call& call) {
  return {call.batch,      call.key_heads,     call.query_heads / call.key_heads,
          call.query_rows, visible_keys(call), call.head_dim};
}

}  // namespace

Family family_of(const assay_attention_call& call, int compute_capability, int multiprocessors) {
  const bool serving = is_serving(call);
  if (compute_capability / 10 == 8) return serving ? Family::serving_tiles : Family::warp;
  if (compute_capability != 90) return Family::none;
  const split_keys::Shape shape = shape_of(call);
  if (serving) {
    // A tile of 64 queries would be nearly empty where a group's few queries fit one tile of packed rows.
    if (split_keys::one_tile(shape) || split_keys::suits(shape, multiprocessors)) return Family::serving_split;
    return few_keys(call) ? Family::serving_tiles : Family::serving_streaming;
  }
  const bool few_queries = fits_tensor_maps(call) ? hopper::takes_split_keys(hopper_call(call), multiprocessors)
                                                  : split_keys::suits(shape, multiprocessors);
  return few_queries ? Family::split_keys : family_of_long_queries(call, multiprocessors);
}

Family family_of_long_queries(const assay_attention_call& call, int multiprocessors, bool in_pairs) {
  if (!fits_tensor_maps(call)) return Family::warp;
  if (in_pairs && hopper::takes_pairs(hopper_call(call))) return Family::hopper;
  return few_keys(call) && row_tiles(call) <= multiprocessors ? Family::warp : Family::hopper;
}

int fail_no_kernels(int compute_capability) {
  return fail(ASSAY_ATTENTION_NO_KERNEL,
              "no kernels for compute capability %d.%d inside; there are some for 8.0, 8.6, 8.7, 8.9 and 9.0",
              compute_capability / 10, compute_capability % 10);
}

}  // namespace assay::attention::library
