// SPDX-License-Identifier: MIT
// The source with what each line costs, what was found in it, and the PTX that it became.
#include <fmt/format.h>

#include "base/text.hpp"
#include "page/sections.hpp"

namespace assay::page {

std::optional<Section> source_section(const Content& content, const Listings& listings) {
  if (listings.files.empty() && listings.not_here.empty()) return std::nullopt;
  Section section{"source", "Source", {}};
  if (listings.attempt != 0 && !content.profiled.empty()) {
    const ledger::Attempt& attempt = content.profiled.back().attempt;
    section.elements.push_back(
        {Paragraph{{{fmt::format("Counted on {} at {}: {} of each line, over all threads. ", attempt.device,
                                 attempt.shape, listings.counters.empty() ? "nothing" : listings.counters.front())},
                    {fmt::format("attempt {}", attempt.id), Span::Kind::plain, Tone::plain,
                     fmt::format("attempt-{}", attempt.id)}}}});
  }
  for (size_t i = 0; i < listings.files.size(); ++i) {
    const ListedFile& file = listings.files[i];
    section.elements.push_back({Fold{code(file.listing.file), {{file.listing}}, i == 0}});
  }
  if (!listings.assembly.pieces.empty())
    section.elements.push_back({Fold{
        plain(fmt::format("PTX of {} ({}), by source line", listings.entry, counted(listings.assembly_lines, "line"))),
        {{listings.assembly}}}});
  if (!listings.not_here.empty())
    section.elements.push_back(
        {Paragraph{plain(fmt::format("Not listed, because the files are not here: {}.", join(listings.not_here, ", "))),
                   Tone::quiet}});
  return section;
}

}  // namespace assay::page
