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
  NameCheck(KernelSpec& spec, bool all_defined, Mistakes& mistakes)
      : spec_(spec), all_defined_(all_defined), mistakes_(mistakes) {}

  void run() {
    define_all();
    order_lets();
    check_uses();
    check_shape_constraints();
    split_constraints();
  }

 private:
  void define(const std::string& name, Origin origin, const Place& place) {
    const auto [found, is_new] = origins_.emplace(name, origin);
    known_.push_back(name);
    if (is_new) return;
    mistakes_.add(place, fmt::format("\"{}\" is already {}; expected another name", name, origin_name(found->second)));
  }

  void define_all() {
    for (const std::string& dimension : spec_.shapes.dimensions)
      define(dimension, Origin::dimension, spec_.shapes.place);
    for (const Tunable& tunable : spec_.tunable.tunables) define(tunable.name, Origin::tunable, tunable.place);
    for (const Let& let : spec_.lets) define(let.name, Origin::let, let.place);
  }

  void check_defined(const std::string& name, const std::string& text, const Place& place) const {
    if (origins_.contains(name) || !all_defined_) return;
    mistakes_.add(place,
                  fmt::format("undefined name \"{}\" in \"{}\"; expected a tunable, a dimension of [shapes] or a "
                              "value of [let]",
                              name, text),
                  suggestion(name, known_, "known names"));
  }

  void check(const Expression& expression) const {
    for (const std::string& name : expression.names())
      check_defined(name, expression.text(), expression.place_of(name));
  }

  void check(const std::vector<Expression>& expressions) const {
    for (const Expression& expression : expressions) check(expression);
  }

  void check(const std::optional<Expression>& expression) const {
    if (expression) check(*expression);
  }

  void check(const TemplateText& text) const {
    for (const TemplateText::Placeholder& placeholder : text.placeholders())
      check_defined(placeholder.name, text.text(), placeholder.place);
  }

  void check(const TensorSpec& tensor) const {
    check(tensor.dtype);
    check(tensor.shape);
    check(tensor.strides);
    const FillSpec& fill = tensor.fill;
    for (const auto* parameter :
         {&fill.mean, &fill.deviation, &fill.low, &fill.high, &fill.value, &fill.total, &fill.density, &fill.offset})
      check(*parameter);
  }

  void check(const ScalarSpec& scalar) const {
    check(scalar.type);
    check(scalar.value);
  }

  void check(const TensorMapSpec& map) const {
    check(map.box);
    check(map.element_strides);
    if (!map.im2col) return;
    check(map.im2col->lower);
    check(map.im2col->upper);
    check(map.im2col->channels);
    check(map.im2col->pixels);
  }

  void check(const ViewSpec& view) const { check(view.offset); }

  void check(const PointersSpec& pointers) const {
    check(pointers.count);
    check(pointers.step);
  }

  void check(const TextureSpec&) const {}  // it has no expressions

  void check(const StageSpec& stage) const {
    check(stage.entry);
    check(stage.launch.grid);
    check(stage.launch.block);
    check(stage.launch.shared_bytes);
    check(stage.launch.cluster);
  }

  void check_uses() const {
    check(spec_.problem.flops);
    check(spec_.problem.bytes);
    for (const ArgumentSpec& argument : spec_.arguments)
      std::visit([this](const auto& kind) { check(kind); }, argument.kind);
    for (const StageSpec& stage : spec_.stages) check(stage);
    for (const TemplateText& text : spec_.kernel.source_texts) check(text);
    for (const TemplateText& text : spec_.kernel.flag_texts) check(text);
    check(spec_.tunable.constraints);
    check(spec_.shapes.constraints);
  }

  // ---- [let] ----

  void order_lets() {
    for (const Let& let : spec_.lets) check(let.value);
    for (size_t i = 0; i < spec_.lets.size(); ++i) index_[spec_.lets[i].name] = i;
    for (const Let& let : spec_.lets) {
      if (visit(let.name)) continue;
      path_.clear();
      return;  // one cycle is enough: what follows from it is not known
    }
    spec_.lets = std::move(ordered_);
  }

  // Depth first; `path_` holds the definitions that wait for this one. The depth is bounded by the number of lets.
  // False if it found a cycle.
  bool visit(const std::string& name) {
    if (bases_.contains(name)) return true;
    const Let& let = spec_.lets[index_.at(name)];
    if (const auto start = std::find(path_.begin(), path_.end(), name); start != path_.end()) {
      std::vector<std::string> cycle(start, path_.end());
      cycle.push_back(name);
      mistakes_.add(let.value.place(), fmt::format("cyclic definition in [let]: {}", join(cycle, " -> ")));
      return false;
    }
    path_.push_back(name);
    std::set<std::string> bases;
    for (const std::string& used : let.value.names()) {
      const auto origin = origins_.find(used);
      if (origin == origins_.end()) continue;  // undefined, which is said already
      if (origin->second != Origin::let) {
        bases.insert(used);
        continue;
      }
      if (!visit(used)) return false;
      bases.insert(bases_.at(used).begin(), bases_.at(used).end());
    }
    path_.pop_back();
    bases_[name] = std::move(bases);
    ordered_.push_back(let);
    return true;
  }

  // The tunables and dimensions on which a name depends.
  std::set<std::string> bases_of(const std::string& name) const {
    const auto let = bases_.find(name);
    return let == bases_.end() ? std::set<std::string>{name} : let->second;
  }

  bool depends_on(const Expression& expression, Origin origin, std::string* which = nullptr) const {
    for (const std::string& name : expression.names()) {
      for (const std::string& base : bases_of(name)) {
        const auto found = origins_.find(base);
        if (found == origins_.end() || found->second != origin) continue;
        if (which != nullptr) *which = name;
        return true;
      }
    }
    return false;
  }

  void check_shape_constraints() const {
    for (const Expression& constraint : spec_.shapes.constraints) {
      std::string name;
      if (!depends_on(constraint, Origin::tunable, &name)) continue;
      mistakes_.add(
          constraint.place_of(name),
          fmt::format("\"{}\" depends on tunables; expected dimensions only in the constraints of [shapes]", name),
          "a constraint on tunables and dimensions together belongs into [tunable]");
    }
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
  const bool all_defined_;
  Mistakes& mistakes_;
  std::map<std::string, Origin> origins_;
  std::vector<std::string> known_;
  std::map<std::string, size_t> index_;
  std::map<std::string, std::set<std::string>> bases_;
  std::vector<std::string> path_;
  std::vector<Let> ordered_;
};

}  // namespace

void check_names(KernelSpec& spec, bool all_defined, Mistakes& mistakes) {
  NameCheck(spec, all_defined, mistakes).run();
}

}  // namespace assay::spec
