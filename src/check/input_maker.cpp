// SPDX-License-Identifier: MIT
#include "check/input_maker.hpp"

#include <cmath>
#include <fmt/format.h>
#include <fstream>

#include "check/element.hpp"
#include "check/oracle.hpp"
#include "reference/custom_reference.hpp"
#include "spec/input_file.hpp"

namespace assay::check {

Result<reference::Numbers> InputMaker::make(const spec::Shape& shape,
                                            const std::vector<spec::ResolvedArgument>& arguments,
                                            const spec::ResolvedArgument& argument, const InputOptions& options) const {
  switch (argument.tensor()->fill.kind) {
    case spec::FillKind::file:
      return from_file(argument);
    case spec::FillKind::function:
      return from_function(shape, arguments, argument, options);
    default:
      return make_input(argument.name, *argument.tensor(), options);
  }
}

Result<reference::Numbers> InputMaker::from_file(const spec::ResolvedArgument& argument) const {
  spec::ResolvedTensor dense = *argument.tensor();
  ASSAY_TRY(const spec::InputFile found, spec::check_input_file(spec_->folder, argument.name, dense));
  dense.span = dense.elements;
  dense.bytes = dense.elements * spec::size_bytes(dense.dtype) / (spec::is_packed(dense.dtype) ? 2 : 1);
  int64_t stride = 1;
  for (size_t i = dense.dims.size(); i-- > 0; stride *= dense.dims[i]) dense.strides[i] = stride;
  std::vector<uint8_t> bytes(static_cast<size_t>(dense.bytes));
  std::ifstream file(spec_->folder / dense.fill.file, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(found.offset));
  if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
    return Error{fmt::format("the file \"{}\" changed while it was read", dense.fill.file), dense.fill.file_place, ""};
  return decode(dense, bytes);
}

Result<reference::Numbers> InputMaker::from_function(const spec::Shape& shape,
                                                     const std::vector<spec::ResolvedArgument>& arguments,
                                                     const spec::ResolvedArgument& argument,
                                                     const InputOptions& options) const {
  const spec::ResolvedTensor& tensor = *argument.tensor();
  ASSAY_TRY(const reference::CustomReference function,
            reference::CustomReference::compile(spec_->folder / tensor.fill.file,
                                                program_options(*spec_, cache_folder_), reference::ProgramRole::input));
  reference::Problem problem = numbers_of(*spec_, shape, arguments);
  problem.scalars["seed"] = static_cast<double>(options.seed % (uint64_t{1} << 53));
  problem.output_shapes[argument.name] = tensor.dims;
  problem.output_integers[argument.name] = integers_of(tensor.dtype);
  Result<reference::Outputs> outputs = function.evaluate(problem);
  if (!outputs) {
    Error error = outputs.error();
    error.message = fmt::format("the function of argument \"{}\" in \"{}\" is to blame, not the kernel: {}",
                                argument.name, tensor.fill.file, error.message);
    error.place = tensor.fill.file_place;
    return error;
  }
  reference::Tensor& made = outputs->at(argument.name);
  // The reference sees what the kernel sees.
  return rounded(tensor.dtype, {std::move(made.values), std::move(made.words)});
}

}  // namespace assay::check
