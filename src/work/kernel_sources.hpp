// SPDX-License-Identifier: MIT
// The files that a kernel is made of, to be kept with its attempts: the specification, the source with what it includes
// from the project, and the reference.
#pragma once

#include <string>
#include <vector>

#include "ledger/source_file.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::work {

// Paths are relative to the kernel's folder. Files that cannot be read, or are larger than a megabyte, are left out.
std::vector<ledger::SourceFile> kernel_sources(const spec::KernelSpec& spec);

// Of all files that a verdict on the kernel depends on: these, whole, and the modules beside what is written in Python.
// Work that was interrupted goes on only if it is the same.
std::string sources_hash(const spec::KernelSpec& spec);

}  // namespace assay::work
