// SPDX-License-Identifier: MIT
// The functions of assay_attention.h.
#include <algorithm>
#include <iterator>

#include "append.hpp"
#include "assay_attention.h"
#include "call_check.hpp"
#include "devices.hpp"
#include "exchange_memory.hpp"
#include "failure.hpp"
#include "hopper_call.hpp"
#include "measured.hpp"
#include "serving_call.hpp"
#include "serving_launch.hpp"
#include "split_launch.hpp"
#include "warp_launch.hpp"

using namespace assay::attention::library;
namespace split_keys = assay::attention::split_keys;

namespace {

// In the numbering of FirstUse; Hopper variants come before.
constexpr int kFirstWarpKernel = 192;
constexpr int kFirstSplitKernel = 224;
constexpr int kClusterQuestion = 223;  // asked of the driver before the first of them
constexpr int kFirstServingKernel = 272;
constexpr int kAppendKernel = 271;

int launch_hopper(int variant, const hopper_attention_call& call, const DeviceFacts& device, void* stream) {
  FirstUse first_use(device.index, variant);
  const char* error = hopper_attention_launch(variant, &call, stream);
  if (error != nullptr) {
    return fail(ASSAY_ATTENTION_CUDA_FAILED, "%s: %s", hopper_attention_name(variant), error);
  }
  first_use.succeeded();
  return ASSAY_ATTENTION_OK;
}

int launch_warp(const assay_attention_call& call, const DeviceFacts& device, void* stream) {
  const WarpKernel* kernel = choose_warp_kernel(call, device.multiprocessors);
  FirstUse first_use(device.index,
                     kFirstWarpKernel + kernel->head_dim / 64 * 4 + kernel->query_rows / 128 * 2 + kernel->bf16);
  const int status = launch_warp_kernel(*kernel, call, static_cast<cudaStream_t>(stream));
  if (status == ASSAY_ATTENTION_OK) first_use.succeeded();
  return status;
}

// Numbers of FirstUse for kernels of ../split_keys.
int split_kernel_number(const SplitKernel* wanted) {
  int found = 0;
  for_each_split_kernel([&](const SplitKernel& kernel, int number) {
    if (&kernel == wanted) found = kFirstSplitKernel + number;
  });
  return found;
}

const split_keys::ClusterSlots& known_slots(const DeviceFacts& device) {
  FirstUse asking(device.index, kClusterQuestion);
  const split_keys::ClusterSlots& slots = cluster_slots(device);
  asking.succeeded();
  return slots;
}

bool same(const split_keys::Shape& one, const split_keys::Shape& other) {
  return one.batch == other.batch && one.key_heads == other.key_heads && one.group == other.group &&
         one.query_rows == other.query_rows && one.key_rows == other.key_rows && one.head_dim == other.head_dim;
}

// Remembered per thread: a model's calls have few shapes, and a plan takes longer than all else that is done for a
// call.
split_keys::Plan known_plan(const split_keys::Shape& shape, const DeviceFacts& device, bool exchanging) {
  struct Known {
    split_keys::Shape shape{};
    int device = -1;
    bool exchanging = false;
    split_keys::Plan plan{};
  };
  thread_local Known remembered[32];
  const unsigned mixed = static_cast<unsigned>(shape.batch) * 31 + static_cast<unsigned>(shape.key_rows) * 7 +
                         static_cast<unsigned>(shape.key_heads + shape.group + shape.query_rows + shape.head_dim);
  Known& known = remembered[mixed % std::size(remembered)];
  if (known.device != device.index || known.exchanging != exchanging || !same(known.shape, shape)) {
    known = {shape, device.index, exchanging, split_keys::plan(shape, known_slots(device), exchanging)};
  }
  return known.plan;
}

int launch_split(const assay_attention_call& call, split_keys::Plan plan, const DeviceFacts& device,
                 cudaStream_t stream) {
  ExchangeMemory memory{};
  if (plan.exchanges()) {
    memory = exchange_memory(device.index, stream);
    if (memory.arrivals == nullptr) plan = known_plan(split_shape(call), device, false);
  }
  const SplitKernel* kernel = find_split_kernel(call, plan);
  if (kernel == nullptr) return fail(ASSAY_ATTENTION_UNSUPPORTED, "no kernel for %d warps", plan.warps);
  FirstUse first_use(device.index, split_kernel_number(kernel));
  const int status = launch_split_kernel(*kernel, plan, memory, call, stream);
  if (status == ASSAY_ATTENTION_OK) first_use.succeeded();
  return status;
}

const ServingKernel* find_serving_kernel(const assay_attention_call& call, Family family, const split_keys::Plan& plan,
                                         const DeviceFacts& device) {
  if (family == Family::serving_split) return find_serving_split(call, plan);
  if (family == Family::serving_streaming) return choose_serving_streaming(call);
  return choose_serving_tiles(call, device.multiprocessors);
}

int launch_serving_call(const assay_attention_call& call, Family family, const DeviceFacts& device, void* stream) {
  split_keys::Plan plan{0, 0, 1, 1, 0};
  if (family == Family::serving_split) plan = known_plan(serving_shape(call), device, false);
  const ServingKernel* kernel = find_serving_kernel(call, family, plan, device);
  int number = 0;
  for_each_serving_kernel([&](const ServingKernel& each, int index) {
    if (&each == kernel) number = kFirstServingKernel + index;
  });
  FirstUse first_use(device.index, number);
  const int status =
      launch_serving(*kernel, plan.cluster, device.multiprocessors, call, static_cast<cudaStream_t>(stream));
  if (status == ASSAY_ATTENTION_OK) first_use.succeeded();
  return status;
}

int launch_long_queries(const assay_attention_call& call, Family family, const DeviceFacts& device, void* stream,
                        int (*choose)(const hopper_attention_call*) = hopper_attention_choose) {
  if (family == Family::hopper) {
    const hopper_attention_call hopper = hopper_call(call);
    const int variant = choose(&hopper);
    if (variant >= 0) return launch_hopper(variant, hopper, device, stream);
  }
  return launch_warp(call, device, stream);
}

// The kernels for up to 64 queries; 0 blocks of a cluster: as planned.
int launch_by_name(const assay_attention_call& call, int which, int cluster, const DeviceFacts& device, void* stream) {
  constexpr const char* kNames[] = {"split_streaming", "split_halves", "streaming_heads"};
  hopper_attention_call hopper = hopper_call(call);
  hopper.cluster = cluster;
  const int variant = which < 1 || which > 3 ? -1 : hopper_attention_find(kNames[which - 1], &hopper);
  if (variant < 0) return fail(ASSAY_ATTENTION_UNSUPPORTED, "the kernel does not compute this call");
  return launch_hopper(variant, hopper, device, stream);
}

// For the kernels that are called by name, in tests and benchmarks.
int check_plain_hopper_call(const assay_attention_call* call, assay_attention_call& known, DeviceFacts& device) {
  if (int status = check_call(call, true, known); status != ASSAY_ATTENTION_OK) return status;
  if (int status = current_device(device); status != ASSAY_ATTENTION_OK) return status;
  if (device.compute_capability != 90) return fail_no_kernels(device.compute_capability);
  if (is_serving(known)) {
    return fail(ASSAY_ATTENTION_UNSUPPORTED, "sequences, pages, windows and capped scores are no calls of this kernel");
  }
  return ASSAY_ATTENTION_OK;
}

}  // namespace

