// SPDX-License-Identifier: MIT
#include "ptx/debug_info.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "ptx/debug_bytes.hpp"

namespace assay::ptx {
namespace {

constexpr size_t kMostAttributes = 256;       // of one entry
constexpr size_t kLongestName = 64 * 1024;    // mangled names of templates are long
constexpr uint64_t kPlusUnsigned = 0x23;      // DW_OP_plus_uconst
constexpr uint64_t kConstantUnsigned = 0x10;  // DW_OP_constu

// Attributes and forms as the DWARF standard numbers them.
enum Attribute : uint16_t {
  kName = 0x03,
  kByteSize = 0x0b,
  kBitOffset = 0x0c,
  kBitSize = 0x0d,
  kUpperBound = 0x2f,
  kCount = 0x37,
  kMemberLocation = 0x38,
  kDeclaration = 0x3c,
  kEncoding = 0x3e,
  kType = 0x49,
  kDataBitOffset = 0x6b,
  kLinkageName = 0x6e,
  kLinkageNameOfMips = 0x2007,
};

enum Form : uint16_t {
  kAddress = 0x01,
  kBlock2 = 0x03,
  kBlock4 = 0x04,
  kData2 = 0x05,
  kData4 = 0x06,
  kData8 = 0x07,
  kString = 0x08,
  kBlock = 0x09,
  kBlock1 = 0x0a,
  kData1 = 0x0b,
  kFlag = 0x0c,
  kSigned = 0x0d,
  kStringPlace = 0x0e,
  kUnsigned = 0x0f,
  kReferenceAnywhere = 0x10,
  kReference1 = 0x11,
  kReference2 = 0x12,
  kReference4 = 0x13,
  kReference8 = 0x14,
  kReferenceUnsigned = 0x15,
  kIndirect = 0x16,
  kSectionPlace = 0x17,
  kExpression = 0x18,
  kPresent = 0x19,
  kSignature = 0x20,
};

// Reads forward and never past the end: a short section makes it bad, and what it returns from then on is zero.
class DebugCursor {
 public:
  DebugCursor(std::string_view bytes, size_t at, size_t end) : bytes_(bytes), at_(at), end_(end) {
    bad_ = end_ > bytes_.size() || at_ > end_;
  }

  size_t at() const { return at_; }
  bool bad() const { return bad_; }
  bool at_end() const { return bad_ || at_ >= end_; }

  uint64_t fixed(size_t width) {
    if (!has(width)) return 0;
    uint64_t value = 0;
    for (size_t i = 0; i < width; ++i)
      value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes_[at_ + i])) << (8 * i);
    at_ += width;
    return value;
  }

  uint64_t variable(bool is_signed) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const uint64_t byte = fixed(1);
      value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) != 0) continue;
      if (is_signed && (byte & 0x40) != 0 && shift + 7 < 64) value |= ~uint64_t{0} << (shift + 7);
      return value;
    }
    bad_ = true;  // more than 64 bits
    return 0;
  }

  std::string_view block(uint64_t size) {
    if (!has(size)) return {};
    const std::string_view found = bytes_.substr(at_, size);
    at_ += size;
    return found;
  }

  std::string_view text() {
    if (bad_) return {};
    const std::string_view rest = bytes_.substr(at_, std::min(end_ - at_, kLongestName + 1));
    const size_t end = rest.find('\0');
    if (end == std::string_view::npos) {
      bad_ = true;
      return {};
    }
    at_ += end + 1;
    return rest.substr(0, end);
  }

 private:
  bool has(uint64_t size) {
    bad_ = bad_ || size > end_ - at_;
    return !bad_;
  }

  std::string_view bytes_;
  size_t at_;
  size_t end_;
  bool bad_ = false;
};

struct AttributeForm {
  uint64_t attribute = 0;
  uint64_t form = 0;
};

struct Abbreviation {
  uint64_t tag = 0;
  bool children = false;
  std::vector<AttributeForm> attributes;
};

// What an attribute's bytes are, whatever its form.
struct FormValue {
  uint64_t number = 0;
  std::string_view text;   // of a string
  std::string_view block;  // of an expression
  bool is_block = false;
};

