// SPDX-License-Identifier: MIT
// What a kernel.toml says, checked. docs/kernel_toml.md describes the format; configuration.hpp, shape.hpp,
// launch.hpp and resolved_argument.hpp turn it into numbers.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "spec/expression.hpp"
#include "spec/fill.hpp"
#include "spec/template_text.hpp"
#include "spec/value.hpp"

namespace assay::spec {

inline constexpr size_t kMaxConfigurations = 100'000;  // in one list; a search has no list
inline constexpr double kMaxCombinations = 1e15;       // of the tunables, before constraints
inline constexpr size_t kMaxTunableValues = 4096;      // of one tunable
inline constexpr size_t kMaxShapes = 100'000;

using Option = std::variant<int64_t, double, bool, std::string>;  // kept as written, for whoever understands it
using Options = std::map<std::string, Option>;

// [kernel]
struct KernelSection {
  std::string name;
  std::string description;
  std::filesystem::path source;  // relative to the specification's folder, as all paths here; CUDA C++, PTX or a cubin
  Place source_place;
  std::vector<std::filesystem::path> further_sources;   // compiled apart and linked with the first: -rdc=true
  std::map<std::string, std::filesystem::path> cubins;  // ready machine code, by target
  std::map<std::string, Place> cubin_places;
  std::vector<std::string> targets;  // "sm_80", ...
  Place targets_place;
  std::vector<std::string> flags;                      // further compiler flags, each from the allowed list
  std::vector<std::filesystem::path> include_folders;  // relative to the specification's folder
  // As written, with {TUNABLE} where a configuration chooses; `source`, `further_sources` and `flags` above are those
  // of the default configuration (choice.hpp has the others). Empty: nothing is chosen.
  std::vector<TemplateText> source_texts;
  std::vector<TemplateText> flag_texts;

