// SPDX-License-Identifier: MIT
// Any bytes as an expression of Python: what is accepted comes to the same text again and again, and never to code.
#include <cstddef>
#include <cstdint>
#include <string>

#include "formats/python_expression.hpp"
#include "formats/python_module.hpp"
#include "require.hpp"

using namespace assay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto expression = formats::python_to_expression(text);
  fuzz::require(expression.ok() ? !expression->empty() : !expression.error().message.empty());
  if (expression.ok()) {
    fuzz::require(expression->find_first_of("\"'[]{};\n\\") == std::string::npos);
    fuzz::require(expression->size() < 200'000);
  }
  const formats::PythonModule module = formats::PythonModule::read(text);
  (void)module.returned("get_inputs").has_value();
  return 0;
}