bool read_abbreviations(std::string_view bytes, uint64_t at, std::map<uint64_t, Abbreviation>& all) {
  if (at > bytes.size()) return false;
  DebugCursor cursor(bytes, at, bytes.size());
  for (;;) {
    const uint64_t code = cursor.at_end() ? 0 : cursor.variable(false);
    if (code == 0) return !cursor.bad();
    Abbreviation abbreviation;
    abbreviation.tag = cursor.variable(false);
    abbreviation.children = cursor.fixed(1) != 0;
    for (;;) {
      const AttributeForm pair{cursor.variable(false), cursor.variable(false)};
      if (cursor.bad() || abbreviation.attributes.size() > kMostAttributes) return false;
      if (pair.attribute == 0 && pair.form == 0) break;
      abbreviation.attributes.push_back(pair);
    }
    all.emplace(code, std::move(abbreviation));
  }
}

}  // namespace

// The units of .debug_info, one after the other.
class DebugUnitReader {
 public:
  explicit DebugUnitReader(DebugInfo& info) : info_(info) {}

  Result<void> read() {
    const std::string_view all = info_.sections_->information;
    for (size_t at = 0; at + 4 < all.size();) {
      unit_ = at;
      DebugCursor cursor(all, at, all.size());
      const uint64_t length = cursor.fixed(4);
      if (length == 0) return {};  // padding
      if (length > all.size() - cursor.at()) return fail(at, "its length is more than there is");
      at = cursor.at() + length;
      ASSAY_CHECK(read_unit(DebugCursor(all, cursor.at(), at)));
    }
    return {};
  }

 private:
  static Error fail(size_t at, std::string_view what) {
    return Error{fmt::format("byte {} of .debug_info: {}", at, what), {}, ""};
  }

  Result<void> read_unit(DebugCursor cursor) {
    version_ = cursor.fixed(2);
    if (version_ < 2 || version_ > 4)
      return fail(unit_, fmt::format("DWARF {} is not read; expected 2, 3 or 4", version_));
    const uint64_t abbreviations = cursor.fixed(4);
    address_bytes_ = cursor.fixed(1);
    if (cursor.bad() || (address_bytes_ != 4 && address_bytes_ != 8)) return fail(unit_, "the unit's head is cut off");
    abbreviations_.clear();
    if (!read_abbreviations(info_.sections_->abbreviations, abbreviations, abbreviations_))
      return fail(unit_, "its abbreviations cannot be read");
    std::vector<size_t> parents;
    while (!cursor.at_end()) {
      const size_t at = cursor.at();
      const uint64_t code = cursor.variable(false);
      if (code == 0) {
        if (!parents.empty()) parents.pop_back();
        continue;
      }
      const auto abbreviation = abbreviations_.find(code);
      if (abbreviation == abbreviations_.end()) return fail(at, fmt::format("abbreviation {} does not exist", code));
      const size_t index = info_.entries_.size();
      info_.entries_.push_back(read_entry(at, abbreviation->second, cursor));
      if (cursor.bad()) return fail(at, "the entry is cut off, or has a form that is not known");
      if (!parents.empty()) info_.entries_[parents.back()].children.push_back(index);
      if (abbreviation->second.children) parents.push_back(index);
    }
    return cursor.bad() ? Result<void>(fail(cursor.at(), "the unit is cut off")) : Result<void>();
  }

  DebugEntry read_entry(size_t at, const Abbreviation& abbreviation, DebugCursor& cursor) const {
    DebugEntry entry;
    entry.offset = at;
    entry.tag = abbreviation.tag <= 0xffff ? static_cast<DebugTag>(abbreviation.tag) : DebugTag::none;
    for (const AttributeForm& pair : abbreviation.attributes) {
      const FormValue value = read_form(pair.form, cursor);
      if (cursor.bad()) break;
      take(pair.attribute, value, entry);
    }
    return entry;
  }

  static void take(uint64_t attribute, const FormValue& value, DebugEntry& entry) {
    const auto number = [&](std::optional<uint64_t>& into) {
      if (!value.is_block) into = value.number;
    };
    switch (attribute) {
      case kName:
        entry.name = value.text;
        break;
      case kLinkageName:
      case kLinkageNameOfMips:
        entry.linkage_name = value.text;
        break;
      case kType:
        number(entry.type);
        break;
      case kByteSize:
        number(entry.bytes);
        break;
      case kBitSize:
        number(entry.bits);
        break;
      case kBitOffset:
        number(entry.bit_offset);
        break;
      case kDataBitOffset:
        number(entry.data_bits);
        break;
      case kCount:
        number(entry.count);
        break;
      case kUpperBound:
        number(entry.upper_bound);
        break;
      case kDeclaration:
        entry.declaration = value.number != 0;
        break;
      case kEncoding:
        entry.encoding = static_cast<DebugEncoding>(value.number & 0xff);
        break;
      case kMemberLocation:
        entry.location = value.is_block ? member_place(value.block) : value.number;
        break;
      default:
        break;
    }
  }

