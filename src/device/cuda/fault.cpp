// SPDX-License-Identifier: MIT
#include "device/cuda/fault.hpp"

#include <charconv>
#include <fmt/format.h>
#include <optional>

#include "base/text.hpp"

namespace assay::device::cuda {
namespace {

struct Meaning {
  gpu::FindingKind kind;
  const char* text;
};

Meaning meaning_of(CUresult code) {
  using gpu::FindingKind;
  switch (code) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
      return {FindingKind::illegal_address, "an access to memory that is not mapped"};
    case CUDA_ERROR_MISALIGNED_ADDRESS:
      return {FindingKind::misaligned, "an access to a misaligned address"};
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
      return {FindingKind::illegal_address, "an access to the wrong memory space"};
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
      return {FindingKind::illegal_address, "an error in the call stack: too deep, or overwritten"};
    case CUDA_ERROR_ASSERT:
      return {FindingKind::assertion, "an assertion failed"};
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
      return {FindingKind::illegal_instruction, "an illegal instruction"};
    case CUDA_ERROR_INVALID_PC:
      return {FindingKind::illegal_instruction, "a jump to an address that is no instruction"};
    case CUDA_ERROR_LAUNCH_TIMEOUT:
      return {FindingKind::instruction_limit, "it ran for longer than the driver allows on a GPU with a display"};
    default:
      return {FindingKind::trap, "an exception on the GPU: a trap, or an access outside shared or local memory"};
  }
}

// "[1,0,0]" behind `label`.
std::optional<gpu::Dim3> triple_after(std::string_view text, std::string_view label) {
  const size_t at = text.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(at + label.size());
  gpu::Dim3 triple;
  for (uint32_t* part : {&triple.x, &triple.y, &triple.z}) {
    if (rest.empty() || (rest.front() != '[' && rest.front() != ',')) return std::nullopt;
    rest.remove_prefix(1);
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), *part);
    if (error != std::errc()) return std::nullopt;
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
  }
  return triple;
}

}  // namespace

bool read_assertion(std::string_view errors, gpu::Finding& finding) {
  for (const std::string_view line : split(errors, '\n')) {
    const size_t block_at = line.find(": block: [");
    const size_t assertion_at = line.find("Assertion `");
    if (block_at == std::string_view::npos || assertion_at == std::string_view::npos || assertion_at < block_at)
      continue;
    if (const auto block = triple_after(line, "block: ")) finding.block = *block;
    if (const auto thread = triple_after(line, "thread: ")) finding.thread = *thread;
    finding.message = trim(line.substr(assertion_at));
    // file:line: function
    const std::string_view place = line.substr(0, block_at);
    for (size_t colon = place.find(':'); colon != std::string_view::npos; colon = place.find(':', colon + 1)) {
      gpu::SourceLine source;
      const std::string_view digits = place.substr(colon + 1);
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), source.line);
      if (error != std::errc() || end == digits.data() + digits.size() || *end != ':') continue;
      source.file = place.substr(0, colon);
      source.function = trim(digits.substr(static_cast<size_t>(end - digits.data()) + 1));
      finding.source = {std::move(source)};
      break;
    }
    return true;
  }
  return false;
}

gpu::Finding fault_finding(const Driver& driver, CUresult code, const std::string& kernel, std::string_view errors) {
  const Meaning meaning = meaning_of(code);
  gpu::Finding finding;
  finding.kind = meaning.kind;
  finding.kernel = kernel;
  if (code == CUDA_ERROR_ASSERT && read_assertion(errors, finding)) return finding;
  finding.message = fmt::format("{}: the GPU reports {}", meaning.text, driver.describe(code));
  return finding;
}

}  // namespace assay::device::cuda
