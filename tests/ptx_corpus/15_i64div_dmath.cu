// SPDX-License-Identifier: MIT
// Exercises 64-bit and 128-bit integer division and the double-precision math library.
extern "C" __global__ void i64(const long long* a, long long* o, unsigned long long* u, __int128* w) {
  int i = threadIdx.x;
  long long x = a[i], y = a[i + 1];
  o[i] = x / y;
  o[i + 1] = x % y;
  u[i] = (unsigned long long)x / (unsigned long long)y;
  u[i + 1] = u[i] % 10ull;
  o[i + 2] = x * y;
  o[i + 3] = x << (y & 63);
  o[i + 4] = x >> (y & 63);
  o[i + 5] = x / 3;
  w[i] = (__int128)x * y + w[i + 1];
  w[i + 2] = w[i + 3] / 7;
  o[i + 9] = __mul64hi(x, y);
  o[i + 10] = min(x, y);
  o[i + 11] = x < y;
  int p = (int)x, q = (int)y;
  o[i + 12] = p / q;
  o[i + 13] = (unsigned)p % (unsigned)q;
}
extern "C" __global__ void dmath(const double* a, double* o) {
  int i = threadIdx.x;
  double x = a[i], y = a[i + 1];
  o[i] = exp(x);
  o[i + 1] = sin(x);
  o[i + 2] = cos(x);
  o[i + 3] = log(x);
  o[i + 4] = sqrt(x);
  o[i + 5] = x / y;
  o[i + 6] = rsqrt(x);
  o[i + 7] = pow(x, y);
  o[i + 8] = tanh(x);
  o[i + 9] = floor(x) + ceil(x) + trunc(x) + rint(x);
  o[i + 10] = fma(x, y, x);
  o[i + 11] = fabs(x);
  o[i + 12] = fmin(x, y);
  o[i + 13] = fmod(x, y);
  o[i + 14] = erf(x);
  o[i + 15] = atan2(x, y);
  o[i + 16] = __dadd_rz(x, y);
  o[i + 17] = __ddiv_ru(x, y);
  o[i + 18] = cbrt(x);
  o[i + 19] = 1.0 / x;
  o[i + 20] = isnan(x) ? 1 : 0;
  o[i + 21] = tgamma(x);
  o[i + 22] = j0(x);
  o[i + 23] = x > y ? x : y;
  o[i + 24] = remainder(x, y);
}
