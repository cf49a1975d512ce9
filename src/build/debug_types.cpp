// SPDX-License-Identifier: MIT
#include "build/debug_types.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace assay::build {
namespace {

using ptx::DebugEncoding;
using ptx::DebugEntry;
using ptx::DebugTag;

constexpr int kDeepestType = 16;           // typedefs of typedefs, structures in structures
constexpr size_t kMostArrayElements = 16;  // more than a person would want to see one by one
constexpr size_t kMostValues = 1024;       // of one parameter, which has at most 32764 bytes
constexpr uint64_t kMostBytes = 32764;     // of a kernel's parameters
constexpr size_t kLongestTypeName = 200;
constexpr size_t kLongestMemberName = 60;

bool is_qualifier(DebugTag tag) {
  return tag == DebugTag::typedef_type || tag == DebugTag::const_type || tag == DebugTag::volatile_type ||
         tag == DebugTag::restrict_type;
}

bool is_address(DebugTag tag) {
  return tag == DebugTag::pointer || tag == DebugTag::reference || tag == DebugTag::rvalue_reference;
}

// An identifier, whatever the file says.
std::string identifier(std::string_view name, const std::string& otherwise) {
  const bool good = !name.empty() && name.size() <= kLongestMemberName && std::ranges::all_of(name, is_word) &&
                    !(name[0] >= '0' && name[0] <= '9');
  return good ? std::string(name) : otherwise;
}

std::optional<ElementType> number_type(const DebugEntry& base) {
  const uint64_t bytes = base.bytes.value_or(0);
  const bool power = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  const auto made = [&](char kind) { return ElementType{fmt::format("{}{}", kind, 8 * bytes), 1, bytes}; };
  if (!power) return std::nullopt;
  switch (base.encoding) {
    case DebugEncoding::boolean:
      return bytes == 1 ? std::optional(ElementType{"bool", 1, 1}) : std::nullopt;
    case DebugEncoding::signed_integer:
    case DebugEncoding::signed_char:
      return made('i');
    case DebugEncoding::unsigned_integer:
    case DebugEncoding::unsigned_char:
      return made('u');
    case DebugEncoding::real:
      if (bytes == 1) return std::nullopt;
      if (bytes == 2 && base.name.find("bf") != std::string_view::npos) return ElementType{"bf16", 1, 2};
      return made('f');
    case DebugEncoding::none:
      break;
  }
  return std::nullopt;
}

// Types of two numbers that are one to us: cuda::std::complex, thrust::complex.
std::optional<ElementType> complex_type(std::string_view name, uint64_t bytes) {
  if (name.ends_with("complex<float>") && bytes == 8) return ElementType{"c64", 1, 8};
  if (name.ends_with("complex<double>") && bytes == 16) return ElementType{"c128", 1, 16};
  return std::nullopt;
}

}  // namespace

const DebugEntry* DebugTypes::plain(const DebugEntry* type) const {
  for (int depth = 0; depth < kDeepestType; ++depth) {
    if (type == nullptr || !is_qualifier(type->tag)) return type;
    type = info_.type_of(*type);
  }
  return nullptr;
}

bool DebugTypes::is_const(const DebugEntry* type) const {
  for (int depth = 0; type != nullptr && depth < kDeepestType; ++depth) {
    if (type->tag == DebugTag::const_type) return true;
    if (!is_qualifier(type->tag) && type->tag != DebugTag::array) return false;
    type = info_.type_of(*type);
  }
  return false;
}

bool DebugTypes::is_structure(const DebugEntry* type) const {
  return type != nullptr &&
         (type->tag == DebugTag::structure || type->tag == DebugTag::class_type || type->tag == DebugTag::union_type);
}

