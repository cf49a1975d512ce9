// SPDX-License-Identifier: MIT
// Exercises kernels that a host program drives through many runtime functions.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
__constant__ float coef[16];
__device__ int counter;
__device__ __managed__ int mg;
extern __shared__ float dyn[];
__global__ void k(float* a, int n) {
  dyn[threadIdx.x] = coef[threadIdx.x & 15];
  __syncthreads();
  a[threadIdx.x] = dyn[threadIdx.x];
  atomicAdd(&counter, 1);
  mg = 3;
}
__global__ void coop(float* a) {
  cooperative_groups::this_grid().sync();
  a[0] = 1;
}
__global__ void tx(cudaTextureObject_t t, float* o) {
  o[threadIdx.x] = tex2D<float>(t, threadIdx.x, 0.5f);
}
__global__ void __cluster_dims__(2) clu(float* a) {
  a[blockIdx.x] = 1;
}
int main() {
  float* a;
  cudaSetDevice(0);
  int nd;
  cudaGetDeviceCount(&nd);
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  int v;
  cudaDeviceGetAttribute(&v, cudaDevAttrMultiProcessorCount, 0);
  cudaMallocAsync(&a, 4096, 0);
  cudaMallocManaged(&a, 4096);
  float* hp;
  cudaMallocHost(&hp, 4096);
  cudaHostAlloc(&hp, 4096, 0);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaEvent_t e0, e1;
  cudaEventCreate(&e0);
  cudaEventCreate(&e1);
  cudaEventRecord(e0, s);
  float h[16] = {};
  cudaMemcpyToSymbol(coef, h, 64);
  cudaMemcpyFromSymbol(h, counter, 4);
  void* sp;
  cudaGetSymbolAddress(&sp, counter);
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
  cudaFuncAttributes fa;
  cudaFuncGetAttributes(&fa, k);
  int nb;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&nb, k, 128, 0);
  int mb, bs;
  cudaOccupancyMaxPotentialBlockSize(&mb, &bs, k);
  k<<<4, 128, 512, s>>>(a, 7);
  void* args[] = {&a};
  cudaLaunchCooperativeKernel((void*)coop, dim3(4), dim3(32), args, 0, s);
  cudaLaunchConfig_t c = {};
  c.gridDim = dim3(4);
  c.blockDim = dim3(32);
  cudaLaunchKernelEx(&c, k, a, 3);
  clu<<<2, 32>>>(a);
  cudaMemcpyAsync(h, a, 64, cudaMemcpyDeviceToHost, s);
  cudaMemsetAsync(a, 0, 64, s);
  cudaMemset(a, 0, 4);
  cudaMemcpy2D(h, 4, a, 4, 4, 1, cudaMemcpyDeviceToHost);
  cudaEventRecord(e1, s);
  cudaEventSynchronize(e1);
  float ms;
  cudaEventElapsedTime(&ms, e0, e1);
  cudaStreamSynchronize(s);
  cudaStreamWaitEvent(s, e1, 0);
  cudaGraph_t g;
  cudaGraphExec_t ge;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 32, 0, s>>>(a, 1);
  cudaStreamEndCapture(s, &g);
  cudaGraphInstantiate(&ge, g, 0);
  cudaGraphLaunch(ge, s);
  cudaArray_t ar;
  cudaChannelFormatDesc cd = cudaCreateChannelDesc<float>();
  cudaMallocArray(&ar, &cd, 16, 16);
  cudaResourceDesc rd = {};
  cudaTextureDesc td = {};
  cudaTextureObject_t to;
  cudaCreateTextureObject(&to, &rd, &td, 0);
  tx<<<1, 32>>>(to, a);
  cudaPeekAtLastError();
  cudaDeviceReset();
  cudaMemGetInfo(0, 0);
  cudaFreeHost(hp);
  cudaFreeAsync(a, s);
  cudaStreamDestroy(s);
  cudaEventDestroy(e0);
  cudaPointerAttributes pa;
  cudaPointerGetAttributes(&pa, a);
  printf("%s %s\n", p.name, cudaGetErrorName(cudaSuccess));
  cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20);
  cudaRuntimeGetVersion(&v);
  cudaDriverGetVersion(&v);
  void* fn;
  cudaDriverEntryPointQueryResult q;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &fn, 12000, cudaEnableDefault, &q);
  cudaHostRegister(h, 64, 0);
  cudaMemPrefetchAsync(a, 64, cudaMemLocation{}, 0, s);
  cudaMemAdvise(a, 64, cudaMemAdviseSetReadMostly, cudaMemLocation{});
  cudaLaunchHostFunc(s, 0, 0);
}
