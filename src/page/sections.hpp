// SPDX-License-Identifier: MIT
// The sections of a report, one file each. A section for which the ledger has nothing is not there.
#pragma once

#include <optional>
#include <vector>

#include "page/content.hpp"
#include "page/element.hpp"
#include "page/listings.hpp"

namespace assay::page {

Text verdict(const Content& content);  // one or two sentences
Tone verdict_tone(const Content& content);

std::optional<Section> period_section(const Content& content);    // what was tried, brought, cost
std::optional<Table> stops_table(const Content& content);         // where the stop rule ended work; of a period
std::optional<Section> contrast_section(const Content& content);  // two attempts beside each other
std::optional<Section> steps_section(const Content& content);     // of a run
std::optional<Section> findings_section(const Content& content, const Listings& listings);
std::optional<Section> diagnosis_section(const Content& content, const Listings& listings);  // caps, and what to do
std::optional<Section> speed_section(const Content& content);  // the floor and the bars above it
std::optional<Section> roofline_section(const Content& content);
std::optional<Section> samples_section(const Content& content);  // ECDF, and over time
std::optional<Section> loads_section(const Content& content);    // what an estimate says each resource takes
std::optional<Section> source_section(const Content& content, const Listings& listings);
std::optional<Section> counters_section(const Content& content);
std::optional<Section> inversion_section(const Content& content);  // what experiments gain and cost
std::optional<Section> tuning_section(const Content& content);     // what was evaluated, and the best so far
std::optional<Section> occupancy_section(const Content& content);
std::optional<Section> leaderboard_section(const Content& content);
std::optional<Section> history_section(const Content& content);
std::optional<Section> attempts_section(const Content& content);  // with contract and command

}  // namespace assay::page