std::optional<std::vector<uint64_t>> dimensions_of(const ptx::DebugInfo& info, const DebugEntry& array) {
  std::vector<uint64_t> dimensions;
  for (size_t i = 0; i < array.children.size(); ++i) {
    const DebugEntry& range = info.child(array, i);
    if (range.tag != DebugTag::subrange) continue;
    uint64_t count = range.count.value_or(0);
    if (!range.count && range.upper_bound && *range.upper_bound < kMostBytes) count = *range.upper_bound + 1;
    if (count == 0 || count > kMostBytes || dimensions.size() > 8) return std::nullopt;
    dimensions.push_back(count);
  }
  return dimensions.empty() ? std::nullopt : std::optional(dimensions);
}

std::optional<uint64_t> DebugTypes::bytes(const DebugEntry* type, int depth) const {
  type = plain(type);
  if (type == nullptr || depth > kDeepestType) return std::nullopt;
  if (is_address(type->tag)) return type->bytes.value_or(8);
  if (type->tag != DebugTag::array || type->bytes) return type->bytes;
  const auto dimensions = dimensions_of(info_, *type);
  auto size = bytes(info_.type_of(*type), depth + 1);
  if (!dimensions || !size) return std::nullopt;
  for (const uint64_t count : *dimensions) {
    size = *size * count;
    if (*size > kMostBytes) return std::nullopt;
  }
  return size;
}

std::string DebugTypes::spelled(const DebugEntry* type, int depth) const {
  if (type == nullptr) return "void";
  if (depth > kDeepestType) return "...";
  const DebugEntry* inner = info_.type_of(*type);
  std::string text;
  if (is_address(type->tag)) {
    text = spelled(inner, depth + 1) + (type->tag == DebugTag::pointer ? "*" : "&");
  } else if (type->tag == DebugTag::const_type) {
    text = spelled(inner, depth + 1) + " const";
  } else if (is_qualifier(type->tag)) {
    text = spelled(inner, depth + 1);
  } else if (type->tag == DebugTag::array) {
    text = spelled(inner, depth + 1);  // rows of an array: a pointer to them points to elements
  } else {
    text = type->name;
  }
  for (char& c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code >= 0x7f || c == '"' || c == '\\' || c == '#') c = '?';
  }
  return text.substr(0, kLongestTypeName);
}

// By its name or its encoding, without a look at its members.
std::optional<ElementType> DebugTypes::known_element(const DebugEntry* type) const {
  const auto size = bytes(type);
  for (int depth = 0; type != nullptr && depth < kDeepestType; ++depth) {
    const bool named = type->tag == DebugTag::typedef_type || is_structure(type);
    if (named) {  // half, float4, cuFloatComplex: what the toolkit names, if it has that size
      const auto known = element_type({std::string(type->name)});
      if (known && size == known->bytes && (is_structure(type) || known->dtype.starts_with('c'))) return known;
    }
    if (!is_qualifier(type->tag)) break;
    type = info_.type_of(*type);
  }
  if (type == nullptr || is_qualifier(type->tag)) return std::nullopt;
  if (type->tag == DebugTag::base_type) return number_type(*type);
  if (type->tag == DebugTag::enumeration && (size == 1 || size == 2 || size == 4 || size == 8))
    return ElementType{fmt::format("i{}", 8 * *size), 1, *size};
  if (is_structure(type)) return complex_type(type->name, size.value_or(0));
  return std::nullopt;
}

// Goes through a type and notes what it meets.
class DebugTypes::Walk {
 public:
  // Without `pointees` what pointers point to is not looked at: a list leads to itself.
  Walk(const DebugTypes& types, DebugLayout& result, bool pointees)
      : types_(types), info_(types.info_), result_(result), pointees_(pointees) {}

  bool visit(const DebugEntry* type, const std::string& name, uint64_t at, bool prefix, int depth) {
    const DebugEntry* const inner = types_.plain(type);
    if (inner == nullptr || depth > kDeepestType || ++visits_ > 4 * kMostValues || at > kMostBytes) return false;
    if (is_address(inner->tag)) return add_pointer(type, *inner, name, at);
    if (const auto number = types_.known_element(type)) return add_number(type, *number, name, at);
    if (inner->tag == DebugTag::array) return visit_array(*inner, name, at, depth);
    if (types_.is_structure(inner)) return visit_structure(*inner, prefix ? name : "", at, depth);
    note(name, at, fmt::format("a {}", inner->name.empty() ? "type without a name" : types_.spelled(inner)));
    return true;
  }

