// SPDX-License-Identifier: MIT
// A task's module of Python, looked at and never run: constants at module level, and the list that a function returns.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/python_expression.hpp"

namespace assay::formats {

struct PythonStatement {
  int indent = 0;
  int line = 0;
  std::string text;  // without comments; a statement over several lines is one
};

// The statements of a module; what cannot be a statement (an open bracket, an open string) ends the list.
std::vector<PythonStatement> python_statements(std::string_view text);

class PythonModule {
 public:
  static PythonModule read(std::string_view text);

  bool defines(const std::string& name) const;  // a class or a function at module level
  // Integers and tuples of integers at module level, in order.
  const std::vector<std::pair<std::string, PythonNode>>& constants() const { return constants_; }
  // What `return [...]` of the function gives: its elements, with names that the function binds put in; and what
  // integers the names in it stand for. Empty: there is no such function, or it does something else as well.
  struct Returned {
    std::vector<std::pair<std::string, PythonNode>> elements;  // the name it was bound to, or ""
    std::map<std::string, PythonNode> integers;
  };
  std::optional<Returned> returned(const std::string& function) const;

 private:
  std::vector<PythonStatement> statements_;
  std::vector<std::pair<std::string, PythonNode>> constants_;
};

}  // namespace assay::formats
