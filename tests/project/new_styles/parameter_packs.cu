// SPDX-License-Identifier: MIT
// Packs of parameters, if constexpr, and an internal-linkage kernel.
#include <cstdint>
#include <type_traits>
namespace {
template <typename T, typename... Rest>
__device__ T sum_at(int i, const T* first, const Rest*... rest) {
  if constexpr (sizeof...(rest) == 0)
    return first[i];
  else
    return first[i] + sum_at(i, rest...);
}
template <typename T, typename... Inputs>
__global__ void add_all(T* __restrict__ out, std::int32_t n, const Inputs* __restrict__... in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sum_at(i, in...);
}
}  // namespace
void go(double* o, int n, const double* a, const double* b, const double* c) {
  add_all<<<(n + 127) / 128, 128>>>(o, n, a, b, c);
}
