/* SPDX-License-Identifier: MIT
 * Forward attention on NVIDIA GPUs, O = softmax(scale Q K^T) V, as a C library: libassay_attention.so.
 *
 *   assay_attention_call call = {.struct_size = sizeof call, .dtype = ASSAY_ATTENTION_F16, ...};
 *   if (assay_attention_forward(&call, stream) != ASSAY_ATTENTION_OK) puts(assay_attention_last_error());
 *
 * A call enqueues one kernel on the stream and returns. It allocates nothing, waits for nothing, and works while the
 * stream is captured into a CUDA graph. The same input gives the same bits on every run. All functions may be called by
 * several threads at once, for several devices: the device is the calling thread's current one, and the stream and the
 * tensors must belong to it. The kernels for sm_80 (also 86, 87, 89) and sm_90 are inside; other GPUs get an error. */
#ifndef ASSAY_ATTENTION_H
#define ASSAY_ATTENTION_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ASSAY_ATTENTION_API __attribute__((visibility("default")))
#else
#define ASSAY_ATTENTION_API
#endif

#define ASSAY_ATTENTION_VERSION 300 /* 10000 major + 100 minor + patch */

/* What a function returns. Text for the calling thread's last failure: assay_attention_last_error. */
enum {
  ASSAY_ATTENTION_OK = 0,
  ASSAY_ATTENTION_INVALID = 1,      /* the call contradicts itself or the rules below */
  ASSAY_ATTENTION_UNSUPPORTED = 2,  /* a meaningful call that no kernel computes */
  ASSAY_ATTENTION_NO_KERNEL = 3,    /* no kernels for this GPU inside, or no GPU */
  ASSAY_ATTENTION_CUDA_FAILED = 4   /* the driver refused; the text has its words */
};

enum { ASSAY_ATTENTION_F16 = 0, ASSAY_ATTENTION_BF16 = 1 };

/* Flags. */
enum {
  ASSAY_ATTENTION_CAUSAL = 1, /* a query sees no key behind itself; the last query is beside the last key (bottom right) */
  /* The kernel may be set up while the one before it in the stream still runs (programmatic dependent launch). It waits
   * for that one before it reads or writes memory, so results are the same; Hopper only, elsewhere without effect. */
  ASSAY_ATTENTION_OVERLAP_PREVIOUS = 2,
  ASSAY_ATTENTION_WINDOW = 4 /* window_left and window_right count (from version 300 on) */
};

/* Strides are in elements and belong to the three outer dimensions: batch, head, row; head_dim is contiguous. Both
 * (batch, heads, rows, head_dim) and (batch, rows, heads, head_dim) in memory are a matter of strides.
 *   head_dim   a multiple of 8, up to 256, the same for all four tensors
 *   pointers   multiples of 16 bytes; strides multiples of 8 elements, not negative (a dimension of size 1 may have any)
 *   heads      query_heads a multiple of key_heads (grouped heads; consecutive query heads share a key head)
 *   scale      positive and finite; 1 / sqrt(head_dim) is usual
 * A row that sees no key (causal, more queries than keys) becomes 0, its log-sum-exp -inf. */
typedef struct {
  uint32_t struct_size; /* sizeof(assay_attention_call): says which fields the caller knows */
  uint32_t flags;
  const void* query; /* (batch, query_heads, query_rows, head_dim) */
  const void* key;   /* (batch, key_heads, key_rows, head_dim) */
  const void* value; /* as key */
  void* output;      /* as query; overlaps no input */
  float* log_sum_exp; /* (batch, query_heads, query_rows), contiguous, natural logarithm; or null */
  int64_t query_strides[3];
  int64_t key_strides[3];
  int64_t value_strides[3];
  int64_t output_strides[3];
  int32_t batch;
  int32_t query_heads;
  int32_t key_heads;
  int32_t query_rows;
  int32_t key_rows;
  int32_t head_dim;
  int32_t dtype;
  float scale;
  /* From version 300 on: sequences, pages, windows, capped scores. With zeros here a call is as it was before. The arrays
   * are on the GPU and are read by the kernel, so that a captured graph sees what they hold when it is replayed.
   *
   * Sequences of several lengths: query_starts and key_starts have batch + 1 numbers that do not fall, the first 0;
   * sequence b has the rows from starts[b] to before starts[b + 1] of one tensor (rows, heads, head_dim), whose batch stride
   * is not looked at. query_rows and key_rows are then those of the longest sequence, or more; rows beyond are not computed.
   * A sequence may have no rows. total_query_rows is how many rows query and output have; log_sum_exp is then (query_heads,
 * total_query_rows).
   *
   * Pages: the keys of sequence b are the rows of the pages block_table[b][0], [1], ... of a cache (pages, page_rows,
   * heads, head_dim), whose page stride is key_strides[0]; value likewise. key_rows is at most what a line of the table
   * holds. key_starts, if given, then says nothing but how many keys there are.
   *
   * How many keys: key_lengths[b] + added_keys; without key_lengths by key_starts; without both key_rows. Never more than
   * key_rows. The last query of a sequence is beside its last key, for CAUSAL as for windows.
   *
   * Windows: a query beside key i sees the keys i - window_left to i + window_right; below zero means no limit. CAUSAL
   * hides what is behind i besides.
   *
   * softcap, if not 0: scores become softcap * tanh(scale q k / softcap) before the softmax. */
  const int32_t* query_starts;
  const int32_t* key_starts;
  const int32_t* key_lengths; /* (batch) */
  const int32_t* block_table; /* (batch, at least key_rows / page_rows rounded up) */
  int64_t block_table_stride; /* from one sequence's line to the next */
  int32_t total_query_rows;
  int32_t added_keys;
  int32_t page_rows; /* a multiple of 16 */
  int32_t window_left;
  int32_t window_right;
  float softcap;
} assay_attention_call;

