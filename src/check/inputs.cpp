// SPDX-License-Identifier: MIT
#include "check/inputs.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "base/threads.hpp"
#include "check/element.hpp"

namespace assay::check {
namespace {

using spec::DType;
using spec::Fill;
using spec::FillKind;

constexpr double kLargeDeviation = 16.0;

struct NamedDistribution {
  Distribution distribution;
  std::string_view name;
};

constexpr std::array kNames = {
    NamedDistribution{Distribution::specified, "specified"},
    NamedDistribution{Distribution::large, "large"},
    NamedDistribution{Distribution::tiny, "tiny"},
    NamedDistribution{Distribution::constant, "constant"},
    NamedDistribution{Distribution::one_hot, "one_hot"},
    NamedDistribution{Distribution::with_negative_zero, "with_negative_zero"},
    NamedDistribution{Distribution::denormals, "denormals"},
    NamedDistribution{Distribution::infinities, "infinities"},
};

// FNV-1a: stable across machines, which std::hash is not.
uint64_t mix(uint64_t seed, const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325u ^ seed;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return Random(hash).next();
}

double tiny_deviation(DType type) {
  switch (type) {
    case DType::e4m3:
      return 0x1.0p-5;
    case DType::f16:
    case DType::e5m2:
      return 0x1.0p-10;
    default:
      return 0x1.0p-40;
  }
}

// Integers from 0 up that the type holds exactly, so that iota never becomes infinite.
double exact_integers(DType type) {
  if (!spec::is_floating(type)) return std::min(largest(type), 0x1.0p53 - 1) + 1;
  return 2.0 / ulp(type, 1.0);
}

class Filler {
 public:
  Filler(const spec::ResolvedTensor& tensor, uint64_t seed)
      : type_(tensor.dtype),
        values_(static_cast<size_t>(tensor.elements)),
        // An empty tensor has rows of any length: there are none of them.
        row_(tensor.dims.empty() || tensor.elements == 0 ? 1 : static_cast<size_t>(tensor.dims.back())),
        matrix_(tensor.dims.size() < 2 || tensor.elements == 0
                    ? row_
                    : row_ * static_cast<size_t>(tensor.dims[tensor.dims.size() - 2])),
        random_(seed) {}

