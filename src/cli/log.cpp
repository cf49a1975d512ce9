// SPDX-License-Identifier: MIT
// assay log: the record of every attempt, listed, shown and exported.
#include "assay/log.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/evolve.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/log_text.hpp"
#include "cli/story_text.hpp"
#include "cli/words.hpp"
#include "ledger/time_text.hpp"
#include "report/attempt_document.hpp"
#include "work/document.hpp"
#include "work/log_reader.hpp"

namespace assay::cli {
namespace {

constexpr size_t kListed = 20;

// A row that makes no sense is named and passed over: the others are as good as ever.
void warn_of(const std::string& damaged) {
  print_to_errors(fmt::format("assay: warning: passed over: {}\n", damaged));
}

// A document as print_document() would print it, but piece by piece: there may be a hundred thousand attempts.
class DocumentPrinter {
 public:
  DocumentPrinter() { print("{"); }

  void member(const std::string& key, const nlohmann::json& value) {
    put(fmt::format("  \"{}\": {}", key, text(value, 1)));
  }
  void begin_list(const std::string& key) {
    put(fmt::format("  \"{}\": [", key));
    first_ = true;
  }
  void item(const nlohmann::json& value) { put("    " + text(value, 2)); }
  void end_list() {
    print(first_ ? "]" : "\n  ]");
    first_ = false;
  }
  void end() { print("\n}\n"); }

 private:
  void put(const std::string& line) {
    print((first_ ? "\n" : ",\n") + line);
    first_ = false;
  }
  static std::string text(const nlohmann::json& value, size_t depth) {
    return replace_all(value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace), "\n",
                       "\n" + std::string(2 * depth, ' '));
  }

