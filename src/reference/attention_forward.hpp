// SPDX-License-Identifier: MIT
// Forward attention: o = softmax(scale * q k^T) v, for every batch and head.
#pragma once

#include "reference/problem.hpp"

namespace assay::reference {

// q: (..., query_heads, query_rows, head_dim), k: (..., key_heads, key_rows, head_dim), v: (..., key_heads, key_rows,
// value_dim), o: (..., query_heads, query_rows, value_dim). Two dimensions mean one head, three mean one batch.
// Query head h reads key head h / (query_heads / key_heads). `scale` is 1/sqrt(head_dim) unless given.
// `causal`, if not zero, hides keys with the diagonal aligned to the bottom right: row i sees the first
// key_rows - query_rows + i + 1 keys. A hidden key does not take part at all, whatever k and v hold there;
// a row that sees no key is zero.
// A row has no result where its largest score is infinite (plus infinity somewhere, or minus infinity everywhere).
Result<Outputs> attention_forward(const Problem& problem);

}  // namespace assay::reference
