// SPDX-License-Identifier: MIT
#include "reference/custom_reference.hpp"

#include "reference/exchange.hpp"

namespace assay::reference {

Result<CustomReference> CustomReference::compile(const std::filesystem::path& source,
                                                 const CustomReferenceOptions& options, ProgramRole role) {
  ASSAY_TRY(UserProgram program, UserProgram::open(source, role, options));
  return CustomReference(std::move(program));
}

Result<Outputs> CustomReference::evaluate(const Problem& problem) const {
  const auto encoded = encode_request(problem);
  if (!encoded) return program_.located(encoded.error());
  ASSAY_TRY(const std::string answer, program_.run(*encoded));
  auto outputs = decode_response(answer, problem, noun(program_.role()));
  if (!outputs) return program_.located(outputs.error());
  return std::move(outputs).value();
}

Result<std::optional<std::string>> CustomReference::judge(const Problem& problem) const {
  const auto encoded = encode_request(problem);
  if (!encoded) return program_.located(encoded.error());
  ASSAY_TRY(const std::string answer, program_.run(*encoded));
  if (std::optional<std::string> refusal = decode_refusal(answer)) return refusal;
  const auto empty = decode_response(answer, problem, noun(program_.role()));
  if (!empty) return program_.located(empty.error());
  return std::optional<std::string>();
}

}  // namespace assay::reference