 private:
  struct BitField {
    uint64_t first = 0;  // bits from the start of the parameter
    uint64_t end = 0;
    uint64_t unit = 0;  // bytes of its storage, as declared
    uint64_t unit_bytes = 0;
    std::string name;
  };

  struct Range {
    uint64_t first = 0;
    uint64_t end = 0;
  };

  static std::string joined(const std::string& prefix, const std::string& name) {
    return prefix.empty() ? name : prefix + "_" + name;
  }

  void note(const std::string& name, uint64_t at, const std::string& what) {
    if (result_.notes.size() < 16) result_.notes.push_back(fmt::format("{} at byte {} is {}", name, at, what));
  }

  bool add(SignatureValue value) {
    if (result_.values.size() >= kMostValues) return false;
    std::string name = value.name;
    for (int copy = 2; !names_.insert(name).second; ++copy) name = fmt::format("{}_{}", value.name, copy);
    value.name = name;
    result_.values.push_back(std::move(value));
    return true;
  }

  bool add_pointer(const DebugEntry* type, const DebugEntry& pointer, const std::string& name, uint64_t at) {
    SignatureValue value;
    value.name = name;
    value.type = types_.spelled(type);
    value.offset = at;
    value.bytes = 8;
    const DebugEntry* const target = info_.type_of(pointer);
    const DebugEntry* const plain = types_.plain(target);
    if (name == "__vptr" || name.ends_with("___vptr")) {
      note(name, at, "the table of its virtual functions, which only the GPU's code knows");
      return true;
    }
    constexpr auto kSubroutine = static_cast<DebugTag>(0x15);
    if (plain != nullptr && plain->tag == kSubroutine) {
      note(name, at, "a pointer to a function");
      return true;
    }
    value.pointer = true;
    value.constant = types_.is_const(target);
    const bool nothing = plain == nullptr || plain->name == "void";
    auto element = pointees_ ? types_.element(target) : std::nullopt;
    if (nothing) element = ElementType{"u8", 1, 1};
    if (element) {
      value.dtype = element->dtype;
      value.vector = element->vector;
    }
    return add(std::move(value));
  }

  bool add_number(const DebugEntry* type, const ElementType& number, const std::string& name, uint64_t at) {
    SignatureValue value;
    value.name = name;
    value.type = types_.spelled(type);
    value.offset = at;
    value.bytes = number.bytes / number.vector;
    value.dtype = number.dtype;
    value.enumeration = types_.plain(type)->tag == DebugTag::enumeration;
    for (size_t part = 0; part < number.vector; ++part) {
      SignatureValue one = value;
      if (number.vector > 1) one.name = joined(name, std::string(1, "xyzw"[part % 4]));
      if (one.name.empty()) one.name = "value";  // of a base class
      one.offset = at + part * value.bytes;
      if (!add(std::move(one))) return false;
    }
    return true;
  }

  bool visit_array(const DebugEntry& array, const std::string& name, uint64_t at, int depth) {
    const DebugEntry* const inner = info_.type_of(array);
    const auto dimensions = dimensions_of(info_, array);
    const auto size = types_.bytes(inner);
    if (!dimensions || !size) {
      note(name, at, "an array without a size");
      return true;
    }
    uint64_t count = 1;
    for (const uint64_t extent : *dimensions) count = std::min<uint64_t>(count * extent, kMostBytes);
    if (count > kMostArrayElements) {
      note(name, at, fmt::format("an array of {} elements of {}", count, types_.spelled(inner)));
      return true;
    }
    for (uint64_t i = 0; i < count; ++i) {
      std::string element = name;
      uint64_t rest = count;
      uint64_t index = i;
      for (const uint64_t extent : *dimensions) {
        rest /= extent;
        element += fmt::format("_{}", index / rest);
        index %= rest;
      }
      if (!visit(inner, element, at + i * *size, true, depth + 1)) return false;
    }
    return true;
  }

