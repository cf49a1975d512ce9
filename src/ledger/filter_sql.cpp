// SPDX-License-Identifier: MIT
#include "ledger/filter_sql.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

namespace assay::ledger {
namespace {

// In the library's patterns brackets are special too; in ours they stand for themselves.
std::string pattern(const std::string& text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '[') {
      out += "[[]";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string filter_sql(const Filter& filter) {
  std::string condition = "1";
  if (filter.since_us > 0) condition += " AND a.time_us >= :since";
  if (filter.kind) condition += " AND a.kind = :kind";
  if (!filter.kernel.empty()) condition += " AND a.kernel GLOB :kernel";
  if (!filter.verdict.empty()) condition += " AND lower(a.verdict) GLOB lower(:verdict)";
  if (!filter.device.empty()) condition += " AND a.device GLOB :device";
  return condition;
}

void bind_filter(SQLite::Statement& statement, const Filter& filter) {
  if (filter.since_us > 0) statement.bind(":since", filter.since_us);
  if (filter.kind) statement.bind(":kind", std::string(to_string(*filter.kind)));
  if (!filter.kernel.empty()) statement.bind(":kernel", pattern(filter.kernel));
  if (!filter.verdict.empty()) statement.bind(":verdict", pattern(filter.verdict));
  if (!filter.device.empty()) statement.bind(":device", pattern(filter.device));
}

}  // namespace assay::ledger
