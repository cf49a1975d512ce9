// SPDX-License-Identifier: MIT
// Any bytes as the answer of a proposer, as a diff and as PTX: an error or a candidate, never more. Whatever files a
// candidate has lie in the kernel's folder and are none that it is judged by.
#include <cstddef>
#include <cstdint>
#include <string>

#include "evolve/candidate.hpp"
#include "evolve/ptx_facts.hpp"
#include "require.hpp"

using namespace assay;
using fuzz::require;

namespace {

const evolve::FileRules kRules{{"k.cu"}, {"k.cu", "kernel.toml", "reference.py"}, {}};

void check(const evolve::Answer& answer) {
  evolve::Candidate parent;
  parent.files["k.cu"] = "one\ntwo\nthree\n";
  const auto candidate = evolve::apply_answer(parent, answer, kRules);
  if (!candidate) return;
  for (const auto& [path, content] : candidate->files) {
    require(!path.empty() && path.front() != '/' && path.find("..") != 0);
    require(path != "kernel.toml" && path != "reference.py");
  }
  const evolve::OriginalSpecification original{"[kernel]\nname = \"k\"\n", {"BLOCK"}, {"N"}, "BLOCK=64"};
  const auto text = evolve::specification_of(*candidate, original);
  if (text) require(text->starts_with(original.text) && text->find("[tolerance]") == std::string::npos);
  // A change that was made can be made again from its diff.
  const auto again = evolve::apply_diff(parent.files, evolve::make_diff(parent.files, candidate->files));
  if (again) require(!again->empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto answer = evolve::read_answer(text, 1)) check(*answer);
  evolve::Answer diff;
  diff.diff = text;
  check(diff);
  const std::string normal = evolve::normalised_ptx(text);
  require(normal == evolve::normalised_ptx(text));
  evolve::ptx_facts(text);
  return 0;
}