  void normal(double mean, double deviation) {
    each(2, [=](Random& random) { return mean + deviation * random.normal(); });
  }
  void uniform(double low, double high) {
    // Integers: floor keeps every value below `high` and all of them equally likely.
    const bool whole = !spec::is_floating(type_);
    each(1, [=](Random& random) {
      const double value = low + (high - low) * random.uniform();
      return whole ? std::floor(value) : value;
    });
  }
  // Any integer from `low` up to the one before `high`, beyond 2^53 as well: a kernel that goes through double must not
  // be right because all of its inputs are doubles.
  void uniform_words(double low, double high) {
    const reference::Integers integers = integers_of(type_);
    const reference::Int128 first = reference::integer_of(reference::word_of(std::ceil(low), integers), integers);
    const reference::Int128 last = reference::integer_of(reference::word_of(std::ceil(high), integers), integers);
    words_.reserve(values_.size());
    for (size_t i = 0; i < values_.size(); ++i)
      words_.push_back(reference::word_of(first + random_.below(static_cast<uint64_t>(last - first)), integers));
  }
  void constant_word(uint64_t word) { words_.assign(values_.size(), word); }
  void sort_words() {
    const bool is_signed = integers_of(type_) == reference::Integers::i64;
    for (size_t first = 0; first < words_.size(); first += row_) {
      const auto begin = words_.begin() + static_cast<std::ptrdiff_t>(first);
      std::sort(begin, begin + static_cast<std::ptrdiff_t>(row_), [=](uint64_t a, uint64_t b) {
        return is_signed ? static_cast<int64_t>(a) < static_cast<int64_t>(b) : a < b;
      });
    }
  }
  bool has_words() const { return !words_.empty(); }
  void constant(double value) { std::fill(values_.begin(), values_.end(), round_to(type_, value)); }
  void iota() {
    const double limit = exact_integers(type_);
    for (size_t i = 0; i < values_.size(); ++i) values_[i] = std::fmod(static_cast<double>(i), limit);
  }
  void one_hot() {
    for (size_t first = 0; first < values_.size(); first += row_) values_[first + random_.below(row_)] = 1.0;
  }
  void permutation() {
    for (size_t first = 0; first < values_.size(); first += row_) {
      for (size_t i = 0; i < row_; ++i) values_[first + i] = static_cast<double>(i);
      for (size_t i = row_; i > 1; --i) std::swap(values_[first + i - 1], values_[first + random_.below(i)]);
    }
    round();
  }
  // Cuts of the range from 0 to `total`, in order.
  void offsets(double total) {
    for (size_t first = 0; first < values_.size(); first += row_) {
      for (size_t i = 1; i + 1 < row_; ++i) values_[first + i] = std::floor((total + 1) * random_.uniform());
      if (row_ > 1) values_[first + row_ - 1] = total;
      sort_row(first);
    }
    round();
  }
  void sort_rows() {
    for (size_t first = 0; first < values_.size(); first += row_) sort_row(first);
  }
  void sparse(double density) {
    each(3, [=](Random& random) {
      const double sample = random.normal();
      return random.uniform() < density ? sample : 0.0;
    });
  }
  void zeros_among_normal(double mean, double deviation) {
    each(3, [=](Random& random) {
      const double sample = mean + deviation * random.normal();
      const uint64_t choice = random.below(4);
      return choice == 0 ? 0.0 : choice == 1 ? -0.0 : sample;
    });
  }
  void signed_zeros() {
    each(1, [](Random& random) { return random.below(2) == 0 ? 0.0 : -0.0; });
  }
  void denormals() {
    each(2, [limit = smallest_normal(type_)](Random& random) {
      const double magnitude = limit * random.uniform();
      return random.below(2) == 0 ? magnitude : -magnitude;
    });
  }
  void add_infinities() {
    for (size_t first = 0; first < values_.size(); first += matrix_) {
      const double infinity = std::numeric_limits<double>::infinity();
      values_[first + random_.below(matrix_)] = random_.below(2) == 0 ? infinity : -infinity;
    }
  }
  reference::Numbers finish() && {
    if (!words_.empty()) return reference::numbers_of_words(std::move(words_), integers_of(type_));
    // A double that was made up is the integer that it is.
    return integers_of(type_) == reference::Integers::none ? reference::Numbers(std::move(values_))
                                                           : rounded(type_, std::move(values_));
  }

 private:
  void sort_row(size_t first) {
    const auto begin = values_.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, begin + static_cast<std::ptrdiff_t>(row_));
  }
  void round() {
    for (double& value : values_) value = round_to(type_, std::min(value, largest(type_)));
  }

  // Makes every element, as the type has it, of so many numbers of the sequence: parts of a large tensor can so be made
  // at once, each from its place there.
  template <class Sample>
  void each(uint64_t numbers, const Sample& sample) {
    constexpr size_t kPart = size_t{1} << 18;
    const double limit = largest(type_);  // beyond it a sample would be infinite
    const size_t parts = (values_.size() + kPart - 1) / kPart;
    std::atomic<size_t> next{0};
    on_threads(std::min(parts, core_count()), [&] {
      for (size_t part = next++; part < parts; part = next++) {
        const size_t end = std::min(values_.size(), (part + 1) * kPart);
        Random random = random_.ahead(part * kPart * numbers);
        for (size_t i = part * kPart; i < end; ++i)
          values_[i] = round_to(type_, std::clamp(sample(random), -limit, limit));
      }
    });
    random_ = random_.ahead(values_.size() * numbers);
  }

