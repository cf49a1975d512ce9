// SPDX-License-Identifier: MIT
// Content hashes for caches and contracts (xxHash, 128 bits). Not for secrets.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace assay {

// Feed parts in order; each part is delimited, so that ("ab","c") and ("a","bc") differ.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  Hasher& add(std::string_view part);
  std::string hex() const;  // 32 digits

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string content_hash(std::string_view content);  // 32 hexadecimal digits
std::string content_hash(std::span<const uint8_t> content);

}  // namespace assay
