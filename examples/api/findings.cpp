// SPDX-License-Identifier: MIT
// Sanitizes and checks the kernel folders that are named on the command line, and prints what is wrong with them.
#include <assay/assay.hpp>
#include <cstdio>

namespace {

void print(const assay::work::Finding& finding) {
  std::printf("  %s:%d: %s: %s (%llu times, first at shape %s)\n", finding.file.c_str(), finding.line,
              finding.kind.c_str(), finding.message.c_str(), static_cast<unsigned long long>(finding.occurrences),
              finding.shape.c_str());
}

assay::Result<bool> is_sound(const char* folder) {
  assay::work::SanitizeRequest sanitize;
  sanitize.choice.kernel = folder;
  ASSAY_TRY(const auto sanitized, assay::work::sanitize(sanitize));
  std::printf("%s: %s on %s\n", folder, sanitized.verdict.c_str(), sanitized.device.c_str());
  for (const auto& finding : sanitized.findings) print(finding);
  if (!sanitized.clean()) return false;
  assay::work::CheckRequest check;
  check.choice.kernel = folder;
  ASSAY_TRY(const auto checked, assay::work::check(check));
  std::printf("%s: %s in %zu cases\n", folder, checked.verdict.c_str(), checked.configurations.front().cases.size());
  return checked.correct();
}

}  // namespace

int main(int count, char** words) {
  bool all_sound = count > 1;
  for (int i = 1; i < count; ++i) {
    const auto sound = is_sound(words[i]);
    if (!sound) std::printf("%s: %s\n", words[i], to_string(sound.error()).c_str());
    all_sound = all_sound && sound && *sound;
  }
  return all_sound ? 0 : 1;
}