  bool visit_structure(const DebugEntry& structure, const std::string& prefix, uint64_t at, int depth) {
    if (structure.declaration || !structure.bytes || *structure.bytes > kMostBytes) return false;
    if (structure.children.size() > 4 * kMostValues) return false;
    if (structure.tag == DebugTag::union_type) return visit_union(structure, prefix, at, depth);
    std::vector<BitField> fields;
    std::vector<Range> others;
    for (size_t i = 0; i < structure.children.size(); ++i) {
      const DebugEntry& member = info_.child(structure, i);
      const bool base = member.tag == DebugTag::inheritance || member.name.starts_with("__b_");
      if (member.tag != DebugTag::member && member.tag != DebugTag::inheritance) continue;
      const DebugEntry* const type = info_.type_of(member);
      const auto size = types_.bytes(type);
      if (member.bits) {
        if (!add_field(member, size, prefix, at, fields)) return false;
        continue;
      }
      if (!member.location) {  // a static one has none
        if (base) return false;
        continue;
      }
      if (!size || *member.location + *size > *structure.bytes) return false;
      // What a base class or a structure without a name holds is called as if it stood here.
      const bool through = base || (member.name.empty() && types_.is_structure(types_.plain(type)));
      const std::string name = joined(prefix, identifier(member.name, fmt::format("m{}", i)));
      const bool empty = through && types_.plain(type)->children.empty();
      others.push_back({at + *member.location, at + *member.location + (empty ? 0 : *size)});
      if (!visit(type, through ? prefix : name, at + *member.location, !through || !prefix.empty(), depth + 1))
        return false;
    }
    if (!add_fields(fields, others)) return false;
    std::ranges::stable_sort(result_.values, {}, &SignatureValue::offset);  // bit-fields belong between others
    return true;
  }

  bool add_field(const DebugEntry& member, std::optional<uint64_t> size, const std::string& prefix, uint64_t at,
                 std::vector<BitField>& fields) {
    const uint64_t unit_bytes = member.bytes.value_or(size.value_or(0));
    const uint64_t bits = *member.bits;
    if (unit_bytes == 0 || unit_bytes > 8 || bits == 0 || bits > 8 * unit_bytes) return bits == 0;
    BitField field;
    if (member.data_bits) {
      field.first = 8 * at + std::min(*member.data_bits, 8 * kMostBytes);
      field.unit = field.first / 8 / unit_bytes * unit_bytes;
    } else {
      const uint64_t location = member.location.value_or(0);
      const uint64_t above = member.bit_offset.value_or(0);
      if (location > kMostBytes || above > 8 * unit_bytes - bits) return false;
      field.unit = at + location;
      field.first = 8 * field.unit + 8 * unit_bytes - above - bits;
    }
    field.end = field.first + bits;
    field.unit_bytes = unit_bytes;
    field.name = joined(prefix, identifier(member.name, "bits"));
    fields.push_back(std::move(field));
    return true;
  }

