// SPDX-License-Identifier: MIT
#include "reference/attention_forward.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "base/threads.hpp"
#include "reference/arguments.hpp"
#include "reference/compensated_sum.hpp"

namespace assay::reference {
namespace {

constexpr std::string_view kName = "attention_forward";

struct Sizes {
  int64_t batches = 1;
  int64_t query_heads = 1;
  int64_t key_heads = 1;
  int64_t query_rows = 0;
  int64_t key_rows = 0;
  int64_t head_dim = 0;
  int64_t value_dim = 0;
  double scale = 0.0;
  bool causal = false;

  int64_t heads() const { return batches * query_heads; }
  int64_t visible_keys(int64_t row) const {
    return causal ? std::clamp<int64_t>(key_rows - query_rows + row + 1, 0, key_rows) : key_rows;
  }
};

Result<Sizes> measure(const Problem& problem, const Shape& q, const Shape& k, const Shape& v) {
  const size_t rank = q.size();
  const auto shapes = [&] { return fmt::format("q {}, k {}, v {}", to_string(q), to_string(k), to_string(v)); };
  if (k.size() != rank || v.size() != rank)
    return mismatch(kName, "q, k and v must have the same rank, found " + shapes());
  if (q[rank - 1] != k[rank - 1]) return mismatch(kName, "q and k must agree in the last dimension, found " + shapes());
  if (k[rank - 2] != v[rank - 2]) return mismatch(kName, "k and v must have as many rows, found " + shapes());
  Sizes sizes;
  sizes.query_rows = q[rank - 2];
  sizes.key_rows = k[rank - 2];
  sizes.head_dim = q[rank - 1];
  sizes.value_dim = v[rank - 1];
  if (rank >= 3) {
    sizes.query_heads = q[rank - 3];
    sizes.key_heads = k[rank - 3];
    if (v[rank - 3] != sizes.key_heads) return mismatch(kName, "k and v must have as many heads, found " + shapes());
    if (sizes.key_heads == 0 ? sizes.query_heads != 0 : sizes.query_heads % sizes.key_heads != 0) {
      return mismatch(kName, "the heads of q must be a multiple of the heads of k, found " + shapes());
    }
    for (size_t i = 0; i + 3 < rank; ++i) {
      if (q[i] != k[i] || q[i] != v[i]) return mismatch(kName, "the leading dimensions must agree, found " + shapes());
    }
    sizes.batches = extent(q, 0, rank - 3);
  }
  sizes.scale = parameter(problem, "scale", 1.0 / std::sqrt(static_cast<double>(std::max<int64_t>(1, sizes.head_dim))));
  sizes.causal = parameter(problem, "causal", 0.0) != 0.0;
  return sizes;
}

// Scratch memory that a thread uses again for every head.
struct Workspace {
  explicit Workspace(const Sizes& sizes)
      : keys_transposed(static_cast<size_t>(sizes.head_dim * sizes.key_rows)),
        weights(static_cast<size_t>(sizes.key_rows)) {}

  std::vector<double> keys_transposed;  // (head_dim, key_rows): the inner loops run along memory and vectorise
  std::vector<double> weights;          // (key_rows)
};

void transpose(const double* k, const Sizes& sizes, std::vector<double>& transposed) {
  for (int64_t row = 0; row < sizes.key_rows; ++row) {
    for (int64_t d = 0; d < sizes.head_dim; ++d) transposed[d * sizes.key_rows + row] = k[row * sizes.head_dim + d];
  }
}

// Scores of one query row against its visible keys, turned into softmax weights that sum to 1.
void weigh(const double* q, const Sizes& sizes, int64_t visible, Workspace& space) {
  double* weights = space.weights.data();
  std::fill_n(weights, visible, 0.0);
  for (int64_t d = 0; d < sizes.head_dim; ++d) {
    const double* keys = space.keys_transposed.data() + d * sizes.key_rows;
    for (int64_t j = 0; j < visible; ++j) weights[j] += q[d] * keys[j];
  }
  double largest = -std::numeric_limits<double>::infinity();
  for (int64_t j = 0; j < visible; ++j) {
    weights[j] *= sizes.scale;
    largest = std::max(largest, weights[j]);
  }
  CompensatedSum sum;
  for (int64_t j = 0; j < visible; ++j) {
    weights[j] = std::exp(weights[j] - largest);
    sum.add(weights[j]);
  }
  for (int64_t j = 0; j < visible; ++j) weights[j] /= sum.value();
}

void attend_head(const double* q, const double* k, const double* v, double* o, const std::vector<int64_t>& rows,
                 const Sizes& sizes, Workspace& space) {
  transpose(k, sizes, space.keys_transposed);
  for (const int64_t row : rows) {
    const int64_t visible = sizes.visible_keys(row);
    double* out = o + row * sizes.value_dim;
    std::fill_n(out, sizes.value_dim, 0.0);
    if (visible == 0) continue;
    weigh(q + row * sizes.head_dim, sizes, visible, space);
    for (int64_t j = 0; j < visible; ++j) {
      const double weight = space.weights[j];
      const double* value = v + j * sizes.value_dim;
      for (int64_t d = 0; d < sizes.value_dim; ++d) out[d] += weight * value[d];
    }
  }
}

// A thread for every so much work, which takes it some milliseconds.
size_t thread_count(const Sizes& sizes, double share) {
  constexpr double kWorkOfAThread = 2e7;
  const double work = share * static_cast<double>(sizes.heads()) * static_cast<double>(sizes.query_rows) *
                      static_cast<double>(sizes.key_rows) * static_cast<double>(sizes.head_dim + sizes.value_dim);
  const auto cores = static_cast<double>(core_count());
  return static_cast<size_t>(
      std::clamp(work / kWorkOfAThread, 1.0, std::min(cores, static_cast<double>(sizes.heads()))));
}

}  // namespace

Result<Outputs> attention_forward(const Problem& problem) {
  ASSAY_TRY(const Tensor* q, input(problem, "q", 2));
  ASSAY_TRY(const Tensor* k, input(problem, "k", 2));
  ASSAY_TRY(const Tensor* v, input(problem, "v", 2));
  ASSAY_TRY(const Sizes sizes, measure(problem, q->shape, k->shape, v->shape));
  Shape shape = q->shape;
  shape.back() = sizes.value_dim;
  ASSAY_TRY(Tensor o, output(problem, "o", shape));
  if (o.values.empty()) return single(std::move(o));

  // Heads share nothing but their inputs: which thread takes which makes no difference to a bit of the result.
  std::atomic<int64_t> next{0};
  const auto attend_heads = [&] {
    Workspace space(sizes);
    for (int64_t query = next++; query < sizes.heads(); query = next++) {
      const int64_t head = query % sizes.query_heads;
      const int64_t key = query / sizes.query_heads * sizes.key_heads + head / (sizes.query_heads / sizes.key_heads);
      attend_head(q->values.data() + query * sizes.query_rows * sizes.head_dim,
                  k->values.data() + key * sizes.key_rows * sizes.head_dim,
                  v->values.data() + key * sizes.key_rows * sizes.value_dim,
                  o.values.data() + query * sizes.query_rows * sizes.value_dim,
                  problem.sample.of_matrix(query, sizes.query_rows), sizes, space);
    }
  };
  on_threads(thread_count(sizes, problem.sample.share), attend_heads);
  return single(std::move(o));
}

}  // namespace assay::reference