  DType type_;
  std::vector<double> values_;
  std::vector<uint64_t> words_;  // instead of the values, where doubles do not do
  size_t row_;
  size_t matrix_;
  Random random_;
};

void fill_uniformly(Filler& filler, const spec::ResolvedTensor& tensor) {
  const Fill& fill = tensor.fill;
  const bool wide = integers_of(tensor.dtype) != reference::Integers::none &&
                    std::max(std::abs(fill.low), std::abs(fill.high)) > reference::kFirstInexact;
  return wide ? filler.uniform_words(fill.low, fill.high) : filler.uniform(fill.low, fill.high);
}

void fill_as_specified(Filler& filler, const spec::ResolvedTensor& tensor) {
  const Fill& fill = tensor.fill;
  switch (fill.kind) {
    case FillKind::normal:
      return filler.normal(fill.mean, fill.deviation);
    case FillKind::uniform:
      return fill_uniformly(filler, tensor);
    case FillKind::zeros:
      return filler.constant(0.0);
    case FillKind::ones:
      return filler.constant(1.0);
    case FillKind::constant:
      return fill.whole && integers_of(tensor.dtype) != reference::Integers::none
                 ? filler.constant_word(reference::word_of(reference::Int128{*fill.whole}, integers_of(tensor.dtype)))
                 : filler.constant(fill.value);
    case FillKind::iota:
      return filler.iota();
    case FillKind::one_hot:
      return filler.one_hot();
    case FillKind::large:
      return filler.normal(0.0, kLargeDeviation);
    case FillKind::tiny:
      return filler.normal(0.0, tiny_deviation(tensor.dtype));
    case FillKind::signed_zeros:
      return filler.signed_zeros();
    case FillKind::denormals:
      return filler.denormals();
    case FillKind::permutation:
      return filler.permutation();
    case FillKind::offsets:
      return filler.offsets(fill.total);
    case FillKind::sorted:
      if (fill.bounded || !spec::is_floating(tensor.dtype)) {
        fill_uniformly(filler, tensor);
        if (filler.has_words()) return filler.sort_words();
      } else {
        filler.normal(0.0, 1.0);
      }
      return filler.sort_rows();
    case FillKind::sparse:
      return filler.sparse(fill.density);
    case FillKind::file:
    case FillKind::function:
      return;  // input_maker.hpp
  }
}

void fill_by_distribution(Filler& filler, const spec::ResolvedTensor& tensor, const InputOptions& options) {
  const Fill& fill = tensor.fill;
  switch (options.distribution) {
    case Distribution::specified:
      return fill_as_specified(filler, tensor);
    case Distribution::large:
      return filler.normal(fill.mean, fill.deviation * kLargeDeviation);
    case Distribution::tiny:
      return filler.normal(0.0, tiny_deviation(tensor.dtype));
    case Distribution::constant:
      return filler.constant(0.75);  // exact in every type; not 1, which hides a lost factor
    case Distribution::one_hot:
      return filler.one_hot();
    case Distribution::with_negative_zero:
      return filler.zeros_among_normal(fill.mean, fill.deviation);
    case Distribution::denormals:
      return filler.denormals();
    case Distribution::infinities:
      filler.normal(fill.mean, fill.deviation);
      if (options.allow_infinities && has_infinity(tensor.dtype)) filler.add_infinities();
      return;
  }
}

}  // namespace

std::string_view name(Distribution distribution) {
  for (const NamedDistribution& named : kNames) {
    if (named.distribution == distribution) return named.name;
  }
  return "unknown";
}

std::optional<Distribution> distribution_from_name(std::string_view text) {
  for (const NamedDistribution& named : kNames) {
    if (named.name == text) return named.distribution;
  }
  return std::nullopt;
}

const std::vector<Distribution>& all_distributions() {
  static const std::vector<Distribution> all = [] {
    std::vector<Distribution> list;
    list.reserve(std::size(kNames));
    for (const NamedDistribution& named : kNames) list.push_back(named.distribution);
    return list;
  }();
  return all;
}

reference::Numbers make_input(const std::string& tensor_name, const spec::ResolvedTensor& tensor,
                              const InputOptions& options) {
  Filler filler(tensor, mix(options.seed, tensor_name));
  const bool replaceable = spec::is_floating(tensor.dtype) && tensor.fill.kind == FillKind::normal;
  if (replaceable) {
    fill_by_distribution(filler, tensor, options);
  } else {
    fill_as_specified(filler, tensor);
  }
  return std::move(filler).finish();
}

}  // namespace assay::check
