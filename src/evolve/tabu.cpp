// SPDX-License-Identifier: MIT
#include "evolve/tabu.hpp"

namespace assay::evolve {

std::optional<size_t> Tabu::proposal_of(const std::string& hash) const {
  const auto found = kernels_.find(hash);
  return found == kernels_.end() ? std::nullopt : std::optional(found->second);
}

size_t Tabu::losses(const std::string& parent, const std::string& hypothesis) const {
  const auto found = losses_.find(key(parent, hypothesis));
  return found == losses_.end() ? 0 : found->second;
}

std::string Tabu::key(const std::string& parent, const std::string& hypothesis) {
  std::string words = parent + ":";
  for (const char c : hypothesis) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
    if (letter) {
      words += c;
    } else if (c >= 'A' && c <= 'Z') {
      words += static_cast<char>(c - 'A' + 'a');
    } else if (words.back() != ' ') {
      words += ' ';
    }
  }
  while (words.back() == ' ') words.pop_back();
  return words;
}

}  // namespace assay::evolve
