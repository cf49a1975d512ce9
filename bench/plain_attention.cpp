// SPDX-License-Identifier: MIT
#include "plain_attention.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace assay::bench {

void plain_attention(const float* q, const float* k, const float* v, float* o, int heads, int length, int head_dim,
                     float scale) {
  std::vector<float> scores(static_cast<size_t>(length));
  for (int head = 0; head < heads; ++head) {
    const float* keys = k + static_cast<size_t>(head) * length * head_dim;
    const float* values = v + static_cast<size_t>(head) * length * head_dim;
    for (int query = 0; query < length; ++query) {
      const float* row = q + (static_cast<size_t>(head) * length + query) * head_dim;
      float* out = o + (static_cast<size_t>(head) * length + query) * head_dim;
      float largest = -INFINITY;
      for (int key = 0; key < length; ++key) {
        float sum = 0;
        for (int d = 0; d < head_dim; ++d) sum += row[d] * keys[key * head_dim + d];
        scores[static_cast<size_t>(key)] = sum * scale;
        largest = std::max(largest, sum * scale);
      }
      float total = 0;
      std::fill(out, out + head_dim, 0.0f);
      for (int key = 0; key < length; ++key) {
        const float weight = std::exp(scores[static_cast<size_t>(key)] - largest);
        total += weight;
        for (int d = 0; d < head_dim; ++d) out[d] += weight * values[key * head_dim + d];
      }
      for (int d = 0; d < head_dim; ++d) out[d] /= total;
    }
  }
}

}  // namespace assay::bench
