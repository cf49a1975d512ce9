// SPDX-License-Identifier: MIT
#include "profiling/figure.hpp"

#include <fmt/format.h>

#include "gpu/dim3.hpp"

namespace assay::profiling {
namespace {

using gpu::Counters;
using enum gpu::Counter;
using Judgement = Figure::Judgement;

double percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

Judgement judge(bool good) {
  return good ? Judgement::good : Judgement::bad;
}

Figure per_request(const char* name, uint64_t sectors, uint64_t requests) {
  Figure figure{.name = name, .value = std::nullopt, .unit = "", .want = "", .note = ""};
  if (requests == 0) {
    figure.note = "no such accesses";
  } else {
    figure.value = static_cast<double>(sectors) / static_cast<double>(requests);
    figure.note = fmt::format("{} sectors, {} requests", sectors, requests);
  }
  return figure;
}

Figure coalescing(const Counters& counters) {
  const uint64_t sectors =
      counters[global_load_sectors] + counters[global_store_sectors] + counters[async_copy_sectors];
  Figure figure{.name = "coalescing",
                .value = std::nullopt,
                .unit = "%",
                .want = fmt::format(">= {} %", kWantedCoalescing),
                .note = "no accesses to global memory"};
  if (sectors == 0) return figure;
  figure.value = coalescing_percent(counters);
  figure.judgement = judge(*figure.value >= kWantedCoalescing);
  figure.note = fmt::format("{} sectors moved", sectors);
  return figure;
}

Figure conflicts(const Counters& counters) {
  const uint64_t wavefronts = counters[shared_load_wavefronts] + counters[shared_store_wavefronts] +
                              counters[shared_atomic_wavefronts] + counters[shared_copy_wavefronts];
  const uint64_t found = bank_conflicts(counters);
  Figure figure{.name = "bank conflicts",
                .value = std::nullopt,
                .unit = "%",
                .want = fmt::format("<= {} % of the wavefronts", kToleratedConflicts),
                .note = "no accesses to shared memory"};
  if (wavefronts == 0) return figure;
  figure.value = percent(found, wavefronts);
  figure.judgement = judge(*figure.value <= kToleratedConflicts);
  figure.note = fmt::format("{} of {} wavefronts", found, wavefronts);
  return figure;
}

Figure tensor_use(const Counters& counters, double flops) {
  const uint64_t operations = counters[tensor_multiply_adds];
  Figure figure{.name = "tensor-core use", .value = std::nullopt, .unit = "", .want = "", .note = ""};
  if (operations == 0) {
    figure.value = 0;
    figure.note = "no matrix instructions";
    return figure;
  }
  figure.value = static_cast<double>(operations);
  figure.unit = "multiply-adds";
  figure.note = fmt::format("{} matrix instructions", counters[tensor_instructions]);
  if (flops > 0)
    figure.note += fmt::format("; {:.1f} % of the operations that the specification states",
                               200 * static_cast<double>(operations) / flops);
  return figure;
}

Figure divergence(const Counters& counters) {
  Figure figure{.name = "divergent branches", .value = std::nullopt, .unit = "%", .want = "", .note = "no branches"};
  if (counters[branches] == 0) return figure;
  figure.value = percent(counters[divergent_branches], counters[branches]);
  figure.note = fmt::format("{} of {}; of PTX branches", counters[divergent_branches], counters[branches]);
  return figure;
}

Figure active_threads(const Counters& counters) {
  Figure figure{.name = "threads that work", .value = std::nullopt, .unit = "%", .want = "", .note = ""};
  const uint64_t lanes = counters[ptx_instructions] * static_cast<uint64_t>(gpu::kWarpThreads);
  if (lanes == 0) return figure;
  figure.value = percent(counters[ptx_thread_instructions] - counters[ptx_thread_instructions_off], lanes);
  figure.note = "of the lanes of each PTX instruction";
  return figure;
}

Figure occupancy(const KernelResources& resources) {
  Figure figure{.name = "occupancy, theoretical",
                .value = std::nullopt,
                .unit = "%",
                .want = fmt::format(">= {} %", kWantedOccupancy),
                .evidence = Evidence::estimated,
                .note = "the number of registers is not known: it comes from the compiler"};
  if (!resources.occupancy || !resources.occupancy->percent) {
    if (resources.occupancy && !resources.occupancy->reason.empty()) figure.note = resources.occupancy->reason;
    return figure;
  }
  figure.value = resources.occupancy->percent;
  figure.judgement = judge(*figure.value >= kWantedOccupancy);
  figure.note = fmt::format("{} blocks on an SM", resources.occupancy->blocks_per_sm.value_or(0));
  std::string limits;
  for (const gpu::Limiter limiter : resources.occupancy->limiters) {
    limits += limits.empty() ? ", limited by " : " and ";
    limits += to_string(limiter);
  }
  figure.note += limits;
  return figure;
}

Figure spills(const KernelResources& resources) {
  Figure figure{.name = "spills",
                .value = std::nullopt,
                .unit = "bytes",
                .want = "0",
                .note = "not known: they come from the compiler"};
  if (!resources.usage || !resources.usage->spill_store_bytes || !resources.usage->spill_load_bytes) return figure;
  figure.value = static_cast<double>(*resources.usage->spill_store_bytes + *resources.usage->spill_load_bytes);
  figure.judgement = judge(*figure.value == 0);
  figure.note = fmt::format("per thread, from the compiler: {} stored, {} loaded", *resources.usage->spill_store_bytes,
                            *resources.usage->spill_load_bytes);
  return figure;
}

}  // namespace

std::string_view to_string(Figure::Judgement judgement) {
  switch (judgement) {
    case Judgement::good:
      return "good";
    case Judgement::bad:
      return "bad";
    case Judgement::none:
      break;
  }
  return "";
}

std::vector<Figure> figures(const Counters& counters, const KernelResources& resources) {
  return {coalescing(counters),
          per_request("sectors per load request", counters[global_load_sectors], counters[global_load_requests]),
          per_request("sectors per store request", counters[global_store_sectors], counters[global_store_requests]),
          conflicts(counters),
          tensor_use(counters, resources.flops),
          divergence(counters),
          active_threads(counters),
          occupancy(resources),
          spills(resources)};
}

}  // namespace assay::profiling
