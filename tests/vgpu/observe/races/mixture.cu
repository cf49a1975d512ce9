// SPDX-License-Identifier: MIT
// Accesses of all shapes in a random mixture, with and without something that orders them: what the race check looks at
// in rows, far apart or alone must be the same as what it finds lane by lane. Launched as races.cu.
//   nvcc -arch=sm_80 -lineinfo -ptx mixture.cu
#include <cstdint>

#define KERNEL extern "C" __global__ void __launch_bounds__(128)

__device__ unsigned mix(unsigned value) {
  value = (value ^ value >> 16) * 0x7feb352du;
  value = (value ^ value >> 15) * 0x846ca68bu;
  return value ^ value >> 16;
}

// Where a lane accesses: one behind another, with gaps, in no order, all the same, or one lane alone.
__device__ unsigned place(unsigned how, unsigned where, unsigned lane, unsigned last) {
  switch (how % 5) {
    case 0: return where + lane & last;
    case 1: return where + lane * 3 & last;
    case 2: return mix(where + lane) & last;
    case 3: return where & last;
    default: return where + lane / 8 * 512 + lane % 8 & last;
  }
}

template <class Element>
__device__ void touch(unsigned char* memory, unsigned bytes, unsigned how, unsigned where, unsigned lane) {
  Element* const elements = reinterpret_cast<Element*>(memory);
  const unsigned at = place(how, where, lane, bytes / sizeof(Element) - 1);
  if (how / 8 % 4 == 0 && lane != where % 32) return;  // one lane alone
  if (how / 32 % 3 == 0) elements[at] = static_cast<Element>(how);
  else elements[at ^ 1] += how / 128 % 2;  // a read and a write
  if (how / 256 % 2 == 0 && elements[at] == 77) elements[0] = 1;  // a read alone
}

template <bool Shared>
__device__ void mixture(unsigned* data, unsigned seed, unsigned bytes) {
  __shared__ alignas(16) unsigned char tile[4096];
  for (int i = threadIdx.x; i < 1024; i += 128) reinterpret_cast<unsigned*>(tile)[i] = 0;
  __syncthreads();
  unsigned char* const memory = Shared ? tile : reinterpret_cast<unsigned char*>(data);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32 + (Shared ? 0 : blockIdx.x * 4);
  for (unsigned step = 0; step < 48; ++step) {
    const unsigned how = mix(seed + step * 97 + warp * 13), where = mix(how + seed);
    switch (how / 512 % 4) {
      case 0: touch<unsigned char>(memory, bytes, how, where, lane); break;
      case 1: touch<unsigned short>(memory, bytes, how, where, lane); break;
      case 2: touch<unsigned>(memory, bytes, how, where, lane); break;
      default: touch<unsigned long long>(memory, bytes, how, where, lane); break;
    }
    if (step % 3 == 2) __syncwarp();
    if (mix(seed ^ step) % 4 == 0) __syncthreads();
  }
}

KERNEL mixture_in_shared_memory(unsigned* data) { mixture<true>(data, 1, 4096); }
KERNEL mixture_in_little_memory(unsigned* data) { mixture<false>(data, 2, 16384); }
KERNEL mixture_in_much_memory(unsigned* data) { mixture<false>(data, 3, 262144); }
KERNEL another_mixture(unsigned* data) { mixture<false>(data, 4, 65536); }
