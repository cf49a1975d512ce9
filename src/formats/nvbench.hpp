// SPDX-License-Identifier: MIT
// NVBench's JSON, version 1: states of benchmarks with summaries. Values of 64 bits are strings there; seconds. With
// --jsonbin samples and clocks lie in files of little-endian float32 beside it.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "formats/foreign.hpp"
#include "formats/text_file.hpp"

namespace assay::formats {

// The first file that is one, with the binary files that it names, as far as they are among `files`.
Result<Imported> read_nvbench(const TextFiles& files);

// `folder` is where the samples go, relative to the file.
Written write_nvbench(const std::vector<ForeignResult>& results, const std::string& folder);

}  // namespace assay::formats
