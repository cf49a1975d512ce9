// SPDX-License-Identifier: MIT
// A Filter as a condition on the attempts, which the query calls `a`.
#pragma once

#include <string>

#include "ledger/filter.hpp"

namespace SQLite {
class Statement;
}

namespace assay::ledger {

std::string filter_sql(const Filter& filter);  // with named parameters; never holds the user's text
void bind_filter(SQLite::Statement& statement, const Filter& filter);

}  // namespace assay::ledger
