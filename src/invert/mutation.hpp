// SPDX-License-Identifier: MIT
// A change to a kernel that is timed and never checked: an injection adds work, an ablation removes some. The catalogue
// has one row for each; docs/invert.md explains them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "gpu/dim3.hpp"
#include "gpu/gpu_model.hpp"
#include "gpu/instruction_count.hpp"
#include "gpu/launch_change.hpp"
#include "invert/kernel_text.hpp"

namespace assay::invert {

using gpu::LaunchChange;

enum class Kind { injection, ablation };
std::string_view to_string(Kind kind);

// What is known of the launch before anything is changed.
struct Facts {
  gpu::Dim3 grid;
  gpu::Dim3 block;
  uint32_t dynamic_shared_bytes = 0;
  std::optional<gpu::Dim3> cluster;
  const gpu::GpuModel* model = nullptr;
  int blocks_per_sm = 1;
  int64_t static_shared_bytes = 0;
  std::optional<int> registers;               // of a thread, by ptxas
  std::optional<int64_t> spill_bytes;         // by ptxas
  uint64_t largest_buffer = 0;                // bytes of the largest tensor
  uint64_t all_buffers = 0;                   // of all of them
  std::vector<gpu::InstructionCount> counts;  // of the prepared kernel, by line number of it (`origin`); may be empty
};

// A tunable instead of a mutation: the same kernel as another configuration.
struct OtherConfiguration {
  std::string tunable;  // a part of its name: "STAGE"
};

struct Mutant {
  KernelText text{};
  LaunchChange launch{};
  std::vector<SourcePlace> sites{};     // one for each place that was changed
  std::map<int, double> scaled{};       // origins that run so many times as often as in the prepared kernel
  bool foretold = true;                 // false: the counts of untouched lines may change as well
  bool for_each_warp = false;           // other warps are run: counts are compared for each of them
  bool needs_dead_code_gone = false;    // what nobody needs any more is part of the change, and was taken out
  std::optional<KernelText> control{};  // the same without its effect, if the prepared kernel is not that
  LaunchChange control_launch{};
};

// Why there is nothing to change in this kernel, or the mutant.
struct Outcome {
  std::optional<Mutant> mutant;
  std::string why_not;

  Outcome(Mutant made) : mutant(std::move(made)) {}            // NOLINT: reads as a result
  Outcome(std::string reason) : why_not(std::move(reason)) {}  // NOLINT
  Outcome(const char* reason) : why_not(reason) {}             // NOLINT
};

using Mutate = Outcome (*)(const KernelText& prepared, const Facts& facts, int dose);

struct Row {
  std::string_view name;  // "extra_fma"
  Kind kind = Kind::injection;
  int number = 0;             // in docs/invert.md, by kind
  std::string_view resource;  // what it says something about: "special functions"
  std::string_view how;
  std::string_view tells;  // an injection: what a high cost says; an ablation: what its gain is the most of
  std::string_view needs;
  std::span<const int> doses;
  Mutate mutate = nullptr;  // null: another configuration of the kernel
  OtherConfiguration configuration{};
  std::string_view not_estimated{};  // why counts cannot tell its time; empty: they can
};

std::span<const Row> catalogue();
const Row* find_row(std::string_view name);

// --- the prepared kernel

// Names that mutations use. At run time the unknown values are zero and the predicate is false; ptxas cannot know that.
inline constexpr const char* kUnknown = "%assay_u";      // .b32, 0
inline constexpr const char* kUnknownWide = "%assay_v";  // .b64, 0
inline constexpr const char* kNever = "%assay_never";    // .pred, false
inline constexpr int kDummies = 4;
std::string dummy(int number);  // .b32, rotating: "%assay_d2"

// The kernel with the registers that mutations need: the comparison is with this one.
Result<KernelText> prepare(std::string_view ptx, const std::string& file_name, const std::string& entry);

}  // namespace assay::invert
