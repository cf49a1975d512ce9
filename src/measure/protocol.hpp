// SPDX-License-Identifier: MIT
// How a call is timed. Two figures may be compared only if they were measured by the same protocol; docs/providers.md
// says what each one does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "judge/replication.hpp"

namespace assay::measure {

enum class Launch {
  graph,  // a CUDA graph that holds one call between two events
  event,  // one call between two events, enqueued behind a spinning kernel
};

enum class Cache {
  warm,      // calls cycle through the input sets, nothing is flushed
  cold,      // the L2 cache is overwritten before each call
  rotating,  // as warm, with so many inputs that their turn comes when nothing of them is in the cache any more
};

std::string_view name(Launch launch);
std::string_view name(Cache cache);
std::optional<Launch> launch_from_name(std::string_view text);
std::optional<Cache> cache_from_name(std::string_view text);

// A spinning kernel that samples are enqueued behind, so that the time to enqueue them is not in them. It ends by
// itself, since a call may wait for the device. A provider looks whether it had ended before all was enqueued: then it
// takes the samples again behind one that spins longer.
struct Gate {
  uint64_t cycles = 250'000;           // for each call behind it, at first: about 0.13 ms
  uint64_t growth = 4;                 // as long as this many before, at the next try
  uint64_t most_cycles = 400'000'000;  // about a fifth of a second; behind this one samples are kept as they are
  size_t calls = 1;                    // samples behind one gate; a graph stands alone
};

inline constexpr size_t kMostCallsBehindGate = 256;  // the queue of a stream is finite

struct Protocol {
  Launch launch = Launch::graph;
  Cache cache = Cache::warm;
  size_t sets = 4;                 // input sets that calls cycle through
  size_t calls = 20;               // back to back in one replay, for the throughput figure
  size_t throughput_replays = 40;  // of that graph
  uint64_t delay_cycles = 0;       // a known slowdown inside the timed region, for calibration
  Gate gate;
  size_t warm_up_calls = 2;  // of each set, when a case is prepared
  size_t placement = 0;      // pieces of unused memory before the arguments, which so lie elsewhere
};

inline constexpr size_t kMostSets = 64;

// The gate of this way to launch: the queue of a stream is finite, and a flush needs the host's hand before each call.
Gate gate_for(const Protocol& protocol);

// How many sets a case needs, whose arguments take `case_bytes` each: those of the protocol or, rotating, more than
// twice the cache holds. An error where even the most would fit into it.
Result<size_t> sets_for(const Protocol& protocol, uint64_t case_bytes, uint64_t l2_bytes);
// As many sets as rotate through more than the cache holds; so little data that it never leaves the cache is warm, as
// the kernel is used.
Protocol rotating_or_warm(Protocol protocol, uint64_t case_bytes, uint64_t l2_bytes);

// Where arguments lie in memory makes the same kernel faster or slower by half a per cent; each process gets new
// places.
inline constexpr size_t kPlacements = 64;
inline constexpr uint64_t kPlacementBytes = uint64_t{2} << 20;

// How much is sampled. The floor does not depend on how long the candidate takes: a slow warm-up buys nothing.
struct Sampling {
  judge::Replication plan;
  double budget_s = 20;  // of one shape, all contenders together, starting them included

  size_t samples_per_process() const { return plan.batch * plan.batches; }
};

// At least and at most so many samples of each contender, as far as whole processes allow.
Sampling sampling_for(size_t least, size_t most, double width, double budget_s);

}  // namespace assay::measure
