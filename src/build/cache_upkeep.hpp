// SPDX-License-Identifier: MIT
// Keeps the artifact cache from growing for ever.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace assay::build {

inline constexpr std::chrono::hours kDraftLife{1};
inline constexpr std::chrono::hours kEntryLife{24 * 30};
inline constexpr std::chrono::hours kKeptLife{24 * 365};  // what a baseline needs; it cannot always be compiled again
inline constexpr uintmax_t kMostKeptBytes = uintmax_t{1} << 30;

// The name of a draft: it tells who is making it.
std::string draft_name();

// Removes drafts that no living process is working on (of other machines and containers: that nobody can be working on
// after so long), entries and kept kernels (kept/, see
// work/kept_candidate.hpp) that nobody has used for a long time, and the longest unused kept ones where they take too
// much room. Entries and kept ones are looked through once a day.
void tidy_cache(const std::filesystem::path& folder, std::filesystem::file_time_type now,
                uintmax_t most_kept_bytes = kMostKeptBytes);

// Marks an entry, or a kept kernel, as used.
void touch_entry(const std::filesystem::path& entry);

}  // namespace assay::build