  bool first_ = true;
};

class LogCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.words(
        "words", words_,
        "show ID, tried [KERNEL], tree [KERNEL], lineage [KERNEL], note ID TEXT, retire KERNEL TEXT, export, best; "
        "nothing: list",
        {0, 3});
    line.choice("--as", as_, "what a note is", {"hypothesis", "decision", "remark"});
    line.option("--kernel", request_.kernel, "only this kernel; * stands for any text");
    line.option("--kind", request_.kind, "build, sanitize, check, measure, ...");
    line.option("--verdict", request_.verdict, "only this verdict; * stands for any text");
    line.option("--device", request_.device, "only this device; * stands for any text");
    line.option("--since", request_.since, "30min, 12h, 3d, 2w, or a date");
    line.option("--limit", limit_, "the newest that many; 0: all");
    line.choice("--format", format_, "of an export: json or csv", {"json", "csv"});
    line.flag("--samples", samples_, "with every raw sample");
    line.flag("--accepted", accepted_, "of a lineage: accepted proposals alone");
    line.option("--ledger", request_.ledger, "the file");
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    static_cast<void>(context);
    if (words_.empty()) return list();
    if (words_[0] == "show" && words_.size() == 2) return show(words_[1]);
    if (words_[0] == "note" && words_.size() == 3) return note();
    if (words_[0] == "note") return Error{"assay log note needs the number of an attempt and a text, in quotes"};
    if (words_[0] == "retire" && words_.size() == 3) return retire();
    if (words_[0] == "retire") return Error{"assay log retire needs the name of a kernel and the reason, in quotes"};
    if (words_[0] == "show") return Error{"assay log show needs the number of an attempt", {}, "assay log lists them"};
    if (words_.size() <= 2 && (words_[0] == "tried" || words_[0] == "tree")) return tell(words_[0] == "tree");
    if (words_.size() == 1 && words_[0] == "export") return export_all();
    if (words_.size() == 1 && words_[0] == "best") return best();
    if (words_.size() <= 2 && words_[0] == "lineage") return lineage();
    return Error{
        fmt::format("assay log does not know '{}'", join(words_, " ")), {}, "assay log --help tells what it takes"};
  }

 private:
  nlohmann::json head(const work::LogReader& reader) const {
    nlohmann::json document = work::document_head("log");
    document["ledger"] = reader.file().string();
    return document;
  }

  Result<ExitCode> list() {
    request_.limit = limit_.value_or(kListed);
    ASSAY_TRY(const work::LogReport report, work::log(request_));
    for (const std::string& each : report.damaged) warn_of(each);
    if (json()) {
      print_document(to_json(report));
    } else if (!report.exists) {
      print(fmt::format("nothing is recorded yet in {}\n", report.ledger));
    } else if (report.attempts.empty()) {
      print(fmt::format("no attempt in {} is like that\n", report.ledger));
    } else {
      print(attempts_text(report.details->attempts));
      if (report.more) print("there are older ones: --limit 0 shows all\n");
    }
    return ExitCode::good;
  }

  Result<ExitCode> note() {
    ASSAY_TRY(const int64_t id, attempt_number(words_[1]));
    return keep_note({request_.ledger, id, "", as_.empty() ? "remark" : as_, words_[2]});
  }

  Result<ExitCode> retire() { return keep_note({request_.ledger, std::nullopt, words_[1], "retired", words_[2]}); }

  Result<ExitCode> keep_note(const work::NoteRequest& request) {
    ASSAY_TRY(const int64_t number, work::add_note(request));
    if (json()) {
      nlohmann::json document = work::document_head("log");
      document["note"] = number;
      print_document(work::document_text(document));
    }
    return ExitCode::good;
  }

  Result<ExitCode> show(const std::string& word) {
    ASSAY_TRY(const int64_t id, attempt_number(word));
    ASSAY_TRY(work::LogReader reader, work::LogReader::open(request_.ledger));
    ASSAY_TRY(const work::LogReader::Shown shown, reader.show(id));
    if (json()) {
      nlohmann::json document = head(reader);
      document["attempt"] = report::attempt_document(shown.attempt);
      document["samples"] = samples_json(shown);
      document["notes"] = notes_json(shown.notes);
      document["sources"] = nlohmann::json::array();
      for (const ledger::SourceFile& source : shown.sources) document["sources"].push_back(source.path);
      print_document(work::document_text(document));
    } else {
      print(attempt_text(shown.attempt, shown.samples));
      print(notes_text(shown.notes, shown.sources));
    }
    return ExitCode::good;
  }

  static nlohmann::json notes_json(const std::vector<ledger::Note>& notes) {
    nlohmann::json list = nlohmann::json::array();
    for (const ledger::Note& note : notes)
      list.push_back({{"kind", to_string(note.kind)}, {"time", ledger::iso_time(note.time_us)}, {"text", note.text}});
    return list;
  }

  nlohmann::json samples_json(const work::LogReader::Shown& shown) const {
    nlohmann::json list = nlohmann::json::array();
    for (const ledger::Samples& each : shown.samples) list.push_back(report::samples_document(each, samples_));
    return list;
  }

  Result<ExitCode> export_all() {
    const std::string format = format_.empty() ? "json" : format_;
    if (json() && format != "json") return Error{"--json and --format csv exclude each other"};
    request_.limit = limit_.value_or(0);
    ASSAY_TRY(work::LogReader reader, work::LogReader::open(request_.ledger));
    return format == "csv" ? export_csv(reader) : export_json(reader);
  }

  Result<ExitCode> export_csv(work::LogReader& reader) const {
    print(samples_ ? report::samples_csv_header() : report::attempts_csv_header());
    const auto print_one = [&](const work::LogReader::Shown& shown) {
      if (!samples_) print(report::attempt_csv(shown.attempt));
      for (const ledger::Samples& each : shown.samples) {
        if (samples_) print(report::samples_csv(shown.attempt, each));
      }
      return Result<void>();
    };
    ASSAY_CHECK(reader.each(request_, print_one, [](const Error& error) { warn_of(error.message); }));
    return ExitCode::good;
  }

  Result<ExitCode> export_json(work::LogReader& reader) const {
    ASSAY_TRY(const std::vector<ledger::Machine> machines, reader.machines());
    const nlohmann::json start = head(reader);
    nlohmann::json damaged = nlohmann::json::array();
    DocumentPrinter printer;
    for (const auto& [key, value] : start.items()) printer.member(key, value);
    printer.begin_list("attempts");
    const auto print_one = [&](const work::LogReader::Shown& shown) {
      nlohmann::json entry = report::attempt_document(shown.attempt);
      entry["samples"] = samples_json(shown);
      printer.item(entry);
      return Result<void>();
    };
    const auto walked = reader.each(request_, print_one, [&](const Error& error) {
      warn_of(error.message);
      damaged.push_back(error.message);
    });
    printer.end_list();
    printer.member("damaged", damaged);
    nlohmann::json list = nlohmann::json::array();
    for (const ledger::Machine& machine : machines)
      list.push_back({{"id", machine.id}, {"description", nlohmann::json::parse(machine.description, nullptr, false)}});
    printer.member("machines", list);
    printer.end();
    return walked ? Result<ExitCode>(ExitCode::good) : walked.error();
  }

  Result<ExitCode> tell(bool as_tree) {
    if (words_.size() == 2) request_.kernel = words_[1];
    ASSAY_TRY(work::LogReader reader, work::LogReader::open(request_.ledger));
    ASSAY_TRY(const std::vector<work::Story> stories, reader.tell(request_));
    if (json()) {
      nlohmann::json document = head(reader);
      document["kernels"] = stories_document(stories);
      print_document(work::document_text(document));
    } else if (stories.empty()) {
      print(fmt::format("no attempt in {} is like that\n", reader.file().string()));
    } else {
      for (const work::Story& story : stories) print(as_tree ? tree_text(story) : story_text(story));
    }
    return ExitCode::good;
  }

  Result<ExitCode> best() {
    ASSAY_TRY(work::LogReader reader, work::LogReader::open(request_.ledger));
    ASSAY_TRY(const std::vector<ledger::LeaderboardRow> rows, reader.best(request_));
    if (json()) {
      nlohmann::json document = head(reader);
      document["best"] = report::leaderboard_document(rows);
      print_document(work::document_text(document));
    } else if (rows.empty()) {
      print(fmt::format("no correct measurement in {} is like that\n", reader.file().string()));
    } else {
      print(leaderboard_text(rows));
    }
    return ExitCode::good;
  }

  Result<ExitCode> lineage() const {
    const std::string kernel = words_.size() == 2 ? words_[1] : request_.kernel;
    ASSAY_TRY(const work::LineageReport report, work::lineage({request_.ledger, kernel, accepted_}));
    if (json()) {
      print_document(to_json(report));
      return ExitCode::good;
    }
    for (const work::Lineage& each : report.evolutions)
      print(fmt::format("{} on {}, begun {}: {:.3f} times as fast ({}), evolution {}\n{}\n", each.kernel, each.device,
                        each.begun, each.speedup, each.known, each.evolution, each.tree));
    if (report.evolutions.empty()) print("no evolution is recorded; assay evolve records them\n");
    return ExitCode::good;
  }

  work::LogRequest request_;
  std::vector<std::string> words_;
  std::optional<size_t> limit_;
  std::string format_;
  std::string as_;
  bool samples_ = false;
  bool accepted_ = false;
};

}  // namespace

CommandEntry log_command() {
  return {"log", "every attempt that was recorded: list, show, export, best",
          [] { return std::unique_ptr<Command>(new LogCommand); }};
}

}  // namespace assay::cli
