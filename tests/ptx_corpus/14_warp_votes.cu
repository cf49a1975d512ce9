// SPDX-License-Identifier: MIT
// Exercises votes, matches, active masks and lane masks.
extern "C" __global__ void votes(const int* a, unsigned* o, const long long* l) {
  int i = threadIdx.x;
  int v = a[i];
  o[i] = __ballot_sync(~0u, v > 0);
  o[i + 1] = __any_sync(~0u, v > 1);
  o[i + 2] = __all_sync(~0u, v > 2);
  o[i + 3] = __match_any_sync(~0u, v);
  int p;
  o[i + 4] = __match_all_sync(~0u, v, &p);
  o[i + 5] = p;
  o[i + 6] = __activemask();
  o[i + 7] = __match_any_sync(~0u, l[i]);
}
extern "C" __global__ void aggr(int* ctr, const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 0) {
    unsigned m = __activemask();
    int lane = threadIdx.x & 31, leader = __ffs(m) - 1, base;
    if (lane == leader) base = atomicAdd(ctr, __popc(m));
    base = __shfl_sync(m, base, leader);
    out[base + __popc(m & ((1u << lane) - 1))] = in[i];
  }
}
extern "C" __global__ void named_bar(int* o) {
  if (threadIdx.x < 64) {
    asm volatile("bar.arrive 1, 128;");
    o[0] = 1;
  } else {
    asm volatile("bar.sync 1, 128;");
    o[1] = o[0];
  }
  asm volatile("barrier.sync 2;");
  asm volatile("barrier.cta.sync.aligned 3, 128;");
  int r;
  asm volatile("{ .reg .pred p; setp.ne.s32 p,%1,0; bar.red.popc.u32 %0, 0, p; }" : "=r"(r) : "r"(o[3]));
  o[4] = r;
}
