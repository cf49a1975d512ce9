// SPDX-License-Identifier: MIT
// Keeps the artifact cache from growing for ever.
#pragma once

#include <chrono>
#include <filesystem>

namespace assay::build {

// Removes drafts that no living process can be working on, and entries that nobody has used for a long time.
// Entries are looked through once a day.
void tidy_cache(const std::filesystem::path& folder, std::filesystem::file_time_type now);

// Marks an entry as used.
void touch_entry(const std::filesystem::path& entry);

inline constexpr std::chrono::hours kDraftLife{1};
inline constexpr std::chrono::hours kEntryLife{24 * 30};

}  // namespace assay::build
