// SPDX-License-Identifier: MIT
#include "assay/explain.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "work/document.hpp"
#include "work/explanations.hpp"
#include "work/recipe_files.hpp"

namespace assay::work {
namespace {

// "Bank conflicts", "bank-conflicts" and "bank_conflicts" are one name.
std::string plain(std::string_view name) {
  std::string text(trim(name));
  for (char& c : text) c = c == ' ' || c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

Error no_such_name(const std::string& name) {
  std::vector<std::string> names;
  for (const Explanation& each : explanations()) names.push_back(each.name);
  const std::string meant = nearest(plain(name), names);
  return Error{fmt::format("there is nothing named '{}' to explain{}", name,
                           meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant)),
               {},
               "assay explain lists the names"};
}

std::string page(const std::string& recipe) {
  for (const EmbeddedFile& file : recipe_files())
    if (file.name == recipe + ".md") return std::string(file.text);
  return "";
}

}  // namespace

Result<ExplainReport> explain(const ExplainRequest& request) {
  const std::vector<Explanation>& all = explanations();
  if (trim(request.name).empty()) return ExplainReport{all, ""};
  // What reports say comes before recipes, in the order of the table.
  const auto found = std::ranges::find(all, plain(request.name), &Explanation::name);
  if (found == all.end()) return no_such_name(request.name);
  return ExplainReport{{*found}, page(found->recipe)};
}

std::string to_json(const ExplainReport& report) {
  nlohmann::json document = document_head("explain");
  document["explanations"] = nlohmann::json::array();
  for (const Explanation& each : report.explanations)
    document["explanations"].push_back({{"kind", each.kind},
                                        {"name", each.name},
                                        {"summary", each.summary},
                                        {"meaning", each.meaning},
                                        {"fix", each.fix},
                                        {"recipe", each.recipe}});
  if (!report.recipe_text.empty()) document["recipe_text"] = report.recipe_text;
  return document_text(document);
}

}  // namespace assay::work
