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
Result<std::string> read_line(const TableReader& table, std::string_view key) {
  constexpr size_t kLongest = 200;
  ASSAY_TRY(const Node* const found, table.find(key, Node::Kind::string));
  if (found == nullptr) return std::string();
  const bool plain =
      std::ranges::none_of(found->text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (plain && found->text.size() <= kLongest) return found->text;
  return mistake(found->place, fmt::format("\"{}\" in {} has line breaks or more than {} bytes; expected one line", key,
                                           table.title(), kLongest));
}

Result<void> read_count(const TableReader& table, std::string_view key, int64_t low, int64_t high, size_t& value) {
  ASSAY_TRY(const Node* const found, table.find(key, Node::Kind::integer));
  if (found == nullptr) return {};
  if (found->integer < low || found->integer > high)
    return mistake(found->place,
                   fmt::format("\"{}\" in {} is {}; expected {} to {}", key, table.title(), found->integer, low, high));
  value = static_cast<size_t>(found->integer);
  return {};
}

Result<void> read_real(const TableReader& table, std::string_view key, double low, double high, double& value) {
  ASSAY_TRY(const std::optional<double> found, table.number(key));
  if (!found) return {};
  if (!(*found >= low && *found <= high))
    return mistake(table.node().find(key)->place,
                   fmt::format("\"{}\" in {} is {}; expected {} to {}", key, table.title(), *found, low, high));
  value = *found;
  return {};
}

Result<void> read_word(const TableReader& table, std::string_view key, const std::vector<std::string>& known,
                       std::string& value) {
  ASSAY_TRY(const Node* const found, table.find(key, Node::Kind::string));
  if (found == nullptr) return {};
  ASSAY_CHECK(spec::expect_one_of(found->text, known, found->place, fmt::format("\"{}\" in {}", key, table.title())));
  value = found->text;
  return {};
}

// What is not given stays as it is: the default, or what [defaults] says.
Result<void> read_measuring(const TableReader& table, Measuring& measuring) {
  ASSAY_CHECK(read_word(table, "protocol", {"graph", "event"}, measuring.protocol));
  ASSAY_CHECK(read_word(table, "cache", {"warm", "cold", "rotating"}, measuring.cache));
  ASSAY_CHECK(read_count(table, "sets", 1, 64, measuring.sets));
  ASSAY_CHECK(read_count(table, "samples", 100, 1'000'000, measuring.samples));
  ASSAY_CHECK(read_count(table, "most_samples", 100, 1'000'000, measuring.most_samples));
  ASSAY_CHECK(read_real(table, "budget", 0.001, 86'400, measuring.budget_s));
  return read_real(table, "width", 1e-6, 1, measuring.width);
}

// A list of strings without empty and repeated ones; `value` stays as it is if the key is not there.
Result<void> read_words(const TableReader& table, std::string_view key, bool may_be_empty, std::vector<Word>& value) {
  ASSAY_TRY(const Node* const found, table.find(key, Node::Kind::array));
  if (found == nullptr) return {};
  if (found->items.size() > kMaxWords)
    return mistake(found->place, fmt::format("\"{}\" in {} has {} items; expected at most {}", key, table.title(),
                                             found->items.size(), kMaxWords));
  value.clear();
  for (const Node& item : found->items) {
    ASSAY_CHECK(
        spec::expect_kind(item, Node::Kind::string, fmt::format("an item of \"{}\" in {}", key, table.title())));
    if (item.text.empty() || item.text.find('\0') != std::string::npos)
      return mistake(item.place,
                     fmt::format("an item of \"{}\" in {} is empty or no text; expected a name", key, table.title()));
    if (std::ranges::any_of(value, [&](const Word& word) { return word.text == item.text; }))
      return mistake(item.place, fmt::format("\"{}\" occurs twice in \"{}\" of {}; expected each once", item.text, key,
                                             table.title()));
    value.push_back({item.text, item.place});
  }
  if (value.empty() && !may_be_empty)
    return mistake(found->place,
                   fmt::format("\"{}\" in {} is empty; expected at least one, or no such key", key, table.title()));
  return {};
}

Result<void> read_configurations(const TableReader& table, KernelEntry& entry) {
  const Node* const found = table.node().find("configurations");
  if (found == nullptr) {
    entry.configurations.push_back({"default", entry.place});
    return {};
  }
  if (found->kind == Node::Kind::array) return read_words(table, "configurations", false, entry.configurations);
  if (found->kind == Node::Kind::string && !found->text.empty()) {
    entry.configurations.push_back({found->text, found->place});
    return {};
  }
  return mistake(found->place,
                 fmt::format("\"configurations\" in {} is {}; expected \"default\", \"all\", "
                             "\"NAME=value,...\" or a list of these",
                             table.title(), found->kind == Node::Kind::string ? "empty" : kind_name(found->kind)));
}

Result<void> read_dtypes(const TableReader& table, Dtypes& dtypes) {
  std::vector<Word> words;
  ASSAY_CHECK(read_words(table, "dtypes", false, words));
  if (words.empty()) return {};
  dtypes.place = table.node().find("dtypes")->place;
  for (const Word& word : words) {
    const auto type = spec::dtype_from_name(word.text);
    if (!type)
      return mistake(word.place, fmt::format("\"{}\" in \"dtypes\" is not an element type", word.text),
                     spec::suggestion(word.text, spec::dtype_names(), "element types"));
    dtypes.types.push_back(*type);
  }
  return {};
}

Result<KernelEntry> read_kernel(const Node& node, size_t number, const KernelEntry& defaults) {
  ASSAY_CHECK(spec::expect_kind(node, Node::Kind::table, "\"kernel\""));
  const TableReader table(node, fmt::format("[[kernel]] number {}", number));
  ASSAY_CHECK(table.check_keys(with_measuring({"folder", "configurations", "shapes", "dtypes", "candidate"})));
  KernelEntry entry = defaults;
  entry.place = node.place;
  ASSAY_TRY(const Node* const folder, table.require("folder", Node::Kind::string, "\"FOLDER\""));
  if (folder->text.empty() || folder->text.find('\0') != std::string::npos)
    return mistake(folder->place, "\"folder\" is empty or no path; expected a folder with a kernel.toml");
  entry.folder = {folder->text, folder->place};
  ASSAY_CHECK(read_configurations(table, entry));
  ASSAY_CHECK(read_dtypes(table, entry.dtypes));
  ASSAY_TRY(const Node* const candidate, table.find("candidate", Node::Kind::string));
  if (candidate != nullptr) {
    entry.candidate = Word{candidate->text, candidate->place};
    if (const Node* const configurations = node.find("configurations"))
      return mistake(configurations->place,
                     "\"configurations\" beside \"candidate\": what takes the kernel's place has none");
  }
  ASSAY_CHECK(read_words(table, "baselines", true, entry.baselines));
  ASSAY_CHECK(read_measuring(table, entry.measuring));
  const Node* const shapes = node.find("shapes");
  if (shapes == nullptr) {
    entry.shapes.set = Word{"canonical", node.place};
  } else {
    ASSAY_TRY(entry.shapes, read_shapes(*shapes, table.title()));
  }
  return entry;
}

}  // namespace

Result<Suite> parse(std::string_view text, const std::string& file_name, const std::filesystem::path& folder) {
  ASSAY_TRY(const Node root, spec::parse_document(text, file_name));
  ASSAY_CHECK(TableReader(root, "the file").check_keys({"suite", "defaults", "kernel"}, "section"));
  Suite suite;
  suite.file = file_name;
  suite.folder = folder;
  ASSAY_TRY(const Node* const head, spec::require_section(root, "suite", Node::Kind::table));
  const TableReader head_table(*head, "[suite]");
  ASSAY_CHECK(head_table.check_keys({"name", "description"}));
  ASSAY_TRY(const Node* const name, head_table.require("name", Node::Kind::string, "\"NAME\""));
  ASSAY_TRY(suite.name, read_line(head_table, "name"));
  if (suite.name.empty()) return mistake(name->place, "\"name\" in [suite] is empty; expected a name");
  ASSAY_TRY(suite.description, read_line(head_table, "description"));
  KernelEntry defaults;
  ASSAY_TRY(const Node* const common, TableReader(root, "the file").find("defaults", Node::Kind::table));
  if (common != nullptr) {
    const TableReader table(*common, "[defaults]");
    ASSAY_CHECK(table.check_keys(kMeasuringKeys));
    ASSAY_CHECK(read_words(table, "baselines", true, defaults.baselines));
    ASSAY_CHECK(read_measuring(table, defaults.measuring));
  }
  ASSAY_TRY(const Node* const kernels, spec::require_section(root, "kernel", Node::Kind::array));
  if (kernels->items.empty()) return mistake(kernels->place, "the file has no [[kernel]]; expected at least one");
  if (kernels->items.size() > kMaxKernels)
    return mistake(kernels->place, fmt::format("the file has {} [[kernel]] tables; expected at most {}",
                                               kernels->items.size(), kMaxKernels));
  for (const Node& node : kernels->items) {
    ASSAY_TRY(KernelEntry entry, read_kernel(node, suite.kernels.size() + 1, defaults));
    suite.kernels.push_back(std::move(entry));
  }
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
