// SPDX-License-Identifier: MIT
// The Python of exported packages evaluates expressions as the specification does.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/process.hpp"
#include "base/random.hpp"
#include "build/entry_name.hpp"
#include "spec/expression.hpp"
#include "work/export_torch_text.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

const spec::Bindings kScope = {{"N", spec::Value(96)},
                               {"M", spec::Value(7)},
                               {"HALF", spec::Value(0.5)},
                               {"causal", spec::Value(true)},
                               {"dtype", spec::Value(spec::DType::bf16)}};

// Grows a random expression; some make no sense, and both sides must say so.
std::string random_expression(Random& random, int depth) {
  constexpr const char* kLeaves[] = {"N",    "M",   "HALF", "causal",        "3", "16",
                                     "0.25", "1e2", "true", "sizeof(dtype)", "0"};
  constexpr const char* kOperators[] = {"+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||"};
  if (depth == 0) return kLeaves[random.below(std::size(kLeaves))];
  const auto inner = [&] { return random_expression(random, depth - 1); };
  switch (random.below(8)) {
    case 0:
      return fmt::format("({} ? {} : {})", inner(), inner(), inner());
    case 1:
      return fmt::format("ceil_div({}, {})", inner(), inner());
    case 2:
      return fmt::format("min({}, {})", inner(), inner());
    case 3:
      return fmt::format("max({}, {}, {})", inner(), inner(), inner());
    case 4:
      return fmt::format("{}({})", random.below(2) == 0 ? "-" : "!", inner());
    case 5:
      return fmt::format("floor({})", inner());
    default:
      return fmt::format("({} {} {})", inner(), kOperators[random.below(std::size(kOperators))], inner());
  }
}

TEST(ExportTorch, expressions_mean_the_same_in_python) {
  if (find_program("python3").empty()) GTEST_SKIP() << "there is no Python";
  std::vector<std::string> expressions = {"N",
                                          "N/2",
                                          "N/7",
                                          "1/sqrt(64)",
                                          "N % 5",
                                          "-7 % 5",
                                          "ceil_div(N, M)",
                                          "round_up(M, 16)",
                                          "pow(2, 10)",
                                          "pow(2, -1)",
                                          "next_pow2(M)",
                                          "log2(8)",
                                          "abs(-3)",
                                          "sizeof(f32)*N",
                                          "dtype == bf16 ? 2 : 4",
                                          "dtype != f16 && causal",
                                          "floor(N/7)",
                                          "ceil(N/7)",
                                          "!causal || M < 8",
                                          "min(1, 0.5)",
                                          "2 + 3*4 - 6/3",
                                          "1e-3*1000",
                                          "sizeof(i4)*3"};
  Random random(5);
  for (int i = 0; i < 600; ++i) expressions.push_back(random_expression(random, 1 + static_cast<int>(random.below(3))));
  json scope = json::object();
  for (const auto& [name, value] : kScope) scope[name] = to_json_value(value);
  Command command;
  command.arguments = {"python3", "-B", "-c",
                       "import json, sys\n"
                       "from expression import Expression\n"
                       "task = json.load(sys.stdin)\n"
                       "def value(text):\n"
                       "    try:\n"
                       "        return Expression(text).value(task['scope'])\n"
                       "    except (ValueError, OverflowError, ZeroDivisionError, TypeError):\n"
                       "        return 'mistake'\n"
                       "print(json.dumps([value(text) for text in task['expressions']]))"};
  command.folder = std::filesystem::path(ASSAY_SOURCE_DIR) / "src" / "work" / "export_torch";
  command.input = json{{"scope", scope}, {"expressions", expressions}}.dump();
  const auto outcome = run(command);
  ASSERT_TRUE(outcome.ok() && outcome->succeeded()) << outcome->errors;
  const json answers = json::parse(outcome->output);
  ASSERT_EQ(answers.size(), expressions.size());
  size_t compared = 0;
  for (size_t i = 0; i < expressions.size(); ++i) {
    const auto parsed = spec::Expression::parse(expressions[i], {});
    const auto value = parsed ? parsed->evaluate(kScope) : Result<spec::Value>(parsed.error());
    if (!value) {
      EXPECT_EQ(answers[i], "mistake") << expressions[i];
      continue;
    }
    const json expected = to_json_value(*value);
    ASSERT_NE(answers[i], "mistake") << expressions[i] << " is " << expected;
    EXPECT_EQ(answers[i], expected) << expressions[i];
    EXPECT_EQ(answers[i].is_number_float(), expected.is_number_float()) << expressions[i];
    ++compared;
  }
  EXPECT_GT(compared, 300u);
}

TEST(ExportTorch, kernels_are_found_by_the_same_names_in_python) {
  if (find_program("python3").empty()) GTEST_SKIP() << "there is no Python";
  const std::vector<std::string> names = {"plain", "_Z4copyIfLi4EEvPKT_PS0_", "_Z4copyIdLi8EEvPKT_PS0_",
                                          "_ZN2ns5scaleIfEEvPT_j", "_Z5otherv"};
  const std::vector<std::string> wanted = {"plain",
                                           "copy<float, 4>",
                                           "copy<float,4u>",
                                           "copy",
                                           "ns::scale<float>",
                                           "scale",
                                           "void ns::scale<float>(float*, unsigned int)",
                                           "oth*",
                                           "*copy*",
                                           "missing",
                                           "copy<double, 8>",
                                           "p?ain",
                                           "other()"};
  json readable = json::object();
  for (const std::string& name : names) readable[name] = build::readable_entry(name);
  Command command;
  command.arguments = {"python3", "-B", "-c",
                       "import json, sys\n"
                       "from launch_function import find_entry\n"
                       "task = json.load(sys.stdin)\n"
                       "def found(text):\n"
                       "    try:\n"
                       "        return find_entry(text, task['names'])\n"
                       "    except RuntimeError:\n"
                       "        return ''\n"
                       "print(json.dumps([found(text) for text in task['wanted']]))"};
  command.folder = std::filesystem::path(ASSAY_SOURCE_DIR) / "src" / "work" / "export_torch";
  command.input = json{{"names", readable}, {"wanted", wanted}}.dump();
  const auto outcome = run(command);
  ASSERT_TRUE(outcome.ok() && outcome->succeeded()) << outcome->errors;
  const json answers = json::parse(outcome->output);
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto found = build::find_entry_name(wanted[i], names, {}, "a file");
    EXPECT_EQ(answers[i], found.ok() ? *found : "") << wanted[i];
  }
}

}  // namespace
}  // namespace assay::work
