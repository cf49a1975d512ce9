// SPDX-License-Identifier: MIT
#include "measure/guard.hpp"

#include <algorithm>
#include <array>

namespace assay::measure {
namespace {

constexpr std::array kTable = {
    GuardInfo{GuardKind::poison, "poison", "an untimed result is wrong or not written",
              "fills outputs with the given byte before every call",
              "runs every set with two poisons, compares with float64; expected values exist only afterwards, in the "
              "parent. Beyond 3e10 operations: a random sample of rows with float64 (attention, gemm, row_reduction), "
              "all elements with another contender, and nothing may be left unwritten"},
    GuardInfo{GuardKind::fingerprint, "fingerprint", "a timed call did not leave the result that was verified",
              "`assay_fingerprint` on the timed stream right behind the stop event",
              "compares every one with the fingerprint of the verified bytes; order of sets and poison are random"},
    GuardInfo{GuardKind::inputs_changed, "inputs_changed", "a call wrote an input", "`read` gives inputs as they lie",
              "compares bit by bit after the untimed and after the timed calls"},
    GuardInfo{GuardKind::fresh_inputs, "fresh_inputs",
              "inputs seen for the first time give an old result, or take much longer", "`write` keeps addresses",
              "writes new contents, times the first call on them and on known ones that were written too, verifies it; "
              "one that takes much longer must do so in three more processes, each with new contents"},
    GuardInfo{GuardKind::recheck, "recheck", "what the timed calls left is wrong", "outputs stay",
              "reads them after the last sample"},
    GuardInfo{GuardKind::streams, "streams", "work runs on a stream that is not timed",
              "`stream` is 0 for the timed one, other numbers for others",
              "refuses any kernel on another stream, also if it is the only one"},
    GuardInfo{GuardKind::host_clock, "host_clock", "times and the parent's clock disagree",
              "enqueues replays of `throughput` without a pause; times come from the driver, with functions bound "
              "before user code is loaded",
              "samples cannot take longer than the request; a second `throughput` of many replays (the first builds "
              "the graph) may not take more than 1.5 times what it claims, plus 20 ms"},
    GuardInfo{GuardKind::threads, "threads", "threads remain after a call",
              "counts them before user code is loaded, and again directly after a call",
              "more than before is a failure of a candidate"},
    GuardInfo{GuardKind::kernels_list, "kernels_list", "a library's kernel ran, or none", "names from the profiler",
              "names of libraries are refused for a candidate"},
    GuardInfo{GuardKind::graph_nodes, "graph_nodes", "a captured call holds other work than a plain one",
              "counts the nodes that the call added to the timed graph",
              "must equal the number of listed kernels, copies and fills; 0 is a failure, `null` is unknown"},
    GuardInfo{GuardKind::roofline, "roofline", "a time is below what bytes or operations take at the peak",
              "clock of each request", "rejects"},
    GuardInfo{
        GuardKind::sensitivity, "sensitivity",
        "other contents of an input change nothing although the reference says they must", "`write`",
        "each input in turn; where the specification's fill is constant (zeros, ones), random values take its place"},
    GuardInfo{GuardKind::accuracy, "accuracy", "the error as a whole is many times that of a correctly rounded result",
              "", "2-norm against float64, whatever the tolerance allows"},
    GuardInfo{GuardKind::persisting_l2, "persisting_l2", "cache was set aside for lines that survive a flush",
              "takes it away at the start and before each cold sample, reports what it found",
              "more than 0 is a failure of a candidate"},
    GuardInfo{
        GuardKind::gate, "gate", "samples stood behind a gate that had opened: the time to enqueue is in them",
        "looks at the gate after it has enqueued, takes samples again behind a longer one, says how many it could not",
        "no verdict on the candidate, since a call may wait for the device; said in the report"},
    GuardInfo{GuardKind::sample_floor, "sample_floor", "", "",
              "at least 100 samples, whatever the candidate's first calls took"},
    GuardInfo{GuardKind::answer_id, "answer_id", "an answer has another id than the request",
              "private descriptors, ids repeated", "ids cannot be guessed; the provider is removed"},
    GuardInfo{GuardKind::not_positive, "not_positive", "a time is zero, negative or no number", "",
              "the provider is removed"},
    GuardInfo{GuardKind::contract, "contract", "the function returns something or replaces an output",
              "compares addresses, shapes and types after each call; its refusal is the error of the request",
              "the provider is removed"},
    GuardInfo{GuardKind::sanitizer, "sanitizer", "shared memory is read that nobody wrote, or memory out of bounds", "",
              "`assay sanitize`"},
    GuardInfo{GuardKind::shapes, "shapes", "right for the timed shape only", "",
              "`assay check`: all shapes of the specification, and shapes of its own"},
    GuardInfo{GuardKind::fits, "fits", "registers or shared memory are over a GPU's limit", "",
              "`assay build`, before anything runs"},
};

constexpr bool in_the_order_of_the_enumeration() {
  for (size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<size_t>(kTable[i].kind) != i) return false;
  }
  return true;
}
static_assert(in_the_order_of_the_enumeration());

}  // namespace

std::span<const GuardInfo> guard_table() {
  return kTable;
}

std::string_view name(GuardKind kind) {
  return kTable[static_cast<size_t>(kind)].name;
}

std::optional<GuardKind> guard_from_name(std::string_view text) {
  for (const GuardInfo& row : kTable) {
    if (row.name == text) return row.kind;
  }
  return std::nullopt;
}

std::string_view name(GuardState state) {
  switch (state) {
    case GuardState::passed:
      return "passed";
    case GuardState::failed:
      return "failed";
    case GuardState::unavailable:
      break;
  }
  return "unavailable";
}

void Guards::pass(GuardKind kind, std::string detail) {
  enter({kind, GuardState::passed, std::move(detail)});
}

void Guards::fail(GuardKind kind, std::string detail) {
  enter({kind, GuardState::failed, std::move(detail)});
}

void Guards::unavailable(GuardKind kind, std::string why) {
  enter({kind, GuardState::unavailable, std::move(why)});
}

void Guards::forget(GuardKind kind) {
  std::erase_if(guards_, [&](const Guard& each) { return each.kind == kind; });
}

void Guards::enter(Guard guard) {
  const auto found =
      std::find_if(guards_.begin(), guards_.end(), [&](const Guard& each) { return each.kind == guard.kind; });
  if (found == guards_.end()) {
    guards_.push_back(std::move(guard));
  } else if (found->state != GuardState::failed && guard.state != GuardState::unavailable) {
    *found = std::move(guard);
  }
}

const Guard* Guards::first_failure() const {
  for (const Guard& guard : guards_) {
    if (guard.state == GuardState::failed) return &guard;
  }
  return nullptr;
}

}  // namespace assay::measure
