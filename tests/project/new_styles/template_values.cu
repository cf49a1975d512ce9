// SPDX-License-Identifier: MIT
// Templates with non-type parameters, instantiated below; restrict pointers; 64-bit sizes.
template <typename T, int ITEMS, bool ACCUMULATE>
__global__ __launch_bounds__(128) void saxpy_items(T a, const T* __restrict__ in, T* __restrict__ out, size_t count) {
  size_t base = (size_t(blockIdx.x) * blockDim.x + threadIdx.x) * ITEMS;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    size_t i = base + k;
    if (i < count) out[i] = ACCUMULATE ? out[i] + a * in[i] : a * in[i];
  }
}
template __global__ void saxpy_items<float, 4, true>(float, const float*, float*, size_t);
template __global__ void saxpy_items<double, 2, false>(double, const double*, double*, size_t);
