// SPDX-License-Identifier: MIT
// Each row as bytes: scale = the largest magnitude / 127, y = x / scale, rounded. A warp for each row.
extern "C" __global__ void quantise_rows(const float* __restrict__ x, signed char* __restrict__ y,
                                         float* __restrict__ scale, int rows, int columns) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float4* from = reinterpret_cast<const float4*>(x + static_cast<long long>(row) * columns);
  char4* to = reinterpret_cast<char4*>(y + static_cast<long long>(row) * columns);
  float largest = 1e-20f;
  for (int i = lane; i < columns / 4; i += 32) {
    const float4 values = from[i];
    largest = fmaxf(largest, fmaxf(fmaxf(fabsf(values.x), fabsf(values.y)), fmaxf(fabsf(values.z), fabsf(values.w))));
  }
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, distance));
  const float inverse = 127.0f / largest;
  for (int i = lane; i < columns / 4; i += 32) {
    const float4 values = from[i];
    to[i] = make_char4(static_cast<signed char>(__float2int_rn(values.x * inverse)),
                       static_cast<signed char>(__float2int_rn(values.y * inverse)),
                       static_cast<signed char>(__float2int_rn(values.z * inverse)),
                       static_cast<signed char>(__float2int_rn(values.w * inverse)));
  }
  if (lane == 0) scale[row] = largest / 127.0f;
}
