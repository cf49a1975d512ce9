// SPDX-License-Identifier: MIT
// The part of a ledger that explains attempts: their sources, and what people said about them.
#include <SQLiteCpp/SQLiteCpp.h>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "base/hash.hpp"
#include "ledger/attempt_row.hpp"
#include "ledger/ledger.hpp"
#include "ledger/sqlite_guard.hpp"

namespace assay::ledger {
namespace {

constexpr std::array kNoteKinds = {
    std::pair{Note::Kind::hypothesis, std::string_view("hypothesis")},
    std::pair{Note::Kind::decision, std::string_view("decision")},
    std::pair{Note::Kind::retired, std::string_view("retired")},
    std::pair{Note::Kind::remark, std::string_view("remark")},
};

// A kind that nobody knows, as after damage or from a later version, makes no other note unreadable: what was said is a
// remark.
Note read_note(const SQLite::Statement& row) {
  const Note::Kind kind = note_kind_from_name(row.getColumn(4).getString()).value_or(Note::Kind::remark);
  Note note{row.getColumn(0).getInt64(), row.getColumn(1).getInt64(), {}, row.getColumn(3).getString(), kind,
            row.getColumn(5).getString()};
  if (!row.getColumn(2).isNull()) note.attempt = row.getColumn(2).getInt64();
  return note;
}

}  // namespace

std::string_view to_string(Note::Kind kind) {
  for (const auto& [each, name] : kNoteKinds) {
    if (each == kind) return name;
  }
  return "";
}

std::optional<Note::Kind> note_kind_from_name(std::string_view name) {
  for (const auto& [kind, each] : kNoteKinds) {
    if (each == name) return kind;
  }
  return std::nullopt;
}

void insert_sources(SQLite::Database& database, int64_t attempt, std::span<const SourceFile> sources) {
  for (const SourceFile& source : sources) {
    const std::string hash = content_hash(source.content);
    SQLite::Statement content(database, "INSERT OR IGNORE INTO sources (hash, content) VALUES (?, ?)");
    content.bind(1, hash);
    content.bind(2, source.content.data(), static_cast<int>(source.content.size()));
    content.exec();
    SQLite::Statement link(database, "INSERT OR REPLACE INTO attempt_sources (attempt, path, hash) VALUES (?, ?, ?)");
    link.bind(1, attempt);
    link.bind(2, source.path);
    link.bind(3, hash);
    link.exec();
  }
}

Result<std::vector<SourceFile>> Ledger::sources(int64_t attempt) {
  return guarded(file_, [&]() -> Result<std::vector<SourceFile>> {
    ASSAY_CHECK(require_attempt(file_, *database_, attempt));
    SQLite::Statement query(*database_,
                            "SELECT f.path, s.content, s.hash FROM attempt_sources f JOIN sources s ON s.hash = f.hash "
                            "WHERE f.attempt = ? ORDER BY f.path");
    query.bind(1, attempt);
    std::vector<SourceFile> found;
    while (query.executeStep()) {
      SourceFile source{query.getColumn(0).getString(), query.getColumn(1).getString()};
      if (content_hash(source.content) != query.getColumn(2).getString())
        return damaged(file_,
                       fmt::format("the source '{}' of attempt {} is not what was stored", source.path, attempt));
      found.push_back(std::move(source));
    }
    return found;
  });
}

Result<int64_t> Ledger::add_note(const Note& note) {
  if (note.text.empty()) return Error{"a note needs a text"};
  if (!note.attempt && note.kernel.empty()) return Error{"a note needs an attempt or a kernel"};
  return guarded(file_, [&]() -> Result<int64_t> {
    std::string kernel = note.kernel;
    if (note.attempt) {
      ASSAY_TRY(const Attempt about, attempt(*note.attempt));
      kernel = about.kernel;
    }
    SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
    SQLite::Statement statement(*database_,
                                "INSERT INTO notes (time_us, attempt, kernel, kind, text) VALUES (?, ?, ?, ?, ?)");
    statement.bind(1, note.time_us != 0 ? note.time_us : now_us());
    if (note.attempt) statement.bind(2, *note.attempt);
    statement.bind(3, kernel);
    statement.bind(4, std::string(to_string(note.kind)));
    statement.bind(5, note.text);
    statement.exec();
    const int64_t id = database_->getLastInsertRowid();
    transaction.commit();
    return id;
  });
}

Result<std::vector<Note>> Ledger::notes() {
  return guarded(file_, [&]() -> Result<std::vector<Note>> {
    SQLite::Statement query(*database_, "SELECT id, time_us, attempt, kernel, kind, text FROM notes ORDER BY id");
    std::vector<Note> found;
    while (query.executeStep()) found.push_back(read_note(query));
    return found;
  });
}

}  // namespace assay::ledger
