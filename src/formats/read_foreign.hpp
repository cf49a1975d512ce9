// SPDX-License-Identifier: MIT
// Files of other benchmarks, whatever they are: known by what they hold, or by the name that the user gives.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "formats/foreign.hpp"
#include "formats/text_file.hpp"

namespace assay::formats {

const std::vector<std::string>& readable_formats();
const std::vector<std::string>& writable_formats();

// The format that these files are of; "": none that is known.
std::string detect_format(const TextFiles& files);

// `format` is one of readable_formats(), or "": what detect_format says.
Result<Imported> read_foreign(const TextFiles& files, const std::string& format);

// `format` is one of writable_formats(). `folder` is for files that belong beside the text, relative to it.
Result<Written> write_foreign(const std::vector<ForeignResult>& results, const std::string& format,
                              const std::string& folder);

}  // namespace assay::formats
