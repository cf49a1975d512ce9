// SPDX-License-Identifier: MIT
// [launch], [[stage]] and [let].
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "base/text.hpp"
#include "spec/mistake.hpp"
#include "spec/reader/sections.hpp"

namespace assay::spec {

namespace {

constexpr size_t kMaxStages = 64;
const std::vector<std::string> kLaunchKeys{"grid", "block", "shared_bytes", "cluster", "cooperative", "attributes"};

std::vector<Expression> read_extent(const TableReader& launch, std::string_view key, bool required) {
  const Node* const node =
      required ? launch.require(key, Node::Kind::array, "[\"X\", \"Y\", \"Z\"]") : launch.find(key, Node::Kind::array);
  if (node == nullptr) return {};
  if (node->items.empty() || node->items.size() > 3) {
    launch.mistakes().add(node->place, fmt::format("\"{}\" in {} has {} dimensions; expected 1 to 3", key,
                                                   launch.title(), node->items.size()));
  }
  return launch.expressions(key);
}

std::optional<int64_t> read_between(const TableReader& table, std::string_view key, int64_t low, int64_t high) {
  const auto value = table.integer(key);
  if (!value || (*value >= low && *value <= high)) return value;
  table.mistakes().add(table.node().find(key)->place,
                       fmt::format("\"{}\" in {} is {}; expected {} to {}", key, table.title(), *value, low, high));
  return std::nullopt;
}

LaunchSection read_launch_keys(const TableReader& table) {
  LaunchSection launch;
  launch.place = table.node().place;
  launch.grid = read_extent(table, "grid", true);
  launch.block = read_extent(table, "block", true);
  launch.shared_bytes = table.expression("shared_bytes");
  launch.cluster = read_extent(table, "cluster", false);
  if (const Node* const cooperative = table.find("cooperative", Node::Kind::boolean)) {
    launch.cooperative = cooperative->boolean;
    launch.cooperative_place = cooperative->place;
  }
  const Node* const node = table.find("attributes", Node::Kind::table);
  if (node == nullptr) return launch;
  TableReader attributes(*node, fmt::format("\"attributes\" of {}", table.title()), table.mistakes());
  attributes.check_keys({"programmatic_stream_serialization", "priority", "preferred_shared_carveout"});
  launch.programmatic = attributes.flag("programmatic_stream_serialization");
  launch.priority = read_between(attributes, "priority", -100, 100);
  launch.shared_carveout = read_between(attributes, "preferred_shared_carveout", 0, 100);
  return launch;
}

// The names of a list, each of which must be known.
std::vector<std::string> read_names(const TableReader& table, std::string_view key,
                                    const std::vector<std::string>& known, std::string_view noun) {
  std::vector<std::string> names;
  for (const Node* const item : table.texts(key)) {
    if (std::ranges::find(known, item->text) == known.end()) {
      table.mistakes().add(item->place, fmt::format("{} names \"{}\", which is no {}", table.title(), item->text, noun),
                           suggestion(item->text, known, fmt::format("{}s", noun)));
    }
    names.push_back(item->text);
  }
  return names;
}

class StagesReader {
 public:
  StagesReader(const Node& section, KernelSpec& spec, Mistakes& mistakes)
      : section_(section), spec_(spec), mistakes_(mistakes) {}

  void read() {
    if (section_.items.size() > kMaxStages) {
      mistakes_.add(section_.key_place,
                    fmt::format("there are {} stages; expected at most {}", section_.items.size(), kMaxStages));
      return;
    }
    for (const Node& item : section_.items) {
      const Node* const name = item.find("name");
      if (name != nullptr && name->kind == Node::Kind::string) names_.push_back(name->text);
    }
    for (const Node& item : section_.items) read_stage(item);
    check_scratch();
    put_in_order();
  }

 private:
  void read_stage(const Node& node) {
    if (!expect_kind(node, Node::Kind::table, "an item of \"stage\"", mistakes_)) return;
    const Node* const name = node.find("name");
    const bool named = name != nullptr && name->kind == Node::Kind::string;
    TableReader table(node, named ? fmt::format("stage \"{}\"", name->text) : "[[stage]]", mistakes_);
    std::vector<std::string> keys = kLaunchKeys;
    keys.insert(keys.end(), {"name", "entry", "arguments", "after"});
    table.check_keys(keys);
    table.require("name", Node::Kind::string, "\"NAME\"");
    StageSpec stage;
    stage.name = named ? name->text : "";
    stage.place = named ? name->place : node.place;
    if (named) expect_name(name->text, name->place, "a stage", mistakes_);
    for (const StageSpec& other : spec_.stages) {
      if (named && other.name == stage.name)
        mistakes_.add(stage.place, fmt::format("two stages are named \"{}\"; the other one is on line {}", stage.name,
                                               other.place.line));
    }
    if (const Node* const entry = table.require("entry", Node::Kind::string, "\"KERNEL\""))
      stage.entry = read_entry(*entry, " of " + table.title(), mistakes_).value_or(TemplateText());
    stage.launch = read_launch_keys(table);
    std::vector<std::string> known;
    for (const ArgumentSpec& argument : spec_.arguments) {
      if (argument.passed) known.push_back(argument.name);
    }
    stage.all_arguments = node.find("arguments") == nullptr;
    stage.arguments = stage.all_arguments ? known : read_names(table, "arguments", known, "passed argument");
    stage.after = read_names(table, "after", names_, "stage");
    if (const Node* const after = node.find("after")) stage.after_place = after->place;
    spec_.stages.push_back(std::move(stage));
  }

