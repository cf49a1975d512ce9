/* SPDX-License-Identifier: MIT
 * Forward attention on Hopper GPUs: O = softmax(scale Q K^T) V. C interface of the kernels in this folder. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Strides in elements, multiples of 8; head_dim (a multiple of 8 up to 256) is contiguous; tensors start at a multiple
 * of 16 bytes. Causal masks are aligned to the bottom right; a row that sees no key is 0, its log-sum-exp -inf. */
typedef struct {
  const void* query; /* (batch, query_heads, query_rows, head_dim) */
  const void* key;   /* (batch, key_heads, key_rows, head_dim) */
  const void* value;
  void* output;
  float* log_sum_exp;       /* (batch, query_heads, query_rows), contiguous, or null */
  int64_t query_strides[3]; /* batch, head, row */
  int64_t key_strides[3];
  int64_t value_strides[3];
  int64_t output_strides[3];
  int32_t batch;
  int32_t query_heads;
  int32_t key_heads;
  int32_t query_rows;
  int32_t key_rows;
  int32_t head_dim;
  int32_t causal;
  int32_t bf16;             /* 0: fp16 */
  float scale;              /* greater than zero */
  int32_t overlap_previous; /* start while the kernel before it in the stream ends (programmatic dependent launch) */
  int32_t cluster;          /* of split_streaming: blocks that share the keys of a tile, 1 to 8; 0: as planned */
} hopper_attention_call;

/* Kernels are numbered from 0; names say kernel, tile and schedule. */
int hopper_attention_variants(void);
const char* hopper_attention_name(int variant);
/* 1 when the variant can compute this call. */
int hopper_attention_supports(int variant, const hopper_attention_call* call);
/* The variant that the table chooses for this call, or -1. */
int hopper_attention_choose(const hopper_attention_call* call);
/* The same without the kernels for many short sequences, whose names begin with pairs. */
int hopper_attention_choose_long(const hopper_attention_call* call);
/* The first variant whose name begins so and that can compute this call, or -1. */
int hopper_attention_find(const char* beginning, const hopper_attention_call* call);
/* Enqueues one kernel on the stream (a cudaStream_t). Null on success, else what is wrong. */
const char* hopper_attention_launch(int variant, const hopper_attention_call* call, void* stream);

#ifdef __cplusplus
}
#endif
