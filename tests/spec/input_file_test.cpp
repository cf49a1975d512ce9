// SPDX-License-Identifier: MIT
#include "spec/input_file.hpp"

#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"

namespace assay::spec {
namespace {

class InputFileTest : public testing::Test {
 protected:
  static std::string npy(const std::string& type, const std::string& shape, size_t bytes) {
    std::string head = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
    head.resize(117, ' ');
    head += '\n';
    return std::string("\x93NUMPY\x01\x00", 8) + std::string("\x76\x00", 2) + head + std::string(bytes, '\1');
  }
  static std::string safetensors(const std::string& head, size_t bytes) {
    std::string length(8, '\0');
    length[0] = static_cast<char>(head.size());
    return length + head + std::string(bytes, '\1');
  }
  // What is said of the file as an f32 tensor of 2 x 3; the offset of its elements if nothing is.
  std::string said(const std::string& name, const std::string& content, const std::string& tensor = "") {
    folder_.write(name, content);
    ResolvedTensor wanted;
    wanted.dims = {2, 3};
    wanted.strides = {3, 1};
    wanted.elements = wanted.span = 6;
    wanted.bytes = 24;
    wanted.fill.kind = FillKind::file;
    wanted.fill.file = name;
    wanted.fill.tensor = tensor;
    wanted.fill.offset = offset_;
    wanted.fill.file_place = Place{"kernel.toml", 7, 30};
    const auto found = check_input_file(folder_.path(), "x", wanted);
    if (found) return std::to_string(found->offset);
    EXPECT_EQ(found.error().place.line, 7);
    EXPECT_EQ(found.error().exit_code, ExitCode::usage);
    return found.error().message;
  }

  TemporaryFolder folder_;
  int64_t offset_ = 0;
};

TEST_F(InputFileTest, RawBytesMustBeEnough) {
  EXPECT_EQ(said("x.bin", std::string(24, 'a')), "0");
  EXPECT_EQ(
      said("x.bin", std::string(23, 'a')),
      "the file \"x.bin\" of argument \"x\" is too short: it has 23 bytes; expected at least 24 (6 elements of f32)");
  offset_ = 8;
  EXPECT_EQ(said("x.bin", std::string(32, 'a')), "8");
  EXPECT_NE(said("x.bin", std::string(31, 'a')).find("behind 8 bytes"), std::string::npos);
}

TEST_F(InputFileTest, AnNpyFileKnowsItsTypeAndShape) {
  EXPECT_EQ(said("x.npy", npy("<f4", "2, 3", 24)), "128");
  EXPECT_EQ(said("x.npy", npy("<f4", "5, 3", 60)), "128") << "the first rows of more";
  EXPECT_EQ(
      said("x.npy", npy("<f4", "1, 3", 12)),
      "the file \"x.npy\" of argument \"x\" is too short: its shape is [1, 3]; expected [2, 3], or a larger first "
      "dimension");
  EXPECT_EQ(said("x.npy", npy("<f4", "3, 2", 24)),
            "the file \"x.npy\" of argument \"x\" does not serve: its shape is [3, 2]; expected [2, 3]");
  EXPECT_EQ(said("x.npy", npy("<f8", "2, 3", 48)), "the file \"x.npy\" of argument \"x\" holds f64; expected f32");
  EXPECT_EQ(said("x.npy", npy("<f4", "2, 3", 20)),
            "the file \"x.npy\" of argument \"x\" is too short: it has 20 bytes of elements; expected 24");
  EXPECT_NE(said("x.npy", "nonsense, and long enough for a head").find("does not begin as a .npy file"),
            std::string::npos);
  EXPECT_NE(said("x.npy", npy(">f4", "2, 3", 24)).find("no type of a tensor"), std::string::npos);
}

TEST_F(InputFileTest, ASafetensorsFileHasTensorsByName) {
  const std::string head = R"({"w":{"dtype":"F32","shape":[2,3],"data_offsets":[8,32]}})";
  EXPECT_EQ(said("x.safetensors", safetensors(head, 32), "w"), std::to_string(8 + head.size() + 8));
  EXPECT_EQ(said("x.safetensors", safetensors(head, 32), "v"),
            "the file \"x.safetensors\" of argument \"x\" does not serve: it has no tensor \"v\"");
  EXPECT_EQ(said("x.safetensors", safetensors(head, 20), "w"),
            "the file \"x.safetensors\" of argument \"x\" does not serve: its head points behind its end");
  EXPECT_NE(said("x.safetensors", std::string(20, '\xff'), "w").find("longer than the file"), std::string::npos);
}

}  // namespace
}  // namespace assay::spec