  // "plus 16", which is all that compilers write for members at a fixed place.
  static std::optional<uint64_t> member_place(std::string_view block) {
    DebugCursor cursor(block, 0, block.size());
    const uint64_t operation = cursor.fixed(1);
    const uint64_t value = cursor.variable(false);
    const bool known = operation == kPlusUnsigned || operation == kConstantUnsigned;
    return known && !cursor.bad() && cursor.at_end() ? std::optional(value) : std::nullopt;
  }

  FormValue read_form(uint64_t form, DebugCursor& cursor) const {
    if (form == kIndirect) form = cursor.variable(false);
    const auto number = [](uint64_t value) { return FormValue{value, {}, {}, false}; };
    const auto block = [&](uint64_t size) { return FormValue{0, {}, cursor.block(size), true}; };
    const auto reference = [&](uint64_t inside) { return FormValue{unit_ + inside, {}, {}, false}; };
    switch (form) {
      case kAddress:
        return number(cursor.fixed(address_bytes_));
      case kBlock1:
        return block(cursor.fixed(1));
      case kBlock2:
        return block(cursor.fixed(2));
      case kBlock4:
        return block(cursor.fixed(4));
      case kBlock:
      case kExpression:
        return block(cursor.variable(false));
      case kFlag:
      case kData1:
        return number(cursor.fixed(1));
      case kData2:
        return number(cursor.fixed(2));
      case kData4:
      case kSectionPlace:
        return number(cursor.fixed(4));
      case kData8:
      case kSignature:
        return number(cursor.fixed(8));
      case kSigned:
        return number(cursor.variable(true));
      case kUnsigned:
        return number(cursor.variable(false));
      case kString:
        return FormValue{0, cursor.text(), {}, false};
      case kStringPlace:
        return FormValue{0, string_at(cursor.fixed(4)), {}, false};
      case kReferenceAnywhere:
        return number(cursor.fixed(version_ == 2 ? address_bytes_ : 4));
      case kReference1:
        return reference(cursor.fixed(1));
      case kReference2:
        return reference(cursor.fixed(2));
      case kReference4:
        return reference(cursor.fixed(4));
      case kReference8:
        return reference(cursor.fixed(8));
      case kReferenceUnsigned:
        return reference(cursor.variable(false));
      case kPresent:
        return number(1);
      default:
        break;
    }
    cursor.block(~uint64_t{0});  // nobody knows how long it is
    return {};
  }

  // Empty if there is none: a name that is missing is no reason to give up the rest.
  std::string_view string_at(uint64_t place) const {
    const std::string_view all = info_.sections_->strings;
    if (place >= all.size()) return {};
    return DebugCursor(all, place, all.size()).text();
  }

  DebugInfo& info_;
  size_t unit_ = 0;
  uint64_t version_ = 0;
  uint64_t address_bytes_ = 8;
  std::map<uint64_t, Abbreviation> abbreviations_;
};

namespace {

// Names become places: of a section its start, of a label that of its section. Addresses of code stay zero.
void resolve(DebugBytes& section, const std::map<std::string, size_t>& labels) {
  for (const DebugReference& reference : section.references) {
    const auto label = labels.find(reference.name);
    if (label == labels.end() && !reference.name.starts_with('.')) continue;
    const uint64_t value = (label == labels.end() ? 0 : label->second) + static_cast<uint64_t>(reference.addend);
    for (int byte = 0; byte < reference.width; ++byte)
      section.bytes[reference.at + static_cast<size_t>(byte)] = static_cast<char>((value >> (8 * byte)) & 0xff);
  }
}

}  // namespace

Result<DebugInfo> DebugInfo::read(const Module& module) {
  DebugBytes abbreviations = debug_bytes(module, ".debug_abbrev");
  DebugBytes information = debug_bytes(module, ".debug_info");
  DebugBytes strings = debug_bytes(module, ".debug_str");
  std::map<std::string, size_t> labels = std::move(strings.labels);
  labels.merge(information.labels);
  labels.merge(abbreviations.labels);
  resolve(information, labels);
  DebugInfo info;
  info.sections_ = std::make_shared<const Sections>(
      Sections{std::move(abbreviations.bytes), std::move(information.bytes), std::move(strings.bytes)});
  ASSAY_CHECK(DebugUnitReader(info).read());
  return info;
}

const DebugEntry* DebugInfo::at(uint64_t offset) const {
  const auto found = std::ranges::lower_bound(entries_, offset, {}, &DebugEntry::offset);
  return found != entries_.end() && found->offset == offset ? &*found : nullptr;
}

}  // namespace assay::ptx
