// SPDX-License-Identifier: MIT
// Exercises divergent branches, loops, switches, early exits and short-circuit conditions.
extern "C" __global__ void sw(const int* a, int* o) {
  int i = threadIdx.x;
  int r = 0;
  switch (a[i]) {
    case 0:
      r = i * 3;
      break;
    case 1:
      r = i ^ 7;
      break;
    case 2:
      r = i - 5;
      o[9] = 1;
      break;
    case 3:
      r = i << 2;
      break;
    case 4:
      r = i / 3;
      break;
    case 5:
      o[2] = i;
      r = 7;
      break;
    case 6:
      o[3] = 9;
      break;
    case 7:
      r = __popc(i);
      break;
    case 8:
      o[1] = r;
      r = 8;
      break;
    case 9:
      r = i * i;
      break;
    default:
      r = -1;
  }
  o[i + 16] = r;
}
extern "C" __global__ void vm(const unsigned char* code, int* regs, int n) {
  int pc = 0, acc = threadIdx.x;
  while (pc < n) {
    switch (code[pc++]) {
      case 0:
        acc += regs[code[pc++]];
        break;
      case 1:
        acc -= regs[code[pc++]];
        break;
      case 2:
        regs[code[pc++]] = acc;
        break;
      case 3:
        acc *= 3;
        break;
      case 4:
        if (acc & 1) pc += 2;
        break;
      case 5:
        acc = acc * acc + 1;
        break;
      case 6:
        acc ^= acc >> 3;
        break;
      case 7:
        acc = __shfl_sync(__activemask(), acc, 0);
        break;
      case 8:
        return;
      default:
        acc = 0;
    }
  }
  regs[threadIdx.x] = acc;
}
extern "C" __global__ void mandel(int* o, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float cx = 3.f * x / w - 2, cy = 2.f * y / h - 1, zx = 0, zy = 0;
  int k = 0;
  while (zx * zx + zy * zy < 4 && k < 256) {
    float t = zx * zx - zy * zy + cx;
    zy = 2 * zx * zy + cy;
    zx = t;
    k++;
  }
  o[y * w + x] = k;
}
extern "C" __global__ void diverge(int* o) {
  int t = threadIdx.x, v = 0;
  if (t & 1) {
    for (int i = 0; i < t; i++) v += i * o[i];
  } else {
    if (t & 2)
      v = o[t] * 2;
    else
      v = o[t] - 1;
  }
  if (t % 7 == 0) goto end;
  v += 5;
end:
  o[t] = v;
}
__device__ int fib(int n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
extern "C" __global__ void recurse(int* o) {
  o[threadIdx.x] = fib(threadIdx.x & 7);
}
