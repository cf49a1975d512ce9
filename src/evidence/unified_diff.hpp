// SPDX-License-Identifier: MIT
// Two texts as a unified diff, as diff -u and git write it: patch(1) takes it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/source_file.hpp"

namespace assay::evidence {

// Empty: they are the same. Texts of so many lines that the way between them cannot be searched are replaced whole.
std::string unified_diff(std::string_view before, std::string_view after, const std::string& name);

// Of all files, by path; one that is on one side alone is added or removed.
std::string unified_diff(const std::map<std::string, std::string>& before,
                         const std::map<std::string, std::string>& after);
std::string unified_diff(const std::vector<ledger::SourceFile>& before, const std::vector<ledger::SourceFile>& after);

}  // namespace assay::evidence
