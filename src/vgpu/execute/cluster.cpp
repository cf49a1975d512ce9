// SPDX-License-Identifier: MIT
// Clusters: addresses in the shared memory of other blocks, the barrier of the cluster, stores that tell an mbarrier.
#include "vgpu/machine/cluster.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>

#include "vgpu/execute/families.hpp"
#include "vgpu/execute/lanes.hpp"
#include "vgpu/execute/mbarrier_misuse.hpp"
#include "vgpu/execute/memory_access.hpp"
#include "vgpu/machine/bulk_reduction.hpp"

namespace assay::vgpu {
namespace {

Result<void> check_model(const BindContext& context) {
  return need_hopper(context, "clusters of blocks");
}

// --- addresses. Generic ones lie in the window of shared memory, with the rank in the same place.

template <class T>
void map_address(Warp& warp, const Instruction& instruction) {
  const T* a = warp.row<T>(instruction.rows[1]);
  const uint32_t* rank = warp.row<uint32_t>(instruction.rows[2]);
  T* d = warp.row<T>(instruction.rows[0]);
  for_each_lane(warp.mask, [&](int lane) {
    const auto plain = static_cast<T>(a[lane] & ~static_cast<T>(uint64_t{0xff} << kRankAt));
    d[lane] = static_cast<T>(plain | static_cast<T>((rank[lane] + 1) & 0xff) << kRankAt);
  });
}

template <class T>
void get_rank(Warp& warp, const Instruction& instruction) {
  const T* a = warp.row<T>(instruction.rows[1]);
  auto* d = warp.row<uint32_t>(instruction.rows[0]);
  for_each_lane(warp.mask, [&](int lane) {
    const auto tag = static_cast<uint32_t>(a[lane] >> kRankAt & 0xff);
    d[lane] = tag == 0 ? warp.block().rank() : tag - 1;
  });
}

Result<Handler> bind_map_address(BindContext& context) {
  ASSAY_CHECK(check_model(context));
  return context.type() == ptx::Type::u64 ? &map_address<uint64_t> : &map_address<uint32_t>;
}

Result<Handler> bind_get_rank(BindContext& context) {
  ASSAY_CHECK(check_model(context));
  return context.type() == ptx::Type::u64 ? &get_rank<uint64_t> : &get_rank<uint32_t>;
}

// --- the barrier

void arrive(Warp& warp, const Instruction&) {
  Cluster& cluster = warp.block().cluster();
  warp.block().tell([&](BlockObserver& observer) { observer.cluster_arrived(warp, warp.mask); });
  for_each_lane(warp.mask, [&](int lane) { warp.cluster_phase[static_cast<size_t>(lane)] = cluster.generation(); });
  cluster.arrive(static_cast<uint32_t>(std::popcount(warp.mask)));
}

void wait(Warp& warp, const Instruction&) {
  bool complete = true;
  for_each_lane(warp.mask, [&](int lane) {
    complete &= warp.cluster_phase[static_cast<size_t>(lane)] < warp.block().cluster().generation();
  });
  if (!complete) {
    warp.wait_at_cluster_barrier();
    return;
  }
  warp.block().tell([&](BlockObserver& observer) { observer.cluster_awaited(warp, warp.mask); });
}

Result<Handler> bind_arrive(BindContext& context) {
  ASSAY_CHECK(check_model(context));
  return &arrive;
}

Result<Handler> bind_wait(BindContext& context) {
  ASSAY_CHECK(check_model(context));
  return &wait;
}

// --- st.async and red.async. Operands: [a], {b}, [m]. `immediate` holds the offsets of both addresses, `variant` the
// bytes of an element, `detail` which addresses have 64 bits, and what a reduction does.

constexpr uint32_t kWideTarget = 1;
constexpr uint32_t kWideMbarrier = 2;
constexpr int kReductionAt = 8;
constexpr int kReducedTypeAt = 16;

Combine combine_in(uint32_t detail) {
  return combine_of(static_cast<Reduction>(detail >> kReductionAt & 0xff),
                    static_cast<ReducedType>(detail >> kReducedTypeAt & 0xff));
}

template <bool Reduces>
void store(Warp& warp, const Instruction& instruction) {
  const uint32_t elements = instruction.row_count - 2u;
  const uint32_t element_bytes = instruction.variant;
  const uint32_t bytes = elements * element_bytes;
  std::array<uint64_t, kLanes> addresses;
  read_addresses(warp, instruction.rows[0], (instruction.detail & kWideTarget) != 0,
                 static_cast<int32_t>(instruction.immediate), addresses);
  const Combine combine = Reduces ? combine_in(instruction.detail) : nullptr;
  const LanePointers to =
      resolve(warp, instruction, Space::shared, Reduces ? AccessKind::atomic : AccessKind::store, bytes, addresses);
  if (warp.block().stopped()) return;
  read_addresses(warp, instruction.rows[1 + elements], (instruction.detail & kWideMbarrier) != 0,
                 instruction.immediate >> 32, addresses);
  const LanePointers barrier =
      resolve(warp, instruction, Space::shared, AccessKind::mbarrier, Mbarrier::kBytes, addresses);
  if (warp.block().stopped()) return;
  for_each_lane(to.lanes & barrier.lanes, [&](int lane) {
    if (warp.block().stopped()) return;
    const auto at = static_cast<size_t>(lane);
    for (uint32_t i = 0; i < elements; ++i) {
      const std::byte* const value =
          warp.row<std::byte>(instruction.rows[1 + i]) + static_cast<size_t>(lane) * element_bytes;
      if constexpr (Reduces) {
        combine(to.at[at] + i * element_bytes, value, element_bytes);
      } else {
        std::memcpy(to.at[at] + i * element_bytes, value, element_bytes);
      }
    }
    Block& owner = *warp.block().cluster().owner(barrier.at[at]);
    const auto address = static_cast<uint32_t>(barrier.at[at] - owner.shared());
    if (owner.mbarrier(address)) {
      owner.tell([&](BlockObserver& observer) { observer.mbarrier_arrived(address, warp, lane); });
      owner.complete_bytes(address, bytes);
    } else {
      no_mbarrier(warp, lane, address);
    }
  });
}

Result<Handler> bind_store(BindContext& context) {
  ASSAY_CHECK(check_model(context));
  const int wanted = context.has("v4") ? 4 : context.has("v2") ? 2 : 1;
  if (context.group_sizes[1] != wanted) return context.error("the vector and its modifier differ in length");
  const BoundOperand& target = context.operands.front();
  const BoundOperand& mbarrier = context.operands.back();
  context.instruction->variant = static_cast<uint8_t>(ptx::bytes_of(context.type()));
  context.instruction->detail = (target.bits == 64 ? kWideTarget : 0u) | (mbarrier.bits == 64 ? kWideMbarrier : 0u);
  context.instruction->immediate = static_cast<int64_t>(static_cast<uint32_t>(target.offset) |
                                                        uint64_t{static_cast<uint32_t>(mbarrier.offset)} << 32);
  return &store<false>;
}

Result<Handler> bind_reduce(BindContext& context) {
  ASSAY_CHECK(bind_store(context));
  const Reduction reduction =
      reduction_named(context.modifiers->one_of({"add", "min", "max", "inc", "dec", "and", "or", "xor"}));
  const ReducedType type = reduced_type(ptx::info(context.type()).name);
  if (combine_of(reduction, type) == nullptr) return context.error("there is no such reduction of this type");
  context.instruction->detail |= static_cast<uint32_t>(reduction) << kReductionAt | static_cast<uint32_t>(type)
                                                                                        << kReducedTypeAt;
  return &store<true>;
}

constexpr std::array kBindings = {
    Binding{"mapa", bind_map_address},
    Binding{"getctarank", bind_get_rank},
    Binding{"barrier.cluster.arrive", bind_arrive},
    Binding{"barrier.cluster.wait", bind_wait},
    Binding{"st.async", bind_store},
    Binding{"red.async", bind_reduce},
};

}  // namespace

std::span<const Binding> cluster_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
