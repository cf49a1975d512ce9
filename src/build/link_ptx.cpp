// SPDX-License-Identifier: MIT
#include "build/link_ptx.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "base/text.hpp"
#include "ptx/parser.hpp"
#include "ptx/printer.hpp"

namespace assay::build {
namespace {

bool has(const std::vector<std::string>& linkage, std::string_view word) {
  return std::ranges::find(linkage, word) != linkage.end();
}

// The names of the runtime that the virtual GPU and the driver know by themselves.
bool is_of_the_system(const std::string& name) {
  return name == "vprintf" || name == "malloc" || name == "free" || name == "__assertfail" || name.starts_with("cuda");
}

class Linker {
 public:
  explicit Linker(const std::vector<PtxPart>& parts) : parts_(parts) {}

  Result<std::string> link() {
    for (const PtxPart& part : parts_) {
      ASSAY_TRY(ptx::Module module, ptx::parse(part.text, part.file_name));
      modules_.push_back(std::move(module));
    }
    for (size_t i = 0; i < modules_.size(); ++i) ASSAY_CHECK(find_definitions(i));
    ASSAY_CHECK(check_declarations());
    ptx::Module linked;
    linked.version_major = modules_.front().version_major;
    linked.version_minor = modules_.front().version_minor;
    linked.targets = modules_.front().targets;
    linked.address_size = modules_.front().address_size;
    for (size_t i = 0; i < modules_.size(); ++i) {
      renumber(i);
      if (std::pair(modules_[i].version_major, modules_[i].version_minor) >
          std::pair(linked.version_major, linked.version_minor)) {
        linked.version_major = modules_[i].version_major;
        linked.version_minor = modules_[i].version_minor;
      }
    }
    take_variables(linked);
    for (size_t i = 0; i < modules_.size(); ++i) take_others(i, linked);
    return ptx::print(linked);
  }

 private:
  // Where a symbol is defined: the part.
  struct Definition {
    size_t part = 0;
    bool weak = false;
  };

  Result<void> define(const std::string& name, size_t part, const std::vector<std::string>& linkage) {
    const bool weak = has(linkage, "weak") || has(linkage, "common");
    const auto [found, fresh] = definitions_.emplace(name, Definition{part, weak});
    if (fresh || weak) return {};
    if (found->second.weak) {
      found->second = {part, false};
      return {};
    }
    return Error{fmt::format("\"{}\" is defined in {} and in {}", name, parts_[found->second.part].file_name,
                             parts_[part].file_name),
                 {},
                 "one source defines it, the others declare it extern"};
  }

  Result<void> find_definitions(size_t part) {
    for (const ptx::ModuleItem& item : modules_[part].items) {
      if (const auto* variable = std::get_if<ptx::Variable>(&item)) {
        if (!has(variable->linkage, "extern")) ASSAY_CHECK(define(variable->name, part, variable->linkage));
      } else if (const auto* function = std::get_if<ptx::Function>(&item)) {
        if (function->body) ASSAY_CHECK(define(function->name, part, function->linkage));
      }
    }
    return {};
  }

  Result<void> check_declarations() const {
    for (size_t i = 0; i < modules_.size(); ++i) {
      for (const ptx::ModuleItem& item : modules_[i].items) {
        const auto* variable = std::get_if<ptx::Variable>(&item);
        const auto* function = std::get_if<ptx::Function>(&item);
        const bool declared =
            (variable != nullptr && has(variable->linkage, "extern") && variable->space != "shared") ||
            (function != nullptr && !function->body && !is_of_the_system(function->name));
        const std::string name = variable != nullptr ? variable->name : function != nullptr ? function->name : "";
        if (!declared || definitions_.contains(name)) continue;
        return Error{fmt::format("{} uses \"{}\", which none of the sources defines", parts_[i].file_name, name),
                     {},
                     "add the source that defines it to [kernel] source"};
      }
    }
    return {};
  }

  // File numbers continue those of the parts before; labels of debug strings get the part's number.
  void renumber(size_t part) {
    const int first = files_;
    const std::string label = fmt::format("$L__part{}_", part);
    const auto renamed = [&](const std::string& name) {
      return name.starts_with("$L__") ? label + name.substr(4) : name;
    };
    for (ptx::ModuleItem& item : modules_[part].items) {
      if (auto* file = std::get_if<ptx::SourceFile>(&item)) {
        file->index += first;
        files_ = std::max(files_, file->index);
      } else if (auto* section = std::get_if<ptx::DebugSection>(&item)) {
        std::string content;
        for (size_t at = 0, found = 0; at < section->content.size(); at = found + 4) {
          found = std::min(section->content.find("$L__", at), section->content.size());
          content.append(section->content, at, found - at);
          if (found == section->content.size()) break;
          content += label;
        }
        section->content = std::move(content);
      } else if (auto* function = std::get_if<ptx::Function>(&item); function != nullptr && function->body) {
        renumber(*function->body, first, renamed);
      }
    }
  }

  template <class Renamed>
  void renumber(ptx::CompoundStatement& compound, int first, const Renamed& renamed) {
    for (ptx::Statement& statement : compound.statements) {
      if (auto* inner = std::get_if<ptx::CompoundStatement>(&statement.value)) renumber(*inner, first, renamed);
      auto* location = std::get_if<ptx::Location>(&statement.value);
      if (location == nullptr) continue;
      location->file += first;
      if (!location->inlined_at) continue;
      location->inlined_at->file += first;
      location->inlined_at->function_label = renamed(location->inlined_at->function_label);
    }
  }

  bool is_defined_in(const std::string& name, size_t part) const {
    const auto found = definitions_.find(name);
    return found != definitions_.end() && found->second.part == part;
  }

  // First: a function names variables of any part.
  void take_variables(ptx::Module& linked) {
    std::set<std::string> taken;
    for (size_t i = 0; i < modules_.size(); ++i) {
      for (const ptx::ModuleItem& item : modules_[i].items) {
        const auto* variable = std::get_if<ptx::Variable>(&item);
        if (variable == nullptr || taken.contains(variable->name)) continue;
        const bool dynamic = has(variable->linkage, "extern") && variable->space == "shared";
        if (!dynamic && !is_defined_in(variable->name, i)) continue;
        taken.insert(variable->name);
        linked.items.push_back(*variable);
      }
    }
    // One declaration of every function that another one may call before it is defined.
    for (ptx::Module& module : modules_) {
      for (const ptx::ModuleItem& item : module.items) {
        const auto* function = std::get_if<ptx::Function>(&item);
        if (function == nullptr || function->body || !taken.insert(function->name).second) continue;
        ptx::Function declaration = *function;
        if (definitions_.contains(function->name)) declaration.linkage = {"visible"};
        linked.items.push_back(std::move(declaration));
      }
    }
  }

  void take_others(size_t part, ptx::Module& linked) {
    for (ptx::ModuleItem& item : modules_[part].items) {
      if (std::holds_alternative<ptx::Variable>(item)) continue;
      const auto* function = std::get_if<ptx::Function>(&item);
      if (function != nullptr && (!function->body || !is_defined_in(function->name, part))) continue;
      linked.items.push_back(std::move(item));
    }
  }

  const std::vector<PtxPart>& parts_;
  std::vector<ptx::Module> modules_;
  std::map<std::string, Definition> definitions_;
  int files_ = 0;
};

}  // namespace

Result<std::string> link_ptx(const std::vector<PtxPart>& parts) {
  return Linker(parts).link();
}

}  // namespace assay::build
