// SPDX-License-Identifier: MIT
// Exercises texture and surface objects.
#include <cuda_runtime.h>
extern "C" __global__ void tex(cudaTextureObject_t t1, cudaTextureObject_t t2, cudaTextureObject_t t3,
                               cudaSurfaceObject_t s, float4* o, float u, float v) {
  int i = threadIdx.x;
  float4 a = tex1Dfetch<float4>(t1, i);
  float4 b = tex2D<float4>(t2, u, v);
  float4 c = tex3D<float4>(t3, u, v, u);
  float4 d = tex2DLod<float4>(t2, u, v, 1.f);
  float4 e = tex2DLayered<float4>(t2, u, v, 2);
  float4 f = tex2Dgather<float4>(t2, u, v, 1);
  o[i] = make_float4(a.x + b.x, c.y + d.y, e.z + f.z, a.w);
  float4 q;
  surf2Dread(&q, s, i * 16, 3);
  surf2Dwrite(q, s, i * 16, 4, cudaBoundaryModeClamp);
  o[i + 1] = q;
  o[i + 2].x = tex2D<float>(t2, u, v);
  o[i + 3].x = tex1D<int>(t1, u);
}
