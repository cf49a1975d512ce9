// SPDX-License-Identifier: MIT
#include "work/sweep_shapes.hpp"

#include <charconv>
#include <fmt/format.h>

#include "base/text.hpp"

namespace assay::work {

Result<Sweep> parse_sweep(const std::string& text) {
  const auto wrong = [&](const std::string& why) {
    return Error{fmt::format("'{}' is no sweep{}", text, why), {}, "--sweep S=128..16384: S doubles from 128 to 16384"};
  };
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return wrong("");
  Sweep sweep;
  sweep.name = text.substr(0, equals);
  const auto number = [](std::string_view digits, int64_t& into) {
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), into);
    return problem == std::errc() && end == digits.data() + digits.size();
  };
  const std::string_view range = std::string_view(text).substr(equals + 1);
  const size_t dots = range.find("..");
  if (dots == std::string_view::npos) return wrong(": it has no '..'");
  if (!number(range.substr(0, dots), sweep.first) || !number(range.substr(dots + 2), sweep.last)) return wrong("");
  if (sweep.first < 1) return wrong(": it begins below 1");
  if (sweep.last < sweep.first) return wrong(fmt::format(": {} is less than {}", sweep.last, sweep.first));
  return sweep;
}

Result<std::vector<spec::Shape>> sweep_shapes(const spec::KernelSpec& spec, const spec::Shape& base,
                                              const Sweep& sweep) {
  std::vector<spec::Shape> shapes;
  const std::string whole = base.text();  // its parts are looked at
  for (int64_t value = sweep.first;; value *= 2) {
    std::string text;
    bool found = false;
    for (const std::string_view part : split(whole, ',')) {
      const bool own = part.starts_with(sweep.name + "=");
      found = found || own;
      text += fmt::format("{}{}", text.empty() ? "" : ",", own ? fmt::format("{}={}", sweep.name, value) : part);
    }
    if (!found)
      return Error{
          fmt::format("the shape has no variable '{}'", sweep.name), {}, fmt::format("it has {}", base.text())};
    ASSAY_TRY(spec::Shape shape, spec::parse_shape(spec, text));
    shapes.push_back(std::move(shape));
    if (value > sweep.last / 2) return shapes;
  }
}

}  // namespace assay::work