  bool is_ptx() const { return source.extension() == ".ptx"; }
  bool is_cubin() const { return source.extension() == ".cubin"; }
  bool is_linked() const;  // several sources, or the flag -rdc=true
};

// [problem]
struct ProblemSection {
  std::string reference;           // the name of a built-in reference, or a file ending in .cpp or .py
  bool reference_is_file = false;  // then relative to the specification's folder
  Place reference_place;
  std::string compare;  // a file whose function judges the outputs; empty: tolerances do
  Place compare_place;
  Options options;  // [problem.options]: parameters of the reference
  std::optional<Expression> flops;
  std::optional<Expression> bytes;
};

// [[argument]], in the order of the kernel's parameters
enum class Role {
  input,
  output,
  inout,
  scratch,  // between the stages of a call: poisoned before it, compared with nothing
};

inline bool is_filled(Role role) {  // has values before the call
  return role == Role::input || role == Role::inout;
}
inline bool is_result(Role role) {  // is compared after it
  return role == Role::output || role == Role::inout;
}

// [tolerance], [tolerance.DTYPE] and that of one tensor
struct Tolerance {
  double atol = 0;
  double rtol = 0;
};

struct TensorSpec {
  TemplateText dtype;
  std::vector<Expression> shape;
  std::vector<Expression> strides;  // in elements, one for each dimension; empty: row-major and dense
  FillSpec fill;
  Role role = Role::input;
  std::optional<Tolerance> tolerance;  // of this tensor alone
};

struct ScalarSpec {
  TemplateText type;  // an element type, or "bool" (one byte, 0 or 1)
  Expression value;
};

// What copies in im2col mode move (cuTensorMapEncodeIm2col): pixels from a box, which the corners bound in all
// dimensions between images and channels.
struct Im2colSpec {
  Place place;
  std::vector<Expression> lower;  // in the order of the tensor's shape
  std::vector<Expression> upper;
  Expression channels;  // of a pixel
  Expression pixels;
};

// A Hopper tensor map (cuTensorMapEncodeTiled) over another argument's tensor.
struct TensorMapSpec {
  std::string of;
  Place of_place;
  std::vector<Expression> box;  // in the order of the tensor's shape; empty with `im2col`
  std::optional<Im2colSpec> im2col;
  std::vector<Expression> element_strides;  // empty: all 1
  int swizzle = 0;                          // bytes: 0, 32, 64, 128
  int interleave = 0;                       // bytes: 0, 16, 32
  int l2_promotion = 0;                     // bytes: 0, 64, 128, 256
  bool out_of_bounds_nan = false;           // fill = "nan" instead of zeros
};

// The smaller images behind a texture's first one, each a tensor of its own, and how a fetch chooses among them.
struct MipmapSpec {
  std::vector<std::string> levels;  // tensors: level 1, 2, ...
  std::vector<Place> places;
  bool linear = false;     // a fetch between two levels takes its part of both
  double bias = 0;         // added to every level that a fetch asks for
  double first_level = 0;  // what a fetch asks for is limited to these
  double last_level = 15;
};

// A texture or a surface over another argument's tensor (cudaTextureObject_t, cudaSurfaceObject_t).
struct TextureSpec {
  std::string of;
  Place of_place;
  Place place;
  bool surface = false;
  int64_t channels = 1;              // 2 and 4: the tensor's last dimension
  bool layered = false;              // the tensor's first dimension counts layers, or cubes
  bool cube = false;                 // six faces
  std::string memory = "array";      // "linear" and "pitch": the tensor's memory itself
  bool linear = false;               // the filter
  bool normalised = false;           // coordinates
  bool fractions = false;            // integers are read as fractions of the largest one
  std::vector<std::string> address;  // of x, y, z; one for all of them; none: "clamp"
  std::vector<double> border;        // of each channel
  bool srgb = false;                 // fractions of u8 are sRGB, and read as linear light
  std::optional<MipmapSpec> mipmap;
};

// A pointer into another argument's tensor: the same memory under a second name, or a part of it.
struct ViewSpec {
  std::string of;
  Place of_place;
  std::optional<Expression> offset;  // in elements of that tensor; 0 if absent
};

// An array of pointers in the device's memory: one to each of several tensors, or to parts of one.
struct PointersSpec {
  std::vector<std::string> of;
  std::vector<Place> of_places;
  std::optional<Expression> count;  // with one tensor: so many pointers, `step` elements apart
  std::optional<Expression> step;
};

struct ArgumentSpec {
  std::string name;
  Place place;
  std::string structure;                   // the parameter that it is a field of; empty: a parameter of its own
  std::optional<int64_t> at;               // where in the structure, in bytes; otherwise where C++ would put it
  std::optional<int64_t> structure_bytes;  // of the whole structure
  std::string global;                      // the __constant__ or __device__ variable that it is; empty: none
  Place global_place;
  bool passed = true;  // false: the kernel has no parameter for it
  std::variant<TensorSpec, ScalarSpec, TensorMapSpec, ViewSpec, PointersSpec, TextureSpec> kind;

