// SPDX-License-Identifier: MIT
// Exercises CUB block and device algorithms, whose inline PTX repeats names inside scopes.
#include <cub/cub.cuh>
template <int BT, int IT>
__global__ void blk(const int* in, int* out, float* fo) {
  typedef cub::BlockLoad<int, BT, IT, cub::BLOCK_LOAD_TRANSPOSE> L;
  typedef cub::BlockStore<int, BT, IT, cub::BLOCK_STORE_WARP_TRANSPOSE> S;
  typedef cub::BlockReduce<float, BT> R;
  typedef cub::BlockScan<int, BT> C;
  typedef cub::BlockRadixSort<int, BT, IT> Q;
  __shared__ union {
    typename L::TempStorage l;
    typename S::TempStorage s;
    typename R::TempStorage r;
    typename C::TempStorage c;
    typename Q::TempStorage q;
  } t;
  int k[IT];
  L(t.l).Load(in + blockIdx.x * BT * IT, k);
  __syncthreads();
  Q(t.q).Sort(k);
  __syncthreads();
  int agg;
  C(t.c).ExclusiveSum(k, k, agg);
  __syncthreads();
  float s = R(t.r).Sum((float)k[0]);
  __syncthreads();
  if (!threadIdx.x) fo[blockIdx.x] = s;
  S(t.s).Store(out + blockIdx.x * BT * IT, k);
}
template __global__ void blk<128, 4>(const int*, int*, float*);
// device-wide algorithms instantiate their own kernels in this TU
void devwide(int* k, int* o, float* f, float* g, int n, cudaStream_t s) {
  void* t = nullptr;
  size_t b = 0;
  cub::DeviceReduce::Sum(t, b, f, g, n, s);
  cub::DeviceScan::ExclusiveSum(t, b, k, o, n, s);
  cub::DeviceRadixSort::SortKeys(t, b, (const int*)k, o, n, 0, 32, s);
  cub::DeviceHistogram::HistogramEven(t, b, f, o, 257, 0.f, 1.f, n, s);
  cub::DeviceSelect::Flagged(t, b, k, k, o, o, n, s);
}
