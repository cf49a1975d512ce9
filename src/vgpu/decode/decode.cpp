// SPDX-License-Identifier: MIT
#include "vgpu/decode/decode.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "ptx/parser.hpp"
#include "vgpu/decode/contraction.hpp"
#include "vgpu/decode/function_decoder.hpp"
#include "vgpu/decode/location_table.hpp"
#include "vgpu/decode/module_layout.hpp"

namespace assay::vgpu {
namespace {

// Every function gets its number before any is decoded, since they call each other. A definition replaces a
// declaration.
std::vector<const ptx::Function*> number_functions(const ptx::Module& module, Program& program) {
  std::vector<const ptx::Function*> sources;
  for (const ptx::ModuleItem& item : module.items) {
    const auto* source = std::get_if<ptx::Function>(&item);
    if (source == nullptr) continue;
    const auto [entry, fresh] = program.function_index.try_emplace(source->name, static_cast<int>(sources.size()));
    if (fresh) {
      sources.push_back(source);
    } else if (source->body) {
      sources[static_cast<size_t>(entry->second)] = source;
    }
  }
  for (const ptx::ModuleItem& item : module.items) {
    const auto* alias = std::get_if<ptx::Alias>(&item);
    if (alias == nullptr) continue;
    const auto target = program.function_index.find(alias->target);
    if (target != program.function_index.end()) program.function_index[alias->name] = target->second;
  }
  program.functions.resize(sources.size());
  return sources;
}

void read_attributes(const ptx::Function& source, Function& function) {
  function.name = source.name;
  function.is_entry = source.is_entry;
  function.declared_only = !source.body;
  for (const ptx::FunctionAttribute& attribute : source.attributes) {
    const auto value = [&](size_t i) {
      return i < attribute.values.size() ? static_cast<uint32_t>(attribute.values[i]) : 1u;
    };
    if (attribute.name == "maxntid") function.max_threads = value(0) * value(1) * value(2);
    if (attribute.name == "reqntid") function.required_threads = {value(0), value(1), value(2)};
    if (attribute.name == "maxnreg") function.max_registers = value(0);
    if (attribute.name == "minnctapersm") function.min_blocks = value(0);
    if (attribute.name == "reqnctapercluster") function.required_cluster = {value(0), value(1), value(2)};
  }
}

// Code that stops half way has no rows yet, and observers look at the code of all functions.
void drop_code(Function& function) {
  function.code.clear();
  function.origins.clear();
  function.row_pool.clear();
  function.row_info.clear();
}

// What holds for a function holds for those that call it.
void spread_to_callers(Program& program) {
  const bool reserves_shared = std::ranges::any_of(program.functions, &Function::reserved_shared);
  for (bool changed = true; changed;) {
    changed = false;
    for (Function& caller : program.functions) {
      for (const CallSite& call : caller.calls) {
        const bool indirect = call.function < 0 && call.system == CallSite::System::none;
        const Function* callee = call.function >= 0 ? &program.functions[static_cast<size_t>(call.function)] : nullptr;
        if ((indirect || (callee != nullptr && callee->communicates)) && !caller.communicates)
          caller.communicates = changed = true;
        if ((indirect || (callee != nullptr && callee->reserved_shared)) && !caller.reserved_shared && reserves_shared)
          caller.reserved_shared = changed = true;
        if (callee != nullptr && callee->undecodable && !caller.undecodable)
          caller.undecodable = callee->undecodable, changed = true;
      }
    }
  }
}

// Decodes the functions of a module. One that cannot be executed keeps the reason, which a launch of it gives; the
// others are not held up.
class ModuleDecoder {
 public:
  ModuleDecoder(const ptx::Module& module, std::vector<const ptx::Function*> sources, const ModuleLayout& layout,
                Program& program, const gpu::GpuModel& model)
      : sources_(std::move(sources)), layout_(layout), locations_(program, module), program_(program), model_(model) {}

