// SPDX-License-Identifier: MIT
// Exercises printf, assert, the device heap, traps, clocks and special registers.
#include <cassert>
#include <cstdio>
extern "C" __global__ void pr(const int* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    printf("i=%d n=%d %f %s\n", i, n, 1.5 * i, "str");
    return;
  }
  assert(a[i] >= 0 && "neg");
  if (a[i] == 7) __trap();
  if (a[i] == 8) __brkpt();
  long long t = clock64();
  unsigned c = clock();
  printf("%lld %u %p\n", t, c, a);
  if (a[i] == 9) __builtin_unreachable();
  if (a[i] == 10) asm volatile("exit;");
}
extern "C" __global__ void sregs(unsigned* o, unsigned long long* ol) {
  unsigned r;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(r));
  o[0] = r;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(r));
  o[1] = r;
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(r));
  o[2] = r;
  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(r));
  o[3] = r;
  asm volatile("mov.u32 %0, %%nsmid;" : "=r"(r));
  o[4] = r;
  asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(r));
  o[5] = r;
  asm volatile("mov.u32 %0, %%total_smem_size;" : "=r"(r));
  o[7] = r;
  unsigned long long g;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g));
  ol[0] = g;
  asm volatile("mov.u64 %0, %%gridid;" : "=l"(g));
  ol[1] = g;
  o[6] = warpSize;
  __nanosleep(100);
  __prof_trigger(1);
  asm volatile("prefetch.global.L2 [%0];" ::"l"(o));
  asm volatile("prefetchu.L1 [%0];" ::"l"(o));
  asm volatile("discard.global.L2 [%0], 128;" ::"l"(o));
}