/* Enqueues the computation on a stream (CUstream or cudaStream_t; null is the legacy default stream). */
ASSAY_ATTENTION_API int assay_attention_forward(const assay_attention_call* call, void* stream);

/* Which kernel the call will take: *kernel becomes its name (static text), or null where a code other than OK says that
 * none will. compute_capability: 80, 86, 89, 90 ..., for which no GPU need be there; 0: that of the current device.
 * Null pointers in the call count as aligned, so that a shape can be asked about before there are tensors. */
ASSAY_ATTENTION_API int assay_attention_query(const assay_attention_call* call, int compute_capability,
                                              const char** kernel);

/* Whether that kernel was measured to be faster than every backend of PyTorch's scaled_dot_product_attention, on this very
 * GPU and at shapes like this one. Where it was not, a caller who has PyTorch should let PyTorch compute. */
enum {
  ASSAY_ATTENTION_NOT_MEASURED = 0,
  ASSAY_ATTENTION_MEASURED_FASTER = 1,
  ASSAY_ATTENTION_MEASURED_NOT_FASTER = 2 /* slower, or not reliably faster */
};
/* *verdict becomes one of these. gpu: a device name as nvidia-smi gives it, for which no GPU need be there, with its
 * compute capability; null: the current device, whatever the capability. */
ASSAY_ATTENTION_API int assay_attention_query_measured(const assay_attention_call* call, int compute_capability,
                                                       const char* gpu, int* verdict);

/* New keys and values become part of a cache, one kernel on the stream: row i of sequence b goes to row
 * key_lengths[b] + first_row + i of its keys, which lie as those of a call do, paged or not. Rows that would lie at key_rows or behind are left out. A call
 * with the same key_lengths and added_keys = new_rows then sees them. Sequences must not share the rows that are written. */
typedef struct {
  uint32_t struct_size; /* sizeof(assay_attention_append_call) */
  int32_t dtype;
  const void* new_key; /* (batch, key_heads, new_rows, head_dim) */
  const void* new_value;
  void* key; /* (batch or pages, key_heads, rows, head_dim) */
  void* value;
  int64_t new_key_strides[3]; /* batch, head, row */
  int64_t new_value_strides[3];
  int64_t key_strides[3]; /* batch or page, head, row */
  int64_t value_strides[3];
  const int32_t* key_lengths; /* (batch); null: 0 for all */
  const int32_t* block_table; /* null: not paged */
  int64_t block_table_stride;
  int32_t batch;
  int32_t key_heads;
  int32_t new_rows;
  int32_t key_rows; /* of a sequence in the cache, at most */
  int32_t head_dim;
  int32_t page_rows; /* a multiple of 16; 0 without block_table */
  int32_t first_row; /* 0 or more */
  int32_t reserved;  /* 0 */
} assay_attention_append_call;
ASSAY_ATTENTION_API int assay_attention_append(const assay_attention_append_call* call, void* stream);

/* Loads all kernels for the current device now instead of each at its first call. Never needed; moves the cost of loading
 * (about a millisecond a kernel) away from the first calls. */
ASSAY_ATTENTION_API int assay_attention_prepare(void);

/* For language bindings: the same as assay_attention_forward for four-dimensional tensor objects of a framework that offers
 * DLPack's C exchange table (DLPackExchangeAPI, version 1), which says what they are and on which stream to work. For a
 * Python framework the caller holds the interpreter's lock; it is let go while the kernel is launched.
 * log_sum_exp may be null. scale 0 means 1 / sqrt(head_dim). One flag more than above. */
enum {
  ASSAY_ATTENTION_ROWS_BEFORE_HEADS = 1 << 16 /* the objects' dimensions are (batch, rows, heads, head_dim) */
};
ASSAY_ATTENTION_API int assay_attention_forward_objects(const void* exchange_table, void* query, void* key, void* value,
                                                        void* output, void* log_sum_exp, uint32_t flags, float scale);

/* What went wrong in the last function of this thread that did not return OK; "" if none did. */
ASSAY_ATTENTION_API const char* assay_attention_last_error(void);

/* The name of a returned code, "ASSAY_ATTENTION_OK" ...; "unknown" for others. */
ASSAY_ATTENTION_API const char* assay_attention_status_name(int status);

/* The version of the loaded library. It takes calls of every header with the same major version. */
ASSAY_ATTENTION_API int assay_attention_version(void);

#ifdef __cplusplus
}
#endif

#endif
