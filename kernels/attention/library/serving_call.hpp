// SPDX-License-Identifier: MIT
// Calls with sequences, pages, windows or capped scores: what they must fulfil besides, and what they come down to.
// Knows no CUDA.
#pragma once

#include "assay_attention.h"

namespace assay::attention::library {

// Whether the kernels of ../serving are needed. Of a call that check_serving has seen.
bool is_serving(const assay_attention_call& call);

// Checks the fields from version 300 on. A window that hides nothing, and one that is a causal mask, become what they
// are: such a call needs no kernel of its own. A code of assay_attention.h; the text is in last_failure().
int check_serving(assay_attention_call& call);

// Pages, as calls and additions to a cache have them.
struct PageFields {
  const int32_t* block_table;
  int64_t block_table_stride;
  int32_t page_rows;
  int32_t batch;
  int32_t key_rows;
};
int check_pages(const PageFields& fields);

// How many keys a query of the longest sequence sees at most.
int visible_keys(const assay_attention_call& call);

}  // namespace assay::attention::library
