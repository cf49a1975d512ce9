// SPDX-License-Identifier: MIT
// What a figure depends on besides the kernel: protocol, device, clocks, versions, hashes, seed. Figures of different
// contracts are not compared.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace assay::measure {

class Contract {
 public:
  // "device.driver", "protocol.cache", ...; a later value replaces an earlier one.
  void set(const std::string& field, std::string value) { fields_[field] = std::move(value); }
  const std::map<std::string, std::string>& fields() const { return fields_; }
  std::string value(const std::string& field) const;  // "" if it has none
  std::string hash() const;                           // of the fields that bind, 32 hexadecimal digits

  // A comparison is about the kernel, so the kernel's own fields (candidate.*) and the seeds may differ, and so may
  // which GPU of the same model it was (machine.*); everything else binds.
  static bool binds(const std::string& field);

  bool operator==(const Contract&) const = default;

 private:
  std::map<std::string, std::string> fields_;
};

// One line for each binding field in which they differ: "device.driver: 580.1 against 570.2". Empty: comparable.
std::vector<std::string> differences(const Contract& one, const Contract& other);

}  // namespace assay::measure
