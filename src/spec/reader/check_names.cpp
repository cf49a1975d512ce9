// SPDX-License-Identifier: MIT
// Who defines which name, who may use it, and in which order [let] has to be evaluated.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "base/text.hpp"
#include "spec/mistake.hpp"
#include "spec/reader/sections.hpp"

namespace assay::spec {

namespace {

enum class Origin { tunable, dimension, let };

std::string_view origin_name(Origin origin) {
  switch (origin) {
    case Origin::tunable:
      return "a tunable";
    case Origin::dimension:
      return "a dimension of [shapes]";
    case Origin::let:
      return "a value of [let]";
  }
  return {};
}

class NameCheck {
 public:
  explicit NameCheck(KernelSpec& spec) : spec_(spec) {}

  Result<void> run() {
    ASSAY_CHECK(define_all());
    ASSAY_CHECK(order_lets());
    ASSAY_CHECK(check_uses());
    ASSAY_CHECK(check_shape_constraints());
    split_constraints();
    return {};
  }

 private:
  Result<void> define(const std::string& name, Origin origin, const Place& place) {
    const auto [found, is_new] = origins_.emplace(name, origin);
    known_.push_back(name);
    if (is_new) return {};
    return mistake(place, fmt::format("\"{}\" is already {}; expected another name", name, origin_name(found->second)));
  }

  Result<void> define_all() {
    for (const std::string& dimension : spec_.shapes.dimensions) {
      ASSAY_CHECK(define(dimension, Origin::dimension, spec_.shapes.place));
    }
    for (const Tunable& tunable : spec_.tunable.tunables) {
      ASSAY_CHECK(define(tunable.name, Origin::tunable, tunable.place));
    }
    for (const Let& let : spec_.lets) ASSAY_CHECK(define(let.name, Origin::let, let.place));
    return {};
  }

  Result<void> undefined(const std::string& name, const std::string& text, const Place& place) const {
    if (origins_.contains(name)) return {};
    return mistake(place,
                   fmt::format("undefined name \"{}\" in \"{}\"; expected a tunable, a dimension of [shapes] or a "
                               "value of [let]",
                               name, text),
                   suggestion(name, known_, "known names"));
  }

  Result<void> check(const Expression& expression) const {
    for (const std::string& name : expression.names()) {
      ASSAY_CHECK(undefined(name, expression.text(), expression.place_of(name)));
    }
    return {};
  }

  Result<void> check(const std::vector<Expression>& expressions) const {
    for (const Expression& expression : expressions) ASSAY_CHECK(check(expression));
    return {};
  }

  Result<void> check(const std::optional<Expression>& expression) const {
    return expression ? check(*expression) : Result<void>();
  }

  Result<void> check(const TemplateText& text) const {
    for (const TemplateText::Placeholder& placeholder : text.placeholders()) {
      ASSAY_CHECK(undefined(placeholder.name, text.text(), placeholder.place));
    }
    return {};
  }

  Result<void> check(const TensorSpec& tensor) const {
    ASSAY_CHECK(check(tensor.dtype));
    ASSAY_CHECK(check(tensor.shape));
    ASSAY_CHECK(check(tensor.strides));
    const FillSpec& fill = tensor.fill;
    for (const auto* parameter : {&fill.mean, &fill.deviation, &fill.low, &fill.high, &fill.value}) {
      ASSAY_CHECK(check(*parameter));
    }
    return {};
  }

  Result<void> check(const ScalarSpec& scalar) const {
    ASSAY_CHECK(check(scalar.type));
    return check(scalar.value);
  }

  Result<void> check(const TensorMapSpec& map) const {
    ASSAY_CHECK(check(map.box));
    return check(map.element_strides);
  }

  Result<void> check_uses() const {
    ASSAY_CHECK(check(spec_.kernel.entry));
    ASSAY_CHECK(check(spec_.problem.flops));
    ASSAY_CHECK(check(spec_.problem.bytes));
    for (const ArgumentSpec& argument : spec_.arguments) {
      ASSAY_CHECK(std::visit([this](const auto& kind) { return check(kind); }, argument.kind));
    }
    ASSAY_CHECK(check(spec_.launch.grid));
    ASSAY_CHECK(check(spec_.launch.block));
    ASSAY_CHECK(check(spec_.launch.shared_bytes));
    ASSAY_CHECK(check(spec_.launch.cluster));
    ASSAY_CHECK(check(spec_.tunable.constraints));
    return check(spec_.shapes.constraints);
  }

  // ---- [let] ----

  Result<void> order_lets() {
    for (const Let& let : spec_.lets) ASSAY_CHECK(check(let.value));
    for (size_t i = 0; i < spec_.lets.size(); ++i) index_[spec_.lets[i].name] = i;
    for (const Let& let : spec_.lets) ASSAY_CHECK(visit(let.name));
    spec_.lets = std::move(ordered_);
    return {};
  }

  // Depth first; `path_` holds the definitions that wait for this one. The depth is bounded by the number of lets.
  Result<void> visit(const std::string& name) {
    if (bases_.contains(name)) return {};
    const Let& let = spec_.lets[index_.at(name)];
    if (const auto start = std::find(path_.begin(), path_.end(), name); start != path_.end()) {
      std::vector<std::string> cycle(start, path_.end());
      cycle.push_back(name);
      return mistake(let.value.place(), fmt::format("cyclic definition in [let]: {}", join(cycle, " -> ")));
    }
    path_.push_back(name);
    std::set<std::string> bases;
    for (const std::string& used : let.value.names()) {
      if (origins_.at(used) != Origin::let) {
        bases.insert(used);
        continue;
      }
      ASSAY_CHECK(visit(used));
      bases.insert(bases_.at(used).begin(), bases_.at(used).end());
    }
    path_.pop_back();
    bases_[name] = std::move(bases);
    ordered_.push_back(let);
    return {};
  }

  // The tunables and dimensions on which a name depends.
  std::set<std::string> bases_of(const std::string& name) const {
    const auto let = bases_.find(name);
    return let == bases_.end() ? std::set<std::string>{name} : let->second;
  }

  bool depends_on(const Expression& expression, Origin origin, std::string* which = nullptr) const {
    for (const std::string& name : expression.names()) {
      for (const std::string& base : bases_of(name)) {
        if (origins_.at(base) != origin) continue;
        if (which != nullptr) *which = name;
        return true;
      }
    }
    return false;
  }

  Result<void> check_shape_constraints() const {
    for (const Expression& constraint : spec_.shapes.constraints) {
      std::string name;
      if (!depends_on(constraint, Origin::tunable, &name)) continue;
      return mistake(
          constraint.place_of(name),
          fmt::format("\"{}\" depends on tunables; expected dimensions only in the constraints of [shapes]", name),
          "a constraint on tunables and dimensions together belongs into [tunable]");
    }
    return {};
  }

  void split_constraints() {
    std::vector<Expression> alone;
    for (Expression& constraint : spec_.tunable.constraints) {
      (depends_on(constraint, Origin::dimension) ? spec_.tunable.pair_constraints : alone)
          .push_back(std::move(constraint));
    }
    spec_.tunable.constraints = std::move(alone);
  }

  KernelSpec& spec_;
  std::map<std::string, Origin> origins_;
  std::vector<std::string> known_;
  std::map<std::string, size_t> index_;
  std::map<std::string, std::set<std::string>> bases_;
  std::vector<std::string> path_;
  std::vector<Let> ordered_;
};

}  // namespace

Result<void> check_names(KernelSpec& spec) {
  return NameCheck(spec).run();
}

}  // namespace assay::spec
