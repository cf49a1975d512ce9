// SPDX-License-Identifier: MIT
// The kernel.toml and the reference of a kernel that is described for the first time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "build/kernel_signature.hpp"

namespace assay::work {

struct NewText {
  std::string name;
  std::string source;  // file name in the kernel's folder
  std::vector<std::string> targets;
  std::vector<std::string> flags{};       // that the source needs
  bool python = false;                    // the reference's language
  std::string include_folder;             // where files lie that the source includes; empty: it includes none
  std::vector<int64_t> block{};           // as the source launches it; empty: it does not tell
  int64_t tried_threads = 0;              // with which a trial ran, where more did not; 0: there was none
  std::map<std::string, int64_t> growth;  // by pointer: so many times the guessed size, as a trial showed
};

std::string specification_text(const build::KernelSignature& signature, const NewText& text);
std::string reference_text(const build::KernelSignature& signature, const NewText& text);
std::string reference_name(const NewText& text);

}  // namespace assay::work
