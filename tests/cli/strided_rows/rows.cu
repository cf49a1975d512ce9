// The sum of each row by one warp, in more ways than make sense: rows.ptx is this, compiled for sm_80, so that the
// tests need no compiler. Every tunable is an argument or a part of the launch.
//   nvcc -ptx -arch=compute_80 rows.cu
extern "C" __global__ void rows(const float* x, float* y, int rows, int columns, int items, int chunked, int passes) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  const int chunk = columns / 32;
  for (int item = 0; item < items; ++item) {
    const int row = warp * items + item;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int pass = 0; pass < passes; ++pass) {
      sum = 0.0f;
      for (int i = 0; i < chunk; ++i) {
        const int column = chunked ? lane * chunk + i : i * 32 + lane;
        sum += *static_cast<const volatile float*>(&x[row * columns + column]);
      }
    }
    for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffff, sum, lanes);
    if (lane == 0) y[row] = sum;
  }
}
