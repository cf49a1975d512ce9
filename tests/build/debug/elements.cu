// SPDX-License-Identifier: MIT
// What pointers point to, by names of the user's own.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "truth.cuh"
using Weight = __nv_bfloat16;
typedef half Activation;
struct Particle {
  float x, y, z, mass;
};
struct Node {
  Node* next;
  int value;
};
struct Params {
  const Weight* weights;
  Activation* out;
  const Particle* particles;
  const volatile uint64_t* clock;
  Node* list;
  Activation scale;
  float4 bias;
};
CONST_POINTER(weights, bf16, 0, offsetof(Params, weights))
POINTER(out, f16, 8, offsetof(Params, out))
CONST_POINTER(particles, f32, 16, offsetof(Params, particles))
CONST_POINTER(clock, u64, 24, offsetof(Params, clock))
POINTER(list, none, 32, offsetof(Params, list))
VALUE(scale, f16, 40, offsetof(Params, scale))
VALUE(bias_x, f32, 48, offsetof(Params, bias))
VALUE(bias_y, f32, 52, offsetof(Params, bias.y))
VALUE(bias_z, f32, 56, offsetof(Params, bias.z))
VALUE(bias_w, f32, 60, offsetof(Params, bias.w))
extern "C" __global__ void kernel(Params p) {
  p.out[threadIdx.x] =
      p.scale * __float2half(__bfloat162float(p.weights[0]) + p.particles[0].x + p.list->value + p.bias.x);
}