  const TensorSpec* tensor() const { return std::get_if<TensorSpec>(&kind); }
  const ScalarSpec* scalar() const { return std::get_if<ScalarSpec>(&kind); }
  const TensorMapSpec* tensor_map() const { return std::get_if<TensorMapSpec>(&kind); }
  const ViewSpec* view() const { return std::get_if<ViewSpec>(&kind); }
  const PointersSpec* pointers() const { return std::get_if<PointersSpec>(&kind); }
  const TextureSpec* texture() const { return std::get_if<TextureSpec>(&kind); }
};

// How one kernel is launched: [launch], or what a [[stage]] says of it.
struct LaunchSection {
  Place place;
  std::vector<Expression> grid;   // 1 to 3
  std::vector<Expression> block;  // 1 to 3
  std::optional<Expression> shared_bytes;
  std::vector<Expression> cluster;  // 0 to 3; empty: no clusters
  bool cooperative = false;
  Place cooperative_place;
  bool programmatic = false;               // may begin before the kernel in front of it has ended
  std::optional<int64_t> priority;         // of the launch among those that wait
  std::optional<int64_t> shared_carveout;  // percent of the SM's memory that is preferred as shared memory
};

// One kernel of a call. A specification without [[stage]] has one, made of `entry` and [launch].
struct StageSpec {
  std::string name;
  Place place;
  TemplateText entry;
  LaunchSection launch;
  std::vector<std::string> arguments;  // in the order of this kernel's parameters
  bool all_arguments = true;           // no list was given: every argument that is passed
  std::vector<std::string> after;      // stages that come before it
  Place after_place;
};

// [tunable] and [defaults]
struct Tunable {
  std::string name;
  Place place;
  std::vector<Value> values;  // all integers, all booleans or all words; at least one
  std::vector<Place> places;  // of the values; none for a range
};

struct TunableSection {
  Place place;
  std::vector<Tunable> tunables;        // in the file's order
  std::vector<Expression> constraints;  // on tunables alone: what is not met is not a configuration
  std::vector<Expression>
      pair_constraints;  // that also name shape dimensions: what is not met does not apply to the shape
  Bindings defaults;
  Place defaults_place;
};

// [shapes]
struct ShapeAxis {
  std::string name;
  Place place;
  std::vector<Value> values;  // integers >= 1, booleans or element types
};

struct ShapeSet {
  std::string name;  // "canonical", "grid", ...
  Place place;
  bool is_grid = false;
  std::vector<Bindings> list;   // if not a grid: complete
  std::vector<ShapeAxis> axes;  // if a grid: the Cartesian product, the last axis fastest; complete
};

struct ShapesSection {
  Place place;
  std::vector<std::string> dimensions;  // every name that a shape binds, in order of appearance
  std::map<std::string, Value::Kind> kinds;
  Bindings defaults;  // dimensions that a shape need not give; booleans are false without it
  std::vector<ShapeSet> sets;
  std::vector<Expression> constraints;
};

struct ToleranceSection {
  std::optional<Tolerance> general;  // without it, the defaults of tolerance.cpp for each type
  std::map<DType, Tolerance> by_dtype;
};

// [baseline.NAME]
struct Baseline {
  std::string name;
  Place place;
  std::string provider;
  Options options;
};

// [expect]: for a kernel that must fail, what must be said about it
struct Expectation {
  std::string verdict;           // see expected_verdicts()
  std::string kind;              // of the finding, see expected_kinds(); may be empty
  std::string space;             // see expected_spaces(); may be empty
  std::optional<int64_t> line;   // of the source
  std::string line_text;         // a part of that source line; survives edits better than its number
  std::optional<int64_t> bytes;  // of the access
  std::string message;           // a part of the message
};

const std::vector<std::string>& expected_verdicts();  // finding, incorrect, does_not_fit, ...
const std::vector<std::string>& expected_kinds();     // misaligned, out_of_bounds, ...
const std::vector<std::string>& expected_spaces();    // global, shared, ...

// [let]
struct Let {
  std::string name;
  Place place;
  Expression value;
};

// What processes of the user's may take: references that a file holds, and providers.
struct LimitsSection {
  double reference_seconds = 60;           // of one evaluation
  double reference_gib = 16;               // its address space
  std::optional<double> provider_seconds;  // of one request; otherwise what the request usually needs
  std::optional<double> provider_gib;      // private memory on the host; otherwise no limit
};

struct KernelSpec {
  std::filesystem::path folder;
  std::filesystem::path file;
  KernelSection kernel;
  ProblemSection problem;
  std::vector<ArgumentSpec> arguments;
  std::vector<StageSpec> stages;      // in the order in which they run; none if a function launches them
  std::filesystem::path launch_file;  // launch = "launch.cpp": a function that launches; empty: there is none
  Place launch_file_place;
  TunableSection tunable;
  ShapesSection shapes;
  ToleranceSection tolerance;
  std::vector<Baseline> baselines;
  std::optional<Expectation> expect;
  LimitsSection limits;
  std::vector<Let> lets;  // each after those that it uses

  std::filesystem::path source_path() const { return folder / kernel.source; }
  std::filesystem::path reference_path() const { return folder / problem.reference; }  // if reference_is_file
  const ArgumentSpec* find_argument(std::string_view name) const;
  std::vector<std::filesystem::path> sources() const;      // all that [kernel] names or lets a configuration choose
  std::vector<std::filesystem::path> named_files() const;  // every file that it names, relative to the folder
  bool has_globals() const;
};

struct ParseOptions {
  bool check_files = true;     // that sources, references and include folders exist
  size_t max_checked = 2'000;  // configurations, and shapes, that are evaluated while loading
};

// A folder that holds a kernel.toml, or the file itself.
Result<KernelSpec> load(const std::filesystem::path& folder_or_file);
Result<KernelSpec> parse(std::string_view text, const std::string& file_name, const std::filesystem::path& folder,
                         const ParseOptions& options = {});

// The tensor's own, else that of its type, else the general one.
Tolerance tolerance(const KernelSpec& spec, std::string_view argument, DType dtype);

}  // namespace assay::spec
