// SPDX-License-Identifier: MIT
// What people say about an attempt or a kernel: why it was tried, what was decided, why a line of work ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay::ledger {

struct Note {
  enum class Kind { hypothesis, decision, retired, remark };

  int64_t id = 0;       // given by the ledger
  int64_t time_us = 0;  // 0: now
  std::optional<int64_t> attempt{};
  std::string kernel{};  // that of the attempt, if there is one
  Kind kind = Kind::remark;
  std::string text{};

  bool operator==(const Note&) const = default;
};

std::string_view to_string(Note::Kind kind);
std::optional<Note::Kind> note_kind_from_name(std::string_view name);

}  // namespace assay::ledger
