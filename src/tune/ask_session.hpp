// SPDX-License-Identifier: MIT
// Ask and tell: one JSON object a line. A line with a space begins; then every answer to a question gets the next
// question, and in the end the answer. docs/cli/tune.md describes the lines.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::tune {

inline constexpr size_t kMaxAskLine = size_t{512} << 20;

class AskSession {
 public:
  AskSession();
  ~AskSession();
  AskSession(const AskSession&) = delete;
  AskSession& operator=(const AskSession&) = delete;

  // The lines to print for one line that was read. An error ends the session: nothing that follows can be understood.
  Result<std::vector<std::string>> hear(std::string_view line);
  bool waiting() const;  // a space is open and a question is not answered yet

 private:
  struct Search;
  std::unique_ptr<Search> search_;
  size_t line_ = 0;
};

}  // namespace assay::tune