  // Scratch memory lies between stages: with one kernel it would be an output that nobody looks at.
  void check_scratch() {
    for (const ArgumentSpec& argument : spec_.arguments) {
      if (argument.tensor() == nullptr || argument.tensor()->role != Role::scratch) continue;
      const bool used = std::ranges::any_of(spec_.stages, [&](const StageSpec& stage) {
        return std::ranges::find(stage.arguments, argument.name) != stage.arguments.end();
      });
      if (!used)
        mistakes_.add(argument.place,
                      fmt::format("no stage takes the scratch tensor \"{}\"; expected it among the arguments of one",
                                  argument.name));
    }
  }

  // Each stage after those that it names, else in the order of the file.
  void put_in_order() {
    std::vector<StageSpec> ordered;
    std::set<std::string> done;
    std::vector<StageSpec> waiting = std::move(spec_.stages);
    while (!waiting.empty()) {
      const auto ready = std::ranges::find_if(waiting, [&](const StageSpec& stage) {
        return std::ranges::all_of(stage.after, [&](const std::string& name) {
          return done.contains(name) || std::ranges::find(names_, name) == names_.end();
        });
      });
      if (ready == waiting.end()) {
        report_cycle(waiting);
        break;
      }
      done.insert(ready->name);
      ordered.push_back(std::move(*ready));
      waiting.erase(ready);
    }
    spec_.stages = std::move(ordered);
  }

  // Every stage that waits waits for another one that waits: following them leads around.
  void report_cycle(const std::vector<StageSpec>& waiting) {
    const auto find = [&](const std::string& name) {
      return std::ranges::find_if(waiting, [&](const StageSpec& stage) { return stage.name == name; });
    };
    std::vector<std::string> path{waiting.front().name};
    while (true) {
      const StageSpec& stage = *find(path.back());
      const std::string next =
          *std::ranges::find_if(stage.after, [&](const std::string& name) { return find(name) != waiting.end(); });
      const auto seen = std::ranges::find(path, next);
      if (seen == path.end()) {
        path.push_back(next);
        continue;
      }
      std::vector<std::string> cycle(seen, path.end());
      cycle.push_back(next);
      mistakes_.add(find(next)->after_place,
                    fmt::format("the stages wait for each other: {}; expected an order in which they can run",
                                join(cycle, " after ")));
      return;
    }
  }

  const Node& section_;
  KernelSpec& spec_;
  Mistakes& mistakes_;
  std::vector<std::string> names_;
};

// The one stage of a specification that has no [[stage]].
void read_single(const TableReader& file, KernelSpec& spec) {
  Mistakes& mistakes = file.mistakes();
  StageSpec stage;
  if (const Node* const kernel = file.node().find("kernel"); kernel != nullptr && kernel->kind == Node::Kind::table) {
    TableReader table(*kernel, "[kernel]", mistakes);
    if (const Node* const entry = table.require("entry", Node::Kind::string, "\"FUNCTION\""))
      stage.entry = read_entry(*entry, "", mistakes).value_or(TemplateText());
  }
  const Node* const section = file.require_section("launch", Node::Kind::table);
  if (section != nullptr) {
    TableReader launch(*section, "[launch]", mistakes);
    launch.check_keys(kLaunchKeys);
    stage.launch = read_launch_keys(launch);
    stage.place = section->place;
  }
  for (const ArgumentSpec& argument : spec.arguments) {
    if (argument.passed) stage.arguments.push_back(argument.name);
    if (argument.tensor() != nullptr && argument.tensor()->role == Role::scratch && argument.global.empty() &&
        !argument.passed)
      mistakes.add(argument.place, fmt::format("the kernel does not get the scratch tensor \"{}\"", argument.name));
  }
  spec.stages.push_back(std::move(stage));
}

}  // namespace

void read_launch(const TableReader& file, bool check_files, KernelSpec& spec) {
  Mistakes& mistakes = file.mistakes();
  const Node* const launch = file.node().find("launch");
  const Node* const stages = file.find("stage", Node::Kind::array);
  const Node* const kernel = file.node().find("kernel");
  const Node* const entry = kernel != nullptr && kernel->kind == Node::Kind::table ? kernel->find("entry") : nullptr;
  const bool by_function = launch != nullptr && launch->kind == Node::Kind::string;
  if (by_function && check_file(spec, *launch, "\"launch\"", {".cpp"}, check_files, mistakes)) {
    spec.launch_file = launch->text;
    spec.launch_file_place = launch->place;
  }
  if (stages != nullptr && launch != nullptr) {
    mistakes.add(launch->key_place, "there are stages, each of which says how it is launched; expected no \"launch\"");
    return;
  }
  if (entry != nullptr && (stages != nullptr || by_function)) {
    mistakes.add(entry->key_place,
                 stages != nullptr ? "there are stages, each with an \"entry\" of its own; expected none in [kernel]"
                                   : "a function launches the kernels and names them; expected no \"entry\"");
  }
  if (stages != nullptr) {
    StagesReader(*stages, spec, mistakes).read();
  } else if (!by_function) {
    read_single(file, spec);
  }
}

void read_lets(const TableReader& file, KernelSpec& spec) {
  constexpr size_t kMaxLets = 200;
  const Node* const section = file.find("let", Node::Kind::table);
  if (section == nullptr) return;
  if (section->items.size() > kMaxLets) {
    file.mistakes().add(section->place,
                        fmt::format("[let] defines {} names; expected at most {}", section->items.size(), kMaxLets));
    return;
  }
  for (const Node& item : section->items) {
    expect_name(item.key, item.key_place, "a value", file.mistakes());
    spec.lets.push_back(
        {item.key, item.key_place, read_expression(item, fmt::format("\"{}\" in [let]", item.key), file.mistakes())});
  }
}

}  // namespace assay::spec
