// SPDX-License-Identifier: MIT
// GEMM, softmax, layer normalisation and row sums against the reference.
#pragma once

#include <algorithm>

#include "comparison.cuh"
#include "reference.cuh"

namespace truth {

template <typename T>
void fill(const DeviceArray& array, uint64_t seed) {
  const auto count = static_cast<int64_t>(array.bytes() / sizeof(T));
  fill_normal<<<static_cast<unsigned>((count + 255) / 256), 256>>>(static_cast<T*>(array.data()), count, seed);
}

inline std::vector<double> doubles(const DeviceArray& array) {
  check(cudaDeviceSynchronize(), "reference");
  const std::vector<uint8_t> bytes = array.read();
  std::vector<double> values(bytes.size() / 8);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

template <typename T>
void gemm_truth(const std::vector<KernelLibrary>& libraries, Type type, Tally& tally) {
  for (const int M : {1, 63, 65, 129, 1100})
    for (const int N : {8, 64, 72, 136})
      for (const int K : {8, 64, 72, 520}) {
        DeviceArray a(sizeof(T) * M * K), b(sizeof(T) * K * N), c(sizeof(T) * M * N), reference(size_t{8} * M * N);
        fill<T>(a, 1), fill<T>(b, 2);
        gemm_reference<<<(M * N + 255) / 256, 256>>>(static_cast<T*>(a.data()), static_cast<T*>(b.data()),
                                                     static_cast<double*>(reference.data()), M, N, K);
        const std::vector<double> expected = doubles(reference);
        for (const KernelLibrary& library : libraries) {
          if (library.family != "gemm") continue;
          const int rows = library["BLOCK_M"], columns = library["BLOCK_N"];
          Launch launch;
          launch.grid = (M + rows - 1) / rows * ((N + columns - 1) / columns);
          launch.block = 32 * library["WARPS_M"] * library["WARPS_N"];
          launch.shared_bytes = 2 * library["STAGES"] * library["BLOCK_K"] * (rows + columns);
          launch.kernel = library.kernel(std::string("gemm_") + name(type), launch.shared_bytes);
          if (launch.kernel == nullptr) {
            ++tally.skipped;
            continue;
          }
          c.poison();
          launch(nullptr, a.data(), b.data(), c.data(), M, N, K);
          const std::string what = "gemm " + library.text + " " + name(type) + " " + std::to_string(M) + "," +
                                   std::to_string(N) + "," + std::to_string(K);
          tally.compare(what, c, type, expected, type == Type::f16 ? 2e-3 : 1e-2);
        }
      }
}

// As the kernels' kernel.toml: a warp for each short row, else as many threads as hold the row in registers.
inline Launch row_launch(const KernelLibrary& library, const std::string& entry, int rows, int columns, size_t bytes) {
  const int block = library["BLOCK"];
  if (library.family == "reduction") return {library.kernel(entry, 0), unsigned(rows), unsigned(block), 0};
  const int warps = block / 32;
  if (columns <= 1024) return {library.kernel(entry, 0), unsigned((rows + warps - 1) / warps), unsigned(block), 0};
  const int packs = columns * bytes % 16 == 0 ? int(columns * bytes / 16) : 0;  // rows that are not aligned have BLOCK
  const int held = block * library["HELD"];
  const int threads = packs <= held ? block : packs <= 2 * held ? 2 * block : 4 * block;
  return {library.kernel(entry, 0), unsigned(rows), unsigned(threads), 0};
}

template <typename T>
void row_truth(const std::vector<KernelLibrary>& libraries, Type type, Tally& tally) {
  for (const int rows : {1, 3, 200})
    for (const int columns : {1, 7, 8, 33, 128, 129, 1000, 4097, 8192, 20000}) {
      const size_t count = size_t(rows) * columns;
      DeviceArray x(sizeof(T) * count), weight(sizeof(T) * columns), bias(sizeof(T) * columns), y(sizeof(T) * count);
      DeviceArray sums(sizeof(float) * rows), wide(8 * count), wide_sums(size_t{8} * rows);
      fill<T>(x, 3), fill<T>(weight, 4), fill<T>(bias, 5);
      const auto* px = static_cast<T*>(x.data());
      auto* pw = static_cast<double*>(wide.data());
      const int blocks = (rows + 255) / 256;
      softmax_reference<<<blocks, 256>>>(px, pw, rows, columns);
      const std::vector<double> softmax = doubles(wide);
      layernorm_reference<<<blocks, 256>>>(px, static_cast<T*>(weight.data()), static_cast<T*>(bias.data()), pw, rows,
                                           columns, 1e-5);
      const std::vector<double> layernorm = doubles(wide);
      std::vector<double> sum;
      if constexpr (sizeof(T) == 4) {
        row_sum_reference<<<blocks, 256>>>(px, static_cast<double*>(wide_sums.data()), rows, columns);
        sum = doubles(wide_sums);
      }
      for (const KernelLibrary& library : libraries) {
        const bool is_sum = library.family == "reduction";
        if (library.family != "softmax" && library.family != "layernorm" && !(is_sum && !sum.empty())) continue;
        const std::string entry = is_sum ? "row_sum_f32" : library.family + "_" + name(type);
        const Launch launch = row_launch(library, entry, rows, columns, sizeof(T));
        const std::string what = library.family + " " + library.text + " " + name(type) + " " + std::to_string(rows) +
                                 "," + std::to_string(columns);
        const double tolerance = type == Type::f16 ? 2e-3 : type == Type::bf16 ? 1e-2 : 1e-5;
        if (is_sum) {
          sums.poison();
          launch(nullptr, x.data(), sums.data(), columns);
          tally.compare(what, sums, Type::f32, sum, 1e-4);
        } else if (library.family == "softmax") {
          y.poison();
          launch(nullptr, x.data(), y.data(), rows, columns);
          tally.compare(what, y, type, softmax, tolerance);
        } else {
          y.poison();
          launch(nullptr, x.data(), weight.data(), bias.data(), y.data(), rows, columns, 1e-5f);
          tally.compare(what, y, type, layernorm, tolerance);
        }
      }
    }
}

}  // namespace truth
