// SPDX-License-Identifier: MIT
// Guards: what is looked at so that a measurement cannot fool anybody, and what was seen. One table says of each what
// it means and who does what; docs/red_team.md shows it, and a test compares the two.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::measure {

enum class GuardKind {
  poison,
  fingerprint,
  inputs_changed,
  fresh_inputs,
  recheck,
  streams,
  host_clock,
  threads,
  kernels_list,
  graph_nodes,
  roofline,
  sensitivity,
  accuracy,
  persisting_l2,
  gate,
  sample_floor,
  answer_id,
  not_positive,
  contract,
  sanitizer,
  shapes,
  fits,
};

struct GuardInfo {
  GuardKind kind;
  std::string_view name;
  std::string_view fails_when;  // "": it only bounds what can happen
  std::string_view provider;    // what the process that is timed must do for it; "": nothing
  std::string_view parent;      // what the program decides
};

std::span<const GuardInfo> guard_table();
std::string_view name(GuardKind kind);
std::optional<GuardKind> guard_from_name(std::string_view text);

enum class GuardState { passed, failed, unavailable };

std::string_view name(GuardState state);

struct Guard {
  GuardKind kind = GuardKind::poison;
  GuardState state = GuardState::passed;
  std::string detail;  // what was seen; for one that is unavailable, why
};

// One entry for each kind: a failure stays, however often the guard passes later.
class Guards {
 public:
  void pass(GuardKind kind, std::string detail = "");
  void fail(GuardKind kind, std::string detail);
  void unavailable(GuardKind kind, std::string why);
  void forget(GuardKind kind);  // what was entered, to enter something else

  const std::vector<Guard>& all() const { return guards_; }
  const Guard* first_failure() const;

 private:
  void enter(Guard guard);

  std::vector<Guard> guards_;
};

}  // namespace assay::measure
