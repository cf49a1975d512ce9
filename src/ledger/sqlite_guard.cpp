// SPDX-License-Identifier: MIT
#include "ledger/sqlite_guard.hpp"

#include <SQLiteCpp/Exception.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include "base/escape.hpp"

namespace assay::ledger {

Error error_at(const std::filesystem::path& file, std::string message, std::string hint) {
  return Error{std::move(message), Place{file.string()}, std::move(hint), ExitCode::environment};
}

Error damaged(const std::filesystem::path& file, const std::string& detail) {
  return error_at(
      file, fmt::format("this ledger is damaged: {}", escape_terminal(detail)),
      fmt::format("it was left as it is; move it away and a new one is made, or rescue what can be read with "
                  "sqlite3 '{}' .recover",
                  file.string()));
}

Error explain(const std::filesystem::path& file, const std::exception& problem) {
  const auto* database_problem = dynamic_cast<const SQLite::Exception*>(&problem);
  if (database_problem == nullptr)
    return error_at(file, fmt::format("the ledger failed: {}", problem.what()), kElsewhere);
  switch (database_problem->getErrorCode() & 0xff) {
    case SQLITE_NOTADB:
      return error_at(file, "this file is not a ledger: it is no SQLite database",
                      "it was left as it is; choose another file with --ledger FILE");
    case SQLITE_CORRUPT:
      return damaged(file, problem.what());
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return error_at(file, "another process has kept the ledger busy for too long",
                      "try again when it has finished, or choose another file with --ledger FILE");
    case SQLITE_FULL:
      return error_at(file, "the disk is full: the ledger cannot grow",
                      "free some space, or record elsewhere with --ledger FILE");
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return error_at(file, fmt::format("the ledger cannot be written: {}", problem.what()), kElsewhere);
    case SQLITE_CANTOPEN:
      return error_at(file, "the ledger cannot be opened",
                      "check that the file and its folder can be read and written");
    case SQLITE_IOERR:
      return error_at(file, fmt::format("the ledger cannot be read or written: {}", problem.what()),
                      "check the disk and its free space, or record elsewhere with --ledger FILE");
    default:
      return error_at(file, fmt::format("the ledger failed: {}", problem.what()), kElsewhere);
  }
}

}  // namespace assay::ledger
