// SPDX-License-Identifier: MIT
// Small string functions that the standard library lacks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

std::vector<std::string_view> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::string counted(uint64_t count, std::string_view noun);  // "1 case", "2 cases"
std::string replace_all(std::string text, std::string_view from, std::string_view to);
// The candidate nearest to `word` by edit distance, or "" if none is near: for "did you mean ...?".
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace assay
