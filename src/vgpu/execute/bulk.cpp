// SPDX-License-Identifier: MIT
// cp.async.bulk without tensor maps, and the groups of all bulk stores. Addresses are looked at when the copy is
// issued; the data moves later: see machine/bulk_copy.hpp.
#include <array>
#include <fmt/format.h>

#include "vgpu/execute/bulk_call.hpp"
#include "vgpu/execute/families.hpp"

namespace assay::vgpu {
namespace {

using namespace bulk;

// The chunks of both sides that exist. `space` is where the other side lies.
BulkCopy plain_copy(const Call& call, uint64_t shared, Space space, uint64_t other, uint32_t bytes, bool load) {
  BulkCopy copy;
  copy.bytes = bytes;
  if (!call.fits(bytes) || !call.aligned("the address in shared memory", shared, kChunk) ||
      !call.aligned(fmt::format("the address in {} memory", to_string(space)), other, kChunk) ||
      !call.aligned("the size", bytes, kChunk))
    return copy;
  for (uint32_t done = 0; done < bytes && !call.stopped(); done += kChunk) {
    std::byte* near = call.at(Space::shared, near_side(load), shared + done, kChunk);
    std::byte* far = call.stopped() ? nullptr : call.at(space, far_side(load), other + done, kChunk);
    if (near != nullptr && far != nullptr) copy.add(load ? near : far, load ? far : near, kChunk);
  }
  return copy;
}

// Operands: [d], [a], n, [b]{, blocks}
void load_from(const Call& call, Space from) {
  const uint32_t bytes = call.warp.row<uint32_t>(call.instruction.rows[2])[call.lane];
  BulkCopy copy = plain_copy(call, call.shared(0), from, call.other(1), bytes, true);
  if (!call.stopped()) issue_load(call, 3, std::move(copy));
}
void load(const Call& call) {
  load_from(call, Space::global);
}
void load_shared(const Call& call) {
  load_from(call, Space::shared);
}

template <Reduction Operation, ReducedType Type>
void reduce_shared(const Call& call) {
  const uint32_t bytes = call.warp.row<uint32_t>(call.instruction.rows[2])[call.lane];
  BulkCopy copy = plain_copy(call, call.shared(0), Space::shared, call.other(1), bytes, true);
  copy.combine = combine_of(Operation, Type);
  if (!call.stopped()) issue_load(call, 3, std::move(copy));
}

// Operands: [d], [a], n
void store(const Call& call) {
  const uint32_t bytes = call.warp.row<uint32_t>(call.instruction.rows[2])[call.lane];
  BulkCopy copy = plain_copy(call, call.shared(1), Space::global, call.other(0), bytes, false);
  if (const auto reduction = call.reduction()) copy.combine = combine_of(reduction->operation, reduction->type);
  if (!call.stopped()) call.warp.bulk_stores.issue(call.lane, std::move(copy));
}

// --- groups

void tell_group(const Warp& warp, const Instruction& instruction) {
  warp.block().tell([&](BlockObserver& observer) { observer.grouped(warp, instruction); });
}

void commit(Warp& warp, const Instruction& instruction) {
  tell_group(warp, instruction);
  warp.bulk_stores.commit(warp.mask);
}

void wait_group(Warp& warp, const Instruction& instruction) {
  tell_group(warp, instruction);
  warp.bulk_stores.wait(warp.mask, instruction.detail);
}

void nothing(Warp&, const Instruction&) {}

// --- binders

Result<Handler> bind_load(BindContext& context) {
  ASSAY_CHECK(check_model(context));
  if (context.operands[1].bits != 64) return context.error("the source address needs 64 bits");
  encode(*context.instruction, context.operands[0], context.operands[3], context.operands[1], 0);
  if (context.has("multicast::cluster")) context.instruction->variant |= kMulticast;
  return &for_each_call<load>;
}
Result<Handler> bind_load_shared(BindContext& context) {
  ASSAY_CHECK(check_model(context));
  encode(*context.instruction, context.operands[0], context.operands[3], context.operands[1], 0);
  return &for_each_call<load_shared>;
}
Result<Handler> bind_store(BindContext& context) {
  ASSAY_CHECK(check_model(context));
  if (context.operands[0].bits != 64) return context.error("the target address needs 64 bits");
  encode(*context.instruction, context.operands[1], {}, context.operands[0], 0);
  return &for_each_call<store>;
}

// Blocks may add to the same places: they are interleaved.
Result<Handler> bind_reduce(BindContext& context) {
  ASSAY_TRY(const Handler handler, bind_store(context));
  const StoreReduction reduction{reduction_of(context), reduced_type(ptx::info(context.type()).name)};
  if (combine_of(reduction.operation, reduction.type) == nullptr)
    return context.error("there is no such reduction of this type");
  encode(*context.instruction, reduction);
  context.function->communicates = true;
  return handler;
}
template <Reduction Operation>
Handler shared_reduction(ReducedType type) {
  if (type == ReducedType::s32) return &for_each_call<reduce_shared<Operation, ReducedType::s32>>;
  if (type == ReducedType::u64) return &for_each_call<reduce_shared<Operation, ReducedType::u64>>;
  return &for_each_call<reduce_shared<Operation, ReducedType::u32>>;
}
Result<Handler> bind_reduce_shared(BindContext& context) {
  ASSAY_CHECK(bind_load_shared(context));
  const Reduction operation = reduction_of(context);
  const ReducedType type = reduced_type(ptx::info(context.type()).name);
  using enum Reduction;
  switch (operation) {
    case add:
      return shared_reduction<add>(type);
    case min:
      return shared_reduction<min>(type);
    case max:
      return shared_reduction<max>(type);
    case inc:
      return shared_reduction<inc>(type);
    case dec:
      return shared_reduction<dec>(type);
    case bit_and:
      return shared_reduction<bit_and>(type);
    case bit_or:
      return shared_reduction<bit_or>(type);
    case bit_xor:
      return shared_reduction<bit_xor>(type);
  }
  return context.error("there is no such reduction");
}

Result<Handler> bind_commit(BindContext& context) {
  ASSAY_CHECK(check_model(context));
  return &commit;
}
Result<Handler> bind_wait_group(BindContext& context) {
  ASSAY_CHECK(check_model(context));
  if (!context.operands[0].is_immediate) return context.error("cp.async.bulk.wait_group needs a constant");
  context.instruction->detail = static_cast<uint32_t>(context.operands[0].value);
  return &wait_group;
}
Result<Handler> bind_nothing(BindContext& context) {
  ASSAY_CHECK(check_model(context));
  return &nothing;
}

constexpr std::array kBindings = {
    Binding{"cp.async.bulk.load", bind_load},
    Binding{"cp.async.bulk.load.multicast", bind_load},
    Binding{"cp.async.bulk.shared", bind_load_shared},
    Binding{"cp.async.bulk.store", bind_store},
    Binding{"cp.reduce.async.bulk", bind_reduce},
    Binding{"cp.reduce.async.bulk.shared.add", bind_reduce_shared},
    Binding{"cp.reduce.async.bulk.shared.minmax", bind_reduce_shared},
    Binding{"cp.reduce.async.bulk.shared.wrap", bind_reduce_shared},
    Binding{"cp.reduce.async.bulk.shared.logic", bind_reduce_shared},
    Binding{"cp.async.bulk.commit_group", bind_commit},
    Binding{"cp.async.bulk.wait_group", bind_wait_group},
    Binding{"cp.async.bulk.prefetch", bind_nothing},
    Binding{"prefetch.tensormap", bind_nothing},
};

}  // namespace

std::span<const Binding> bulk_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
