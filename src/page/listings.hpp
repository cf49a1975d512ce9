// SPDX-License-Identifier: MIT
// The source files that counters and findings name, and the PTX between them, ready to be listed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "page/content.hpp"
#include "page/element.hpp"

namespace assay::page {

struct ListedFile {
  Listing listing;
  std::map<int, CounterValues> counters;  // by line
};

struct Listings {
  std::vector<ListedFile> files;      // the costliest first
  std::vector<std::string> counters;  // that some line has, the most telling first
  std::vector<std::string> not_here;  // files that are named and cannot be read
  Assembly assembly;                  // of the entry that was counted; empty: its PTX is not here
  size_t assembly_lines = 0;
  std::string entry;
  int64_t attempt = 0;  // the profile; 0: none

  // The anchor of a line; empty: it is not listed.
  std::string anchor(const std::string& file, int line) const;
};

Listings make_listings(const Content& content);

}  // namespace assay::page