extern "C" {

int assay_attention_forward(const assay_attention_call* call, void* stream) {
  assay_attention_call known;
  DeviceFacts device{};
  if (int status = check_call(call, true, known); status != ASSAY_ATTENTION_OK) return status;
  if (int status = current_device(device); status != ASSAY_ATTENTION_OK) return status;
  const Family family = family_of(known, device.compute_capability, device.multiprocessors);
  if (family == Family::none) return fail_no_kernels(device.compute_capability);
  if (is_serving(known)) return launch_serving_call(known, family, device, stream);
  if (family == Family::split_keys) {
    return launch_split(known, known_plan(split_shape(known), device, true), device, static_cast<cudaStream_t>(stream));
  }
  return launch_long_queries(known, family, device, stream);
}

int assay_attention_testing_split_keys(const assay_attention_call* call, int slabs, int warps, int cluster, int sharers,
                                       int clusters, void* stream) {
  assay_attention_call known;
  DeviceFacts device{};
  if (int status = check_plain_hopper_call(call, known, device); status != ASSAY_ATTENTION_OK) return status;
  if (warps == 0 && slabs == 0)
    return launch_long_queries(known, family_of_long_queries(known, device.multiprocessors), device, stream);
  if (warps == 0) return launch_by_name(known, slabs, cluster, device, stream);
  const split_keys::Shape shape = split_shape(known);
  const split_keys::ClusterSlots& slots = known_slots(device);
  split_keys::Plan plan{slabs, warps, cluster, sharers, clusters};
  if (warps < 0) {
    plan = split_keys::plan(shape, slots, true);
  } else {
    if (cluster == 0) {
      const split_keys::Solo solo = sharers > 1 ? split_keys::Solo::shared : split_keys::Solo::apart;
      plan = {slabs, warps, 1, 1, device.multiprocessors, solo};
    }
    const int at_a_time = slots.of(warps, known.head_dim)[plan.cluster];
    if (sharers < 1) plan.sharers = std::max(1, static_cast<int>(at_a_time / split_keys::piece_count(shape, slabs)));
    if (clusters < 0) plan.clusters = at_a_time;
  }
  if (plan.exchanges() && !split_keys::can_exchange(shape, plan)) {
    return fail(ASSAY_ATTENTION_UNSUPPORTED, "so many clusters cannot share these keys");
  }
  return launch_split(known, plan, device, static_cast<cudaStream_t>(stream));
}

int assay_attention_testing_pairs(const assay_attention_call* call, int in_pairs, void* stream) {
  assay_attention_call known;
  DeviceFacts device{};
  if (int status = check_plain_hopper_call(call, known, device); status != ASSAY_ATTENTION_OK) return status;
  if (in_pairs == 0) {
    return launch_long_queries(known, family_of_long_queries(known, device.multiprocessors, false), device, stream,
                               hopper_attention_choose_long);
  }
  const hopper_attention_call hopper = hopper_call(known);
  const int variant = hopper_attention_find("pairs", &hopper);
  if (variant < 0) {
    return fail(ASSAY_ATTENTION_UNSUPPORTED,
                "supported are at most 128 queries, 128 keys and 128 columns, and strides other than 0");
  }
  return launch_hopper(variant, hopper, device, stream);
}

int assay_attention_testing_own_tiles(const assay_attention_call* call, int is_long, void* stream) {
  assay_attention_call known;
  DeviceFacts device{};
  if (int status = check_plain_hopper_call(call, known, device); status != ASSAY_ATTENTION_OK) return status;
  const hopper_attention_call hopper = hopper_call(known);
  const int variant = hopper_attention_find(is_long != 0 ? "own_tiles_long" : "own_tiles", &hopper);
  if (variant < 0) return fail(ASSAY_ATTENTION_UNSUPPORTED, "there is no such kernel for head_dim %d", known.head_dim);
  return launch_hopper(variant, hopper, device, stream);
}

int assay_attention_testing_serving_tiles(const assay_attention_call* call, void* stream) {
  assay_attention_call known;
  DeviceFacts device{};
  if (int status = check_call(call, true, known); status != ASSAY_ATTENTION_OK) return status;
  if (int status = current_device(device); status != ASSAY_ATTENTION_OK) return status;
  return launch_serving_call(known, Family::serving_tiles, device, stream);
}

int assay_attention_query(const assay_attention_call* call, int compute_capability, const char** kernel) {
  if (kernel == nullptr) return fail(ASSAY_ATTENTION_INVALID, "kernel is null: there is no place for the answer");
  *kernel = nullptr;
  assay_attention_call known;
  DeviceFacts device{0, compute_capability, compute_capability == 90 ? 132 : 108};
  if (int status = check_call(call, false, known); status != ASSAY_ATTENTION_OK) return status;
  if (compute_capability == 0) {
    if (int status = current_device(device); status != ASSAY_ATTENTION_OK) return status;
  }
  const Family family = family_of(known, device.compute_capability, device.multiprocessors);
  if (family == Family::none) return fail_no_kernels(device.compute_capability);
  if (family == Family::hopper) {
    const hopper_attention_call hopper = hopper_call(known);
    *kernel = hopper_attention_name(hopper_attention_choose(&hopper));
  }
  if (family == Family::split_keys) {
    const split_keys::ClusterSlots slots = split_keys::usual_slots(device.multiprocessors);
    *kernel = find_split_kernel(known, split_keys::plan(split_shape(known), slots, true))->name;
  }
  if (is_serving(known)) {
    const split_keys::ClusterSlots slots = split_keys::usual_slots(device.multiprocessors);
    *kernel = find_serving_kernel(known, family, split_keys::plan(serving_shape(known), slots, false), device)->name;
  }
  if (*kernel == nullptr) *kernel = choose_warp_kernel(known, device.multiprocessors)->name;
  return ASSAY_ATTENTION_OK;
}

int assay_attention_query_measured(const assay_attention_call* call, int compute_capability, const char* gpu,
                                   int* verdict) {
  if (verdict == nullptr) return fail(ASSAY_ATTENTION_INVALID, "verdict is null: there is no place for the answer");
  *verdict = ASSAY_ATTENTION_NOT_MEASURED;
  assay_attention_call known;
  if (int status = check_call(call, false, known); status != ASSAY_ATTENTION_OK) return status;
  DeviceFacts device{0, compute_capability, 0};
  char name[256];
  if (gpu == nullptr) {
    if (int status = current_device(device); status != ASSAY_ATTENTION_OK) return status;
    if (int status = device_name(device.index, name, sizeof name); status != ASSAY_ATTENTION_OK) return status;
    gpu = name;
  }
  // The tables are of calls without sequences, pages, windows and capped scores.
  if (!is_serving(known)) *verdict = measured_verdict(known, device.compute_capability, gpu);
  return ASSAY_ATTENTION_OK;
}

int assay_attention_append(const assay_attention_append_call* call, void* stream) {
  assay_attention_append_call known;
  DeviceFacts device{};
  if (int status = check_append(call, known); status != ASSAY_ATTENTION_OK) return status;
  if (int status = current_device(device); status != ASSAY_ATTENTION_OK) return status;
  if (device.compute_capability / 10 != 8 && device.compute_capability != 90) {
    return fail_no_kernels(device.compute_capability);
  }
  FirstUse first_use(device.index, kAppendKernel);
  const int status = launch_append(known, static_cast<cudaStream_t>(stream));
  if (status == ASSAY_ATTENTION_OK) first_use.succeeded();
  return status;
}

const char* assay_attention_last_error(void) {
  return last_failure();
}

const char* assay_attention_status_name(int status) {
  switch (status) {
    case ASSAY_ATTENTION_OK:
      return "ASSAY_ATTENTION_OK";
    case ASSAY_ATTENTION_INVALID:
      return "ASSAY_ATTENTION_INVALID";
    case ASSAY_ATTENTION_UNSUPPORTED:
      return "ASSAY_ATTENTION_UNSUPPORTED";
    case ASSAY_ATTENTION_NO_KERNEL:
      return "ASSAY_ATTENTION_NO_KERNEL";
    case ASSAY_ATTENTION_CUDA_FAILED:
      return "ASSAY_ATTENTION_CUDA_FAILED";
    default:
      return "unknown";
  }
}

int assay_attention_version(void) {
  return ASSAY_ATTENTION_VERSION;
}
}
