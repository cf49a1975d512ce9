// SPDX-License-Identifier: MIT
// The version, as the file VERSION at the root of the repository says it (cmake/Version.cmake).
#pragma once

namespace assay {

extern const char* const kVersion;  // "1.2.3"

}  // namespace assay
