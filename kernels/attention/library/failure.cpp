// SPDX-License-Identifier: MIT
#include "failure.hpp"

#include <cstdarg>
#include <cstdio>

namespace assay::attention::library {
namespace {

thread_local char text[512];

}  // namespace

int fail(int status, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return status;
}

const char* last_failure() {
  return text;
}

}  // namespace assay::attention::library
