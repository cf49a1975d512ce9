// SPDX-License-Identifier: MIT
// Exercises the kernels that thrust sort and reduce instantiate.
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
int main() {
  thrust::device_vector<int> d(1000, 3);
  thrust::sort(d.begin(), d.end());
  int s = thrust::reduce(d.begin(), d.end());
  return s == 3000 ? 0 : 1;
}
