// SPDX-License-Identifier: MIT
// What an exported package says of its kernel: kernel.json and __init__.py.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "spec/configuration.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::work {

// The operator's signature.
struct TorchSignature {
  std::string function;               // a name that Python takes
  std::vector<std::string> given;     // tensors, in order
  std::vector<std::string> written;   // of those, the ones that the kernel writes
  std::vector<std::string> returned;  // tensors
  struct Setting {
    std::string name;
    spec::Value::Kind kind = spec::Value::Kind::integer;
    std::optional<spec::Value> standard{};
  };
  std::vector<Setting> settings;  // dimensions that no tensor tells

  std::string text() const;  // "softmax(x, *, causal=False)"
};

// An error if a call of it cannot be written in Python, as one that is given no tensor.
Result<TorchSignature> torch_signature(const spec::KernelSpec& spec);

// Without modules, entries and example.
nlohmann::json kernel_description(const spec::KernelSpec& spec, const spec::Configuration& configuration);
std::string package_text(const spec::KernelSpec& spec, const TorchSignature& signature, const std::string& package);

nlohmann::json to_json_value(const spec::Value& value);

}  // namespace assay::work
