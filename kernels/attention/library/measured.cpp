// SPDX-License-Identifier: MIT
#include "measured.hpp"

#include <cstdint>
#include <cstring>

#include "measured_tables.hpp"

namespace assay::attention::library {
namespace {

int64_t value_of(Feature feature, const assay_attention_call& call) {
  const int64_t heads = int64_t{call.batch} * call.query_heads;
  switch (feature) {
    case Feature::heads:
      return heads;
    case Feature::group:
      return call.query_heads / call.key_heads;
    case Feature::query_rows:
      return call.query_rows;
    case Feature::key_rows:
      return call.key_rows;
    case Feature::rows_differ:
      return call.query_rows != call.key_rows ? 1 : 0;
    case Feature::head_dim:
      return call.head_dim;
    case Feature::tiles:
      return (int64_t{call.query_rows} + 127) / 128 * heads;
    case Feature::causal:
      return (call.flags & ASSAY_ATTENTION_CAUSAL) != 0 ? 1 : 0;
    case Feature::bf16:
      return call.dtype == ASSAY_ATTENTION_BF16 ? 1 : 0;
    case Feature::rows_first:
      return call.key_strides[1] < call.key_strides[2] ? 1 : 0;
  }
  return 0;
}

}  // namespace

int measured_verdict(const assay_attention_call& call, int compute_capability, const char* gpu) {
  for (const MeasuredGpu& measured : kMeasuredGpus) {
    if (measured.compute_capability != compute_capability || std::strcmp(measured.name, gpu) != 0) continue;
    int at = measured.root;
    while (at >= 0) {
      const MeasuredNode& node = measured.nodes[at];
      at = value_of(node.feature, call) <= node.at_most ? node.then : node.otherwise;
    }
    return -1 - at;
  }
  return ASSAY_ATTENTION_NOT_MEASURED;
}

}  // namespace assay::attention::library
