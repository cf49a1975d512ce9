// SPDX-License-Identifier: MIT
// The attention ladder: every configuration against the reference over shapes around tile edges; times of the
// tensor-core kernel at the shapes that sdpa_peer.py measures too.
#pragma once

#include <cmath>
#include <memory>

#include "comparison.cuh"
#include "reference.cuh"
#include "timing.cuh"

namespace truth {

struct AttentionShape {
  int B, H, S, D;
  bool causal;
  Type type = Type::f16;

  int64_t elements() const { return int64_t{B} * H * S * D; }
  std::string text() const {
    char line[96];
    std::snprintf(line, sizeof line, "%d,%d,%d,%d %s %s", B, H, S, D, causal ? "causal" : "full", name(type));
    return line;
  }
};

struct AttentionInputs {
  DeviceArray q, k, v, o;

  AttentionInputs(const AttentionShape& shape, uint64_t seed)
      : q(shape.elements() * bytes_of(shape.type)), k(q.bytes()), v(q.bytes()), o(q.bytes()) {
    DeviceArray* inputs[] = {&q, &k, &v};
    const auto blocks = static_cast<unsigned>((shape.elements() + 255) / 256);
    for (int i = 0; i < 3; ++i) {
      void* data = inputs[i]->data();
      const uint64_t own = seed * 3 + i;
      if (shape.type == Type::f16) fill_normal<<<blocks, 256>>>(static_cast<__half*>(data), shape.elements(), own);
      if (shape.type == Type::bf16)
        fill_normal<<<blocks, 256>>>(static_cast<__nv_bfloat16*>(data), shape.elements(), own);
      if (shape.type == Type::f32) fill_normal<<<blocks, 256>>>(static_cast<float*>(data), shape.elements(), own);
    }
  }
};

template <typename T>
std::vector<double> attention_expected(const AttentionShape& shape, const AttentionInputs& in) {
  DeviceArray o(shape.elements() * 8);
  const int probability_bytes = (shape.S + 1) / 2 * 16;  // ptxas reads them in twos
  attention_reference<<<shape.B * shape.H * shape.S, 128, probability_bytes>>>(
      static_cast<T*>(in.q.data()), static_cast<T*>(in.k.data()), static_cast<T*>(in.v.data()),
      static_cast<double*>(o.data()), shape.S, shape.D, 1.0 / std::sqrt(double(shape.D)), shape.causal);
  check(cudaDeviceSynchronize(), "attention_reference");
  const std::vector<uint8_t> bytes = o.read();
  std::vector<double> expected(shape.elements());
  std::memcpy(expected.data(), bytes.data(), bytes.size());
  return expected;
}

inline bool attention_supports(const KernelLibrary& library, Type type) {
  return type != Type::f32 || library.family != "attention_tensor_core";
}

// As the kernel.toml of each kernel says it.
inline Launch attention_launch(const KernelLibrary& library, const AttentionShape& s) {
  Launch launch;
  const auto tiles = [&](int rows) { return unsigned((s.S + rows - 1) / rows * s.B * s.H); };
  if (library.family == "attention_naive") {
    launch.grid = (s.B * s.H * s.S + library["BLOCK"] - 1) / library["BLOCK"];
    launch.block = library["BLOCK"];
  } else if (library.family == "attention_shared_memory") {
    launch.grid = tiles(library["BLOCK_M"]);
    launch.block = 4 * library["BLOCK_M"];
    launch.shared_bytes = 2 * library["BLOCK_N"] * s.D * bytes_of(s.type);
  } else {
    launch.grid = tiles(library["BLOCK_M"]);
    launch.block = 32 * library["NUM_WARPS"];
    launch.shared_bytes = 2 * (library["BLOCK_M"] + 2 * library["STAGES"] * library["BLOCK_N"]) * s.D;
  }
  const std::string entry = std::string("attention_") + name(s.type) + "_d" + std::to_string(s.D);
  launch.kernel = library.kernel(entry, launch.shared_bytes);
  return launch;
}

inline void attention_call(const Launch& launch, cudaStream_t stream, const AttentionShape& s,
                           const AttentionInputs& in) {
  launch(stream, in.q.data(), in.k.data(), in.v.data(), in.o.data(), s.B, s.H, s.S, 1.0f / std::sqrt(float(s.D)),
         int(s.causal));
}

inline void attention_truth(const std::vector<KernelLibrary>& libraries, Tally& tally) {
  std::vector<AttentionShape> shapes;
  for (const int S : {1, 4, 63, 64, 65, 127, 128, 129, 193, 512, 1000, 2049})
    for (const int D : {64, 128})
      for (const bool causal : {false, true})
        for (const Type type : {Type::f16, Type::bf16, Type::f32})
          shapes.push_back({S > 600 ? 1 : 2, 3, S, D, causal, type});
  for (const AttentionShape& shape : shapes) {
    AttentionInputs in(shape, shape.S);
    const std::vector<double> expected = shape.type == Type::f16    ? attention_expected<__half>(shape, in)
                                         : shape.type == Type::bf16 ? attention_expected<__nv_bfloat16>(shape, in)
                                                                    : attention_expected<float>(shape, in);
    const double tolerance = shape.type == Type::f16 ? 2e-3 : shape.type == Type::bf16 ? 1e-2 : 1e-5;
    for (const KernelLibrary& library : libraries) {
      if (library.family.rfind("attention_", 0) != 0 || !attention_supports(library, shape.type)) continue;
      const Launch launch = attention_launch(library, shape);
      if (launch.kernel == nullptr) {
        ++tally.skipped;
        continue;
      }
      in.o.poison();
      attention_call(launch, nullptr, shape, in);
      tally.compare(library.family + " " + library.text + " " + shape.text(), in.o, shape.type, expected, tolerance);
    }
  }
}

// One line per shape and configuration; the best of each shape again at its end.
inline void attention_times(const std::vector<KernelLibrary>& libraries) {
  const int sizes[][4] = {{1, 8, 512, 64},   {4, 8, 512, 64},   {4, 16, 512, 64},  {8, 16, 512, 64},
                          {4, 8, 128, 64},   {4, 8, 2048, 64},  {4, 16, 512, 128}, {4, 16, 2048, 128},
                          {4, 32, 4096, 64}, {4, 16, 4096, 128}};
  std::printf("\n%-24s %-48s %10s %9s\n", "B,H,S,D", "configuration", "p50 us", "TFLOP/s");
  for (const auto& size : sizes) {
    for (const bool causal : {false, true}) {
      const AttentionShape shape{size[0], size[1], size[2], size[3], causal};
      const double flops = 4.0 * shape.elements() * shape.S * (causal ? 0.5 : 1.0);
      std::vector<std::unique_ptr<AttentionInputs>> sets;
      for (int i = 0; i < kInputSets; ++i) sets.push_back(std::make_unique<AttentionInputs>(shape, i));
      const KernelLibrary* best = nullptr;
      double best_time = INFINITY;
      for (const KernelLibrary& library : libraries) {
        if (library.family != "attention_tensor_core") continue;
        const Launch launch = attention_launch(library, shape);
        if (launch.kernel == nullptr) continue;
        const double time = median_microseconds(
            [&](cudaStream_t stream, int set) { attention_call(launch, stream, shape, *sets[set]); },
            protocol_for(flops));
        std::printf("%-24s %-48s %10.2f %9.1f\n", shape.text().c_str(), library.text.c_str(), time,
                    flops / time * 1e-6);
        if (time < best_time) best = &library, best_time = time;
      }
      if (best)
        std::printf("%-24s BEST %-43s %10.2f %9.1f\n", shape.text().c_str(), best->text.c_str(), best_time,
                    flops / best_time * 1e-6);
    }
  }
}

}  // namespace truth
