// SPDX-License-Identifier: MIT
// Attention as a programmer writes it first: one thread, float, loops. What the virtual GPU's speed is compared with.
#pragma once

namespace assay::bench {

// q, k, v, o: (heads, length, head_dim), dense.
void plain_attention(const float* q, const float* k, const float* v, float* o, int heads, int length, int head_dim,
                     float scale);

}  // namespace assay::bench