  // Dynamic shared memory begins behind the static part, whose size is known only when the function has been decoded: a
  // function that names it is decoded a second time with the right base.
  void decode_all() {
    // Who calls a function needs to know whether there is one, wherever it stands.
    for (size_t i = 0; i < sources_.size(); ++i) read_attributes(*sources_[i], program_.functions[i]);
    std::vector<bool> uses_dynamic(sources_.size());
    uint32_t largest_base = 0;
    bool agreed_base = false;  // a device function names dynamic shared memory: it begins at one place for all kernels
    for (size_t i = 0; i < sources_.size(); ++i) {
      uses_dynamic[i] = decode_one(i, 0);
      largest_base = std::max(largest_base, base_of(program_.functions[i]));
      agreed_base |= uses_dynamic[i] && !sources_[i]->is_entry;
    }
    for (size_t i = 0; i < sources_.size(); ++i) {
      const uint32_t base = agreed_base ? largest_base : base_of(program_.functions[i]);
      if (uses_dynamic[i] && base != 0) decode_one(i, base);
      program_.functions[i].dynamic_shared_base = base;
    }
    spread_to_callers(program_);
  }

 private:
  uint32_t base_of(const Function& function) const {
    return static_cast<uint32_t>(
        round_up(std::max(function.static_shared_bytes, layout_.shared_bytes), layout_.dynamic_shared_alignment));
  }

  // Whether the function names dynamic shared memory.
  bool decode_one(size_t i, uint32_t base) {
    Function& function = program_.functions[i];
    function = Function{};
    read_attributes(*sources_[i], function);
    function.dynamic_shared_base = base;
    std::erase_if(program_.shared_variables,
                  [&](const SharedVariable& v) { return v.function == static_cast<int>(i); });
    FunctionDecoder decoder(*sources_[i], layout_, locations_, program_, static_cast<int>(i), model_);
    if (auto decoded = decoder.decode(); !decoded) {
      function.undecodable = std::move(decoded).error();
      drop_code(function);
    }
    return decoder.uses_dynamic_shared();
  }

  std::vector<const ptx::Function*> sources_;
  const ModuleLayout& layout_;
  LocationTable locations_;
  Program& program_;
  const gpu::GpuModel& model_;
};

Result<void> check_target(const ptx::Module& module, const std::string& file_name, const gpu::GpuModel& model) {
  for (const std::string& target : module.targets) {
    if (!target.starts_with("sm_")) continue;
    const int wanted = std::atoi(target.c_str() + 3);
    const bool arch_specific = target.back() == 'a' || target.back() == 'f';
    const bool fits = arch_specific ? wanted == model.compute_capability() : wanted <= model.compute_capability();
    if (!fits) {
      return Error{fmt::format("the module is for {}, which {} (sm_{}) cannot run", target, model.name,
                               model.compute_capability()),
                   Place{file_name}, "choose another --device, or compile for this one", ExitCode::environment};
    }
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Program>> decode(std::string_view ptx, const std::string& file_name, GlobalMemory& memory,
                                        const gpu::GpuModel& model, const DecodeOptions& options) {
  ASSAY_TRY(ptx::Module module, ptx::parse(ptx, file_name));
  ASSAY_CHECK(check_target(module, file_name, model));
  auto program = std::make_unique<Program>();
  program->file_name = file_name;
  for (const std::string_view line : split(ptx, '\n')) program->source_lines.emplace_back(trim(line));
  for (const ptx::ModuleItem& item : module.items) {
    if (const auto* file = std::get_if<ptx::SourceFile>(&item)) program->files[file->index] = file->name;
  }
  std::vector<const ptx::Function*> sources = number_functions(module, *program);
  program->fused = options.fuse;
  for (ptx::ModuleItem& item : module.items) {
    auto* source = std::get_if<ptx::Function>(&item);
    if (source == nullptr) continue;
    const auto pairs = contract(*source, program->function_index.at(source->name), options.fuse);
    program->fusible.insert(program->fusible.end(), pairs.begin(), pairs.end());
  }
  ASSAY_TRY(const ModuleLayout layout, lay_out(module, file_name, memory, *program));
  ModuleDecoder(module, std::move(sources), layout, *program, model).decode_all();
  return program;
}

Result<const Program*> load(Gpu& gpu, std::string_view ptx, const std::string& file_name,
                            const DecodeOptions& options) {
  ASSAY_TRY(std::unique_ptr<Program> program, decode(ptx, file_name, gpu.memory(), gpu.model(), options));
  return gpu.keep(std::move(program));
}

}  // namespace assay::vgpu
