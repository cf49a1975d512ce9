// SPDX-License-Identifier: MIT
#include "base/hash.hpp"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace assay {

struct Hasher::State {
  XXH3_state_t xxh;
};

Hasher::Hasher() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(&state_->xxh);
}
Hasher::~Hasher() = default;

Hasher& Hasher::add(std::string_view part) {
  const uint64_t size = part.size();
  XXH3_128bits_update(&state_->xxh, &size, sizeof size);
  XXH3_128bits_update(&state_->xxh, part.data(), part.size());
  return *this;
}

std::string Hasher::hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->xxh);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string content_hash(std::string_view content) {
  return Hasher().add(content).hex();
}

std::string content_hash(std::span<const uint8_t> content) {
  return content_hash(std::string_view(reinterpret_cast<const char*>(content.data()), content.size()));
}

}  // namespace assay
