// SPDX-License-Identifier: MIT
// From a suite file to a Suite.
#include "suite/suite.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/file.hpp"
#include "spec/mistake.hpp"
#include "spec/reader/document.hpp"
#include "spec/reader/table_reader.hpp"
#include "suite/read_shapes.hpp"

namespace assay::suite {
namespace {

using spec::mistake;
using spec::Mistakes;
using spec::Node;
using spec::TableReader;

constexpr size_t kMaxWords = 1'000;  // of one list

const std::vector<std::string> kMeasuringKeys{"baselines", "protocol",     "cache",  "sets",
                                              "samples",   "most_samples", "budget", "width"};

std::vector<std::string> with_measuring(std::vector<std::string> keys) {
  keys.insert(keys.end(), kMeasuringKeys.begin(), kMeasuringKeys.end());
  return keys;
}

// A title or a name that goes into tables: one line, not too long.
std::string read_line(const TableReader& table, std::string_view key) {
  constexpr size_t kLongest = 200;
  const Node* const found = table.find(key, Node::Kind::string);
  if (found == nullptr) return {};
  const bool plain =
      std::ranges::none_of(found->text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (plain && found->text.size() <= kLongest) return found->text;
  table.mistakes().add(found->place,
                       fmt::format("\"{}\" in {} has line breaks or more than {} bytes; expected one line", key,
                                   table.title(), kLongest));
  return {};
}

void read_count(const TableReader& table, std::string_view key, int64_t low, int64_t high, size_t& value) {
  const Node* const found = table.find(key, Node::Kind::integer);
  if (found == nullptr) return;
  if (found->integer < low || found->integer > high)
    table.mistakes().add(found->place, fmt::format("\"{}\" in {} is {}; expected {} to {}", key, table.title(),
                                                   found->integer, low, high));
  value = static_cast<size_t>(found->integer);
}

void read_real(const TableReader& table, std::string_view key, double low, double high, double& value) {
  const std::optional<double> found = table.number(key);
  if (!found) return;
  if (!(*found >= low && *found <= high))
    table.mistakes().add(table.node().find(key)->place,
                         fmt::format("\"{}\" in {} is {}; expected {} to {}", key, table.title(), *found, low, high));
  value = *found;
}

void read_word(const TableReader& table, std::string_view key, const std::vector<std::string>& known,
               std::string& value) {
  const Node* const found = table.find(key, Node::Kind::string);
  if (found == nullptr) return;
  const std::string what = fmt::format("\"{}\" in {}", key, table.title());
  if (spec::expect_one_of(found->text, known, found->place, what, table.mistakes())) value = found->text;
}

// What is not given stays as it is: the default, or what [defaults] says.
void read_measuring(const TableReader& table, Measuring& measuring) {
  read_word(table, "protocol", {"graph", "event"}, measuring.protocol);
  read_word(table, "cache", {"warm", "cold", "rotating"}, measuring.cache);
  read_count(table, "sets", 1, 64, measuring.sets);
  read_count(table, "samples", 100, 1'000'000, measuring.samples);
  read_count(table, "most_samples", 100, 1'000'000, measuring.most_samples);
  read_real(table, "budget", 0.001, 86'400, measuring.budget_s);
  read_real(table, "width", 1e-6, 1, measuring.width);
}

// A list of strings without empty and repeated ones; `value` stays as it is if the key is not there.
void read_words(const TableReader& table, std::string_view key, bool may_be_empty, std::vector<Word>& value) {
  Mistakes& mistakes = table.mistakes();
  const Node* const found = table.find(key, Node::Kind::array);
  if (found == nullptr) return;
  if (found->items.size() > kMaxWords) {
    mistakes.add(found->place, fmt::format("\"{}\" in {} has {} items; expected at most {}", key, table.title(),
                                           found->items.size(), kMaxWords));
    return;
  }
  value.clear();
  for (const Node* const item : table.texts(key)) {
    if (item->text.empty() || item->text.find('\0') != std::string::npos) {
      mistakes.add(item->place,
                   fmt::format("an item of \"{}\" in {} is empty or no text; expected a name", key, table.title()));
    } else if (std::ranges::any_of(value, [&](const Word& word) { return word.text == item->text; })) {
      mistakes.add(item->place, fmt::format("\"{}\" occurs twice in \"{}\" of {}; expected each once", item->text, key,
                                            table.title()));
    } else {
      value.push_back({item->text, item->place});
    }
  }
  if (found->items.empty() && !may_be_empty)
    mistakes.add(found->place,
                 fmt::format("\"{}\" in {} is empty; expected at least one, or no such key", key, table.title()));
}

void read_configurations(const TableReader& table, KernelEntry& entry) {
  const Node* const found = table.node().find("configurations");
  if (found == nullptr) {
    entry.configurations.push_back({"default", entry.place});
  } else if (found->kind == Node::Kind::array) {
    read_words(table, "configurations", false, entry.configurations);
  } else if (found->kind == Node::Kind::string && !found->text.empty()) {
    entry.configurations.push_back({found->text, found->place});
  } else {
    table.mistakes().add(
        found->place, fmt::format("\"configurations\" in {} is {}; expected \"default\", \"all\", "
                                  "\"NAME=value,...\" or a list of these",
                                  table.title(), found->kind == Node::Kind::string ? "empty" : kind_name(found->kind)));
  }
}

void read_dtypes(const TableReader& table, Dtypes& dtypes) {
  std::vector<Word> words;
  read_words(table, "dtypes", false, words);
  if (words.empty()) return;
  dtypes.place = table.node().find("dtypes")->place;
  for (const Word& word : words) {
    if (const auto type = spec::dtype_from_name(word.text)) {
      dtypes.types.push_back(*type);
    } else {
      table.mistakes().add(word.place, fmt::format("\"{}\" in \"dtypes\" is not an element type", word.text),
                           spec::suggestion(word.text, spec::dtype_names(), "element types"));
    }
  }
}

KernelEntry read_kernel(const Node& node, size_t number, const KernelEntry& defaults, Mistakes& mistakes) {
  KernelEntry entry = defaults;
  entry.place = node.place;
  if (!spec::expect_kind(node, Node::Kind::table, "\"kernel\"", mistakes)) return entry;
  TableReader table(node, fmt::format("[[kernel]] number {}", number), mistakes);
  table.check_keys(with_measuring({"folder", "configurations", "shapes", "dtypes", "candidate"}));
  if (const Node* const folder = table.require("folder", Node::Kind::string, "\"FOLDER\"")) {
    if (folder->text.empty() || folder->text.find('\0') != std::string::npos)
      mistakes.add(folder->place, "\"folder\" is empty or no path; expected a folder with a kernel.toml");
    entry.folder = {folder->text, folder->place};
  }
  read_configurations(table, entry);
  read_dtypes(table, entry.dtypes);
  if (const Node* const candidate = table.find("candidate", Node::Kind::string)) {
    entry.candidate = Word{candidate->text, candidate->place};
    if (const Node* const configurations = node.find("configurations"))
      mistakes.add(configurations->place,
                   "\"configurations\" beside \"candidate\": what takes the kernel's place has none");
  }
  read_words(table, "baselines", true, entry.baselines);
  read_measuring(table, entry.measuring);
  const Node* const shapes = node.find("shapes");
  if (shapes == nullptr) {
    entry.shapes.set = Word{"canonical", node.place};
  } else {
    entry.shapes = read_shapes(*shapes, table.title(), mistakes);
  }
  return entry;
}

// [suite]
void read_head(const TableReader& file, Suite& suite) {
  const Node* const head = file.require_section("suite", Node::Kind::table);
  if (head == nullptr) return;
  TableReader table(*head, "[suite]", file.mistakes());
  table.check_keys({"name", "description"});
  if (const Node* const name = table.require("name", Node::Kind::string, "\"NAME\"")) {
    suite.name = read_line(table, "name");
    if (name->text.empty()) file.mistakes().add(name->place, "\"name\" in [suite] is empty; expected a name");
  }
  suite.description = read_line(table, "description");
}

// [defaults]
KernelEntry read_defaults(const TableReader& file) {
  KernelEntry defaults;
  const Node* const common = file.find("defaults", Node::Kind::table);
  if (common == nullptr) return defaults;
  TableReader table(*common, "[defaults]", file.mistakes());
  table.check_keys(kMeasuringKeys);
  read_words(table, "baselines", true, defaults.baselines);
  read_measuring(table, defaults.measuring);
  return defaults;
}

// [[kernel]]
void read_kernels(const TableReader& file, const KernelEntry& defaults, Suite& suite) {
  const Node* const kernels = file.require_section("kernel", Node::Kind::array);
  if (kernels == nullptr) return;
  if (kernels->items.empty()) file.mistakes().add(kernels->place, "the file has no [[kernel]]; expected at least one");
  if (kernels->items.size() > kMaxKernels) {
    file.mistakes().add(kernels->place, fmt::format("the file has {} [[kernel]] tables; expected at most {}",
                                                    kernels->items.size(), kMaxKernels));
    return;
  }
  for (const Node& node : kernels->items)
    suite.kernels.push_back(read_kernel(node, suite.kernels.size() + 1, defaults, file.mistakes()));
}

}  // namespace

Result<Suite> parse(std::string_view text, const std::string& file_name, const std::filesystem::path& folder) {
  ASSAY_TRY(const Node root, spec::parse_document(text, file_name));
  Mistakes mistakes;
  TableReader file(root, "the file", mistakes);
  file.check_keys({"suite", "defaults", "kernel"}, "section");
  Suite suite;
  suite.file = file_name;
  suite.folder = folder;
  read_head(file, suite);
  read_kernels(file, read_defaults(file), suite);
  if (!mistakes.none()) return mistakes.together();
  return suite;
}

Result<Suite> load(const std::filesystem::path& file) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(file, failure))
    return mistake({}, fmt::format("{} does not exist or is no file; expected a suite file", file.string()),
                   "docs/suite_toml.md describes the file");
  ASSAY_TRY(const std::string text, read_file(file));
  return parse(text, file.string(), file.has_parent_path() ? file.parent_path() : std::filesystem::path("."));
}

}  // namespace assay::suite
