// SPDX-License-Identifier: MIT
// Attention of sequences in float64: windows, capped scores, pages, log-sum-exp (but not without_lse). Rows that belong
// to no sequence keep what they hold. Also for ../warp, whose calls have none but the plain ones of these.
#include <algorithm>
#include <assay/reference.h>
#include <cmath>
#include <limits>
#include <vector>

namespace {

struct Call {
  const AssayTensor* q;
  const AssayTensor* k;
  const AssayTensor* v;
  const AssayTensor* o;
  const AssayTensor* lse;
  const AssayTensor* query_starts;
  const AssayTensor* key_starts;
  const AssayTensor* key_lengths;
  const AssayTensor* block_table;
  int64_t batch, key_heads, group, query_rows, key_rows, dim, page, pages, added, left, right, total;
  bool packed, causal, without_lse;
  double scale, cap;
};

// Where key row `row` of a sequence is a row of the tensor.
int64_t key_row(const Call& call, int64_t batch, int64_t row) {
  if (call.page > 0) {
    return static_cast<int64_t>(call.block_table->data[batch * call.pages + row / call.page]) * call.page +
           row % call.page;
  }
  const auto start = call.packed ? static_cast<int64_t>(call.key_starts->data[batch]) : batch * call.key_rows;
  return start + row;
}

void attend(const Call& call, int64_t batch, int64_t head, int64_t query, int64_t queries, int64_t keys) {
  const int64_t heads = call.key_heads * call.group;
  const auto start = call.packed ? static_cast<int64_t>(call.query_starts->data[batch]) : batch * call.query_rows;
  const double* q = call.q->data + ((start + query) * heads + head) * call.dim;
  double* o = call.o->data + ((start + query) * heads + head) * call.dim;
  const int64_t beside = query + keys - queries;
  const int64_t first = call.left < 0 ? 0 : std::max<int64_t>(0, beside - call.left);
  const int64_t right = call.causal ? 0 : call.right;
  const int64_t end = right < 0 ? keys : std::min(keys, beside + right + 1);
  double not_wanted = 0;
  double& lse = call.without_lse ? not_wanted
                : call.packed    ? call.lse->data[head * call.total + start + query]
                                 : call.lse->data[(batch * heads + head) * call.query_rows + query];
  std::fill_n(o, call.dim, 0.0);
  lse = -std::numeric_limits<double>::infinity();
  if (end <= first) return;
  std::vector<double> scores(static_cast<size_t>(end - first));
  double largest = -std::numeric_limits<double>::infinity();
  for (int64_t key = first; key < end; ++key) {
    const double* k = call.k->data + (key_row(call, batch, key) * call.key_heads + head / call.group) * call.dim;
    double sum = 0;
    for (int64_t d = 0; d < call.dim; ++d) sum += q[d] * k[d];
    sum *= call.scale;
    if (call.cap > 0) sum = call.cap * std::tanh(sum / call.cap);
    scores[static_cast<size_t>(key - first)] = sum;
    largest = std::max(largest, sum);
  }
  double total = 0;
  for (double& score : scores) total += score = std::exp(score - largest);
  for (int64_t key = first; key < end; ++key) {
    const double* v = call.v->data + (key_row(call, batch, key) * call.key_heads + head / call.group) * call.dim;
    const double weight = scores[static_cast<size_t>(key - first)] / total;
    for (int64_t d = 0; d < call.dim; ++d) o[d] += weight * v[d];
  }
  lse = largest + std::log(total);
}

}  // namespace

int assay_reference(AssayProblem* problem) {
  const auto size = [&](const char* name) { return static_cast<int64_t>(assay_number(problem, name, 0)); };
  const Call call{assay_tensor(problem, "q"),
                  assay_tensor(problem, "k"),
                  assay_tensor(problem, "v"),
                  assay_tensor(problem, "o"),
                  assay_tensor(problem, "lse"),
                  assay_tensor(problem, "query_starts"),
                  assay_tensor(problem, "key_starts"),
                  assay_tensor(problem, "key_lengths"),
                  assay_tensor(problem, "block_table"),
                  size("B"),
                  size("H"),
                  size("G"),
                  size("M"),
                  size("S"),
                  size("D"),
                  size("page"),
                  size("pages"),
                  size("added"),
                  size("left") - 1,
                  size("right") - 1,
                  size("total"),
                  size("packed") != 0,
                  size("causal") != 0,
                  size("without_lse") != 0,
                  assay_number(problem, "scale", 0),
                  assay_number(problem, "cap", 0)};
  for (int64_t batch = 0; batch < call.batch; ++batch) {
    int64_t queries = call.query_rows;
    int64_t keys = call.key_rows;
    if (call.packed) {
      queries = static_cast<int64_t>(call.query_starts->data[batch + 1] - call.query_starts->data[batch]);
      keys = static_cast<int64_t>(call.key_starts->data[batch + 1] - call.key_starts->data[batch]);
    }
    if (call.page > 0) keys = static_cast<int64_t>(call.key_lengths->data[batch]) + call.added;
    for (int64_t head = 0; head < call.key_heads * call.group; ++head) {
      for (int64_t query = 0; query < queries; ++query) attend(call, batch, head, query, queries, keys);
    }
  }
  return 0;
}
