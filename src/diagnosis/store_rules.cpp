// SPDX-License-Identifier: MIT
// Rules about what is written to global memory.
#include "diagnosis/rule_parts.hpp"
#include "diagnosis/rules.hpp"

namespace assay::diagnosis {

Seen silent_stores(const Case& about) {
  constexpr double kMany = 0.2;
  const double silent = about.work.total[Work::silent_words];
  const double stored = about.work.total[Work::stored_words];
  if (stored <= 0 || silent < kMany * stored) return std::nullopt;
  Evidence evidence{{fmt::format("{} of the stored words held this value already", percent(silent / stored))}, {}, 0};
  add_line(evidence, about, [](const WorkSums& sums) { return sums[Work::silent_words]; });
  return evidence;
}
void no_silent_stores(Case& about) {
  WorkSums& total = about.work.total;
  const double left = 1 - total[Work::silent_words] / std::max(1.0, total[Work::stored_words]);
  const double stores = total[Work::l2_write_sectors] / std::max(1.0, total[Work::sectors_asked]);
  total[Work::l1_wavefronts] *= 1 - stores * (1 - left);
  total[Work::l2_write_sectors] *= left;
}

static double different_words_written(const Case& about) {
  constexpr double kWord = 4;
  double bytes = 0;
  for (const gpu::BufferWork& buffer : about.work.buffers) bytes += buffer.unique_written_bytes;
  return bytes / kWord;
}
// Words are counted in whole sectors, so that a buffer of which little is written hides a few of its stores.
Seen overwritten_stores(const Case& about) {
  constexpr double kTwice = 2;
  const double stored = about.work.total[Work::stored_words];
  const double different = different_words_written(about);
  // Stores that change nothing have a rule of their own.
  if (different <= 0 || stored - about.work.total[Work::silent_words] <= kTwice * different) return std::nullopt;
  Evidence evidence{{fmt::format("{:.0f} words are stored where {:.0f} different ones are written: each {:.1f} times",
                                 stored, different, stored / different)},
                    {},
                    0};
  add_line(evidence, about, [](const WorkSums& sums) { return sums[Work::stored_words]; });
  return evidence;
}
// What was stored again, and read in between, is in a register. No load passes a store that may be to its address: when
// the stores are gone, the loads between them overlap.
void stored_once(Case& about) {
  WorkSums& total = about.work.total;
  const double left = std::min(1.0, different_words_written(about) / std::max(1.0, total[Work::stored_words]));
  const double stores = total[Work::l2_write_sectors] / std::max(1.0, total[Work::sectors_asked]);
  double again = 0;  // sectors of buffers that are written as well, and read more than once
  settle_chain(about);
  for (gpu::BufferWork& buffer : about.work.buffers) {
    if (buffer.unique_written_bytes <= 0) continue;
    again += std::max(0.0, buffer.asked_sectors - buffer.unique_read_bytes / 32);
    const double kept = std::min(buffer.l2_read_sectors, buffer.unique_read_bytes / 32);
    total[Work::l2_read_sectors] -= buffer.l2_read_sectors - kept;
    buffer.l2_read_sectors = kept;
    buffer.l2_write_sectors *= left;
  }
  const double spared = std::min(1.0, (1 - left) * stores + again / std::max(1.0, total[Work::sectors_asked]));
  total[Work::l1_wavefronts] *= 1 - spared;
  total[Work::lsu] -= spared * total[Work::lsu_global];
  for (const Work work : {Work::l2_write_sectors, Work::partial_sectors}) total[work] *= left;
  shorten_chain(about, (1 - left) * share_of_waiting(about, total[Work::wait_global]));
}

}  // namespace assay::diagnosis