  // Bit-fields that share a byte are one number: their storage, or the bytes that no other member has.
  bool add_fields(std::vector<BitField> fields, const std::vector<Range>& others) {
    std::ranges::sort(fields, {}, &BitField::first);
    for (size_t i = 0; i < fields.size();) {
      Range run{fields[i].first / 8, (fields[i].end + 7) / 8};
      Range unit{fields[i].unit, fields[i].unit + fields[i].unit_bytes};
      std::string name = fields[i].name;
      size_t next = i + 1;
      for (; next < fields.size() && fields[next].first / 8 < std::max(run.end, unit.end); ++next) {
        const bool same = fields[next].unit == unit.first && fields[next].unit_bytes == unit.end - unit.first;
        if (!same && fields[next].first / 8 >= run.end) break;
        if (!same) unit = {0, ~uint64_t{0}};  // there is no one storage for both
        run.end = std::max(run.end, (fields[next].end + 7) / 8);
        if (name.size() + fields[next].name.size() < kLongestMemberName) name += "_" + fields[next].name;
      }
      const auto taken = [&](const Range& range) {
        const auto overlaps = [&](const Range& other) { return range.first < other.end && other.first < range.end; };
        if (std::ranges::any_of(others, overlaps)) return true;
        for (size_t other = 0; other < fields.size(); ++other) {
          const Range bits{fields[other].first / 8, (fields[other].end + 7) / 8};
          if ((other < i || other >= next) && overlaps(bits)) return true;
        }
        return false;
      };
      if (unit.end - unit.first <= 8 && !taken(unit)) run = unit;
      bool first = true;
      for (uint64_t at = run.first; at < run.end;) {
        uint64_t width = 8;
        while (at % width != 0 || at + width > run.end) width /= 2;
        SignatureValue value;
        value.name = first ? name : fmt::format("{}_at{}", name, at);
        value.type = fmt::format("bits of {}", name);
        value.offset = at;
        value.bytes = width;
        value.dtype = fmt::format("u{}", 8 * width);
        if (!add(std::move(value))) return false;
        first = false;
        at += width;
      }
      i = next;
    }
    return true;
  }

  // The largest member stands for all.
  bool visit_union(const DebugEntry& entry, const std::string& prefix, uint64_t at, int depth) {
    const DebugEntry* largest = nullptr;
    uint64_t most = 0;
    for (size_t i = 0; i < entry.children.size(); ++i) {
      const DebugEntry& member = info_.child(entry, i);
      const uint64_t size = member.tag == DebugTag::member ? types_.bytes(info_.type_of(member)).value_or(0) : 0;
      if (size <= most) continue;
      largest = &member;
      most = size;
    }
    if (largest == nullptr) return true;
    if (most > *entry.bytes) return false;
    const DebugEntry* const type = info_.type_of(*largest);
    const bool through = largest->name.empty() && types_.is_structure(types_.plain(type));
    const std::string name = joined(prefix, identifier(largest->name, "m0"));
    return visit(type, through ? prefix : name, at, !through || !prefix.empty(), depth + 1);
  }

  const DebugTypes& types_;
  const ptx::DebugInfo& info_;
  DebugLayout& result_;
  std::set<std::string> names_;
  size_t visits_ = 0;
  bool pointees_;
};

std::optional<ElementType> DebugTypes::element(const DebugEntry* type) const {
  if (const auto known = known_element(type)) return known;
  const DebugEntry* inner = plain(type);
  for (int depth = 0; inner != nullptr && inner->tag == DebugTag::array && depth < kDeepestType; ++depth)
    inner = plain(info_.type_of(*inner));
  if (inner == nullptr || !is_structure(inner)) return inner == nullptr ? std::nullopt : known_element(inner);
  if (const auto known = known_element(inner)) return known;
  // struct Particle { float x, y, z, w; }: four numbers of one type without a gap.
  const auto size = bytes(inner);
  DebugLayout layout;
  Walk walk(*this, layout, false);
  const DebugLayout* const parts = walk.visit(inner, "", 0, false, 0) ? &layout : nullptr;
  if (!size || parts == nullptr || !parts->notes.empty() || parts->values.empty()) return std::nullopt;
  const SignatureValue& first = parts->values.front();
  size_t at = 0;
  for (const SignatureValue& value : parts->values) {
    if (value.pointer || value.dtype != first.dtype || value.offset != at) return std::nullopt;
    at += value.bytes;
  }
  if (at != *size || first.dtype.empty()) return std::nullopt;
  return ElementType{first.dtype, parts->values.size(), at};
}

std::optional<DebugLayout> DebugTypes::layout(const DebugEntry* type, const std::string& name,
                                              bool named_members) const {
  DebugLayout result;
  if (!Walk(*this, result, true).visit(type, name, 0, !named_members, 0)) return std::nullopt;
  return result;
}

}  // namespace assay::build
