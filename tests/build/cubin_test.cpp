// SPDX-License-Identifier: MIT
#include "build/cubin.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "build/compile.hpp"
#include "build/ptxas_output.hpp"
#include "fake_toolkit.hpp"

namespace assay::build {
namespace {

template <class T>
void put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string attribute(uint8_t format, uint8_t code, uint16_t value, const std::vector<uint32_t>& payload = {}) {
  std::string bytes;
  put(bytes, format);
  put(bytes, code);
  put(bytes, format == 4 ? static_cast<uint16_t>(4 * payload.size()) : value);
  for (const uint32_t word : payload) put(bytes, word);
  return bytes;
}

// A small cubin with one entry "k", which is symbol 1, made from the parts that the reader looks at.
struct SmallCubin {
  uint8_t abi = 0x41;
  uint32_t flags = 80 << 8;
  uint16_t type = 2;
  uint16_t machine = 190;
  uint32_t code_info = 0;
  uint64_t shared_bytes = 512;
  bool has_shared = true;
  std::string info = attribute(4, 0x2f, 0, {1, 40}) + attribute(4, 0x11, 0, {1, 16});
  std::string entry_info = attribute(3, 0x1b, 255) + attribute(2, 0x4c, 2) + attribute(4, 0x05, 0, {128, 2, 1});

  std::string bytes() const {
    struct Section {
      std::string name;
      uint32_t type, link, info;
      std::string content;
      uint64_t size;
    };
    std::string symbols(24, '\0');
    put<uint32_t>(symbols, 1), put<uint8_t>(symbols, 0x12), put<uint8_t>(symbols, 0x10), put<uint16_t>(symbols, 5);
    put<uint64_t>(symbols, 0), put<uint64_t>(symbols, 128);
    const std::string names("\0k\0", 3);
    std::vector<Section> sections{{"", 0, 0, 0, "", 0},
                                  {".shstrtab", 3, 0, 0, "", 0},
                                  {".strtab", 3, 0, 0, names, names.size()},
                                  {".symtab", 2, 2, 0, symbols, symbols.size()},
                                  {".nv.info", 0x70000000, 3, 0, info, info.size()},
                                  {".text.k", 1, 3, code_info, "code", 4},
                                  {".nv.info.k", 0x70000000, 3, 5, entry_info, entry_info.size()}};
    if (has_shared) sections.push_back({".nv.shared.k", 8, 0, 5, "", shared_bytes});
    std::vector<uint32_t> name_offsets;
    std::string& name_table = sections[1].content;
    for (const Section& section : sections) {
      name_offsets.push_back(static_cast<uint32_t>(name_table.size()));
      name_table += section.name + '\0';
    }
    sections[1].size = name_table.size();

    std::string body, headers;
    for (size_t i = 0; i < sections.size(); ++i) {
      put<uint32_t>(headers, name_offsets[i]), put<uint32_t>(headers, sections[i].type), put<uint64_t>(headers, 0);
      put<uint64_t>(headers, 0), put<uint64_t>(headers, 64 + body.size()), put<uint64_t>(headers, sections[i].size);
      put<uint32_t>(headers, sections[i].link), put<uint32_t>(headers, sections[i].info);
      put<uint64_t>(headers, 1), put<uint64_t>(headers, 0);
      body += sections[i].content;
    }
    std::string file(
        "\x7f"
        "ELF\x02\x01\x01",
        7);
    put<uint8_t>(file, abi);
    file.append(8, '\0');
    put<uint16_t>(file, type), put<uint16_t>(file, machine), put<uint32_t>(file, 1), put<uint64_t>(file, 0);
    put<uint64_t>(file, 0), put<uint64_t>(file, 64 + body.size()), put<uint32_t>(file, flags), put<uint16_t>(file, 64);
    put<uint16_t>(file, 0), put<uint16_t>(file, 0), put<uint16_t>(file, 64);
    put<uint16_t>(file, static_cast<uint16_t>(sections.size())), put<uint16_t>(file, 1);
    return file + body + headers;
  }

  ResourceUsage read() const {
    const auto usages = read_cubin(bytes());
    EXPECT_TRUE(usages.ok());
    EXPECT_EQ(usages->size(), 1u);
    return usages.ok() && usages->size() == 1 ? usages->front() : ResourceUsage{};
  }
};

TEST(Cubin, ReadsEveryFigure) {
  const ResourceUsage usage = SmallCubin().read();
  EXPECT_EQ(usage.entry, "k");
  EXPECT_EQ(usage.registers, 40);
  EXPECT_EQ(usage.stack_bytes, 16);
  EXPECT_EQ(usage.static_shared_bytes, 512);
  EXPECT_EQ(usage.barriers, 2);
  EXPECT_EQ(usage.max_threads, 256);
  EXPECT_FALSE(usage.spill_store_bytes) << "a cubin does not say";
}

TEST(Cubin, HopperCountsTheReservedSharedMemory) {
  SmallCubin hopper;
  hopper.flags = 90 << 8;
  hopper.shared_bytes = 1024 + 512;
  EXPECT_EQ(hopper.read().static_shared_bytes, 512);
  hopper.shared_bytes = 512;
  EXPECT_FALSE(hopper.read().static_shared_bytes) << "less than the reservation: not understood";
  hopper.has_shared = false;
  EXPECT_FALSE(hopper.read().static_shared_bytes);
}

TEST(Cubin, TheOlderLayout) {
  SmallCubin older;
  older.abi = 0x33;
  older.flags = 0x500550;
  older.code_info = (40u << 24) | 1;
  older.entry_info = attribute(3, 0x1b, 255);
  EXPECT_EQ(older.read().registers, 40);
  EXPECT_EQ(older.read().static_shared_bytes, 512);
  EXPECT_FALSE(older.read().barriers) << "it is elsewhere there";
  older.has_shared = false;
  EXPECT_EQ(older.read().static_shared_bytes, 0);
}

TEST(Cubin, ContradictionsAndUnknownLayoutsAreNotFigures) {
  SmallCubin cubin;
  cubin.code_info = (41u << 24) | 1;
  EXPECT_FALSE(cubin.read().registers) << "40 here, 41 there";
  cubin = SmallCubin();
  cubin.info += attribute(4, 0x2f, 0, {1, 48});
  EXPECT_FALSE(cubin.read().registers);
  cubin.info = attribute(4, 0x2f, 0, {1, 4000});
  EXPECT_FALSE(cubin.read().registers);
  cubin.info = attribute(4, 0x2f, 0, {1, 40, 0});
  EXPECT_FALSE(cubin.read().registers) << "another size: another meaning";
  cubin.info = attribute(4, 0x2f, 0, {1, 40}) + "\x09\x01";
  EXPECT_FALSE(cubin.read().registers) << "broken off";
  cubin = SmallCubin();
  cubin.flags = 0;
  EXPECT_FALSE(cubin.read().static_shared_bytes);
}

TEST(Cubin, OtherFilesAreErrors) {
  EXPECT_FALSE(read_cubin("").ok());
  EXPECT_FALSE(read_cubin("not an ELF file, but long enough to hold the header of one: ...............").ok());
  SmallCubin relocatable;
  relocatable.type = 1;
  EXPECT_FALSE(read_cubin(relocatable.bytes()).ok());
  SmallCubin host;
  host.machine = 62;
  EXPECT_FALSE(read_cubin(host.bytes()).ok());
}

TEST(Cubin, SurvivesTruncationAndDamage) {
  const std::string good = SmallCubin().bytes();
  for (size_t length = 0; length < good.size(); ++length) (void)read_cubin(good.substr(0, length));
  constexpr uint64_t kSeed = 7;
  Random random(kSeed);
  for (int round = 0; round < 20'000; ++round) {
    std::string bad = good;
    for (uint64_t i = 0; i <= random.below(4); ++i) bad[random.below(bad.size())] = static_cast<char>(random.next());
    (void)read_cubin(bad);
  }
}

constexpr const char* kSource = R"cuda(
extern "C" __global__ void plain(float* o, const float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = a[i] * 2;
}
extern "C" __global__ void shared_static(float* o, const float* a) {
  __shared__ float s[256];
  __shared__ int t[64];
  s[threadIdx.x] = a[threadIdx.x];
  t[threadIdx.x % 64] = (int)threadIdx.x;
  __syncthreads();
  o[threadIdx.x] = s[255 - threadIdx.x] + (float)t[threadIdx.x % 32];
}
extern "C" __global__ void shared_dynamic(float* o, const float* a) {
  extern __shared__ float s[];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  o[threadIdx.x] = s[255 - threadIdx.x];
}
extern "C" __global__ void __launch_bounds__(1024, 1) spills(float* o, const float* a, int n) {
  float r[96];
#pragma unroll
  for (int i = 0; i < 96; i++) r[i] = a[i * 1024 + threadIdx.x];
  for (int k = 0; k < n; k++) {
#pragma unroll
    for (int i = 0; i < 96; i++) r[i] = r[i] * r[(i + 7) % 96] + a[k];
  }
#pragma unroll
  for (int i = 0; i < 96; i++) o[i * 1024 + threadIdx.x] = r[i];
}
extern "C" __global__ void local_array(float* o, const int* index) {
  float r[32];
  for (int i = 0; i < 32; i++) r[index[i] & 31] = i;
  float s = 0;
  for (int i = 0; i < 32; i++) s += r[index[i + 32] & 31] * o[i];
  o[threadIdx.x] = s;
}
extern "C" __global__ void barriers(float* o) {
  __shared__ float s[32];
  if (threadIdx.x < 64) asm volatile("bar.sync 3, 64;");
  s[threadIdx.x & 31] = o[threadIdx.x];
  asm volatile("bar.sync 5, 128;");
  o[threadIdx.x] = s[31 - (threadIdx.x & 31)];
}
template <int N> __global__ void scaled(float* o) { o[threadIdx.x] *= N; }
template __global__ void scaled<3>(float*);
)cuda";

class RealCompiler : public testing::TestWithParam<const char*> {};

// What the file says and what the compiler says must be the same, figure by figure, for the compiler that is installed.
TEST_P(RealCompiler, TheCubinAgreesWithPtxas) {
  const Result<Toolkit> toolkit = find_toolkit();
  if (!toolkit) GTEST_SKIP() << to_string(toolkit.error());
  const TemporaryFolder folder;
  folder.write("real/k.cu", kSource);
  std::filesystem::create_directory_symlink("real", folder.path() / "link");
  const CompileRequest request{.source = folder.path() / "link" / "k.cu",
                               .target = GetParam(),
                               .defines = {},
                               .flags = {},
                               .include_folders = {}};
  const Result<CompileOutcome> outcome = compile(*toolkit, request, folder.path(), std::chrono::minutes(5));
  ASSERT_TRUE(outcome.ok()) << to_string(outcome.error());
  ASSERT_TRUE(outcome->succeeded) << outcome->output;
  const std::string cubin = *read_file(folder.path() / kCubinName);
  const auto from_cubin = read_cubin(cubin);
  ASSERT_TRUE(from_cubin.ok()) << to_string(from_cubin.error());
  const std::vector<ResourceUsage> from_text = read_ptxas_output(outcome->ptxas_output);
  ASSERT_EQ(from_cubin->size(), 7u);
  ASSERT_EQ(from_text.size(), 7u);
  for (size_t i = 0; i < from_text.size(); ++i) {
    SCOPED_TRACE(from_text[i].entry);
    EXPECT_EQ((*from_cubin)[i].entry, from_text[i].entry);
    EXPECT_EQ((*from_cubin)[i].registers, from_text[i].registers);
    EXPECT_EQ((*from_cubin)[i].stack_bytes, from_text[i].stack_bytes);
    EXPECT_EQ((*from_cubin)[i].static_shared_bytes, from_text[i].static_shared_bytes);
    EXPECT_TRUE(from_text[i].registers && from_text[i].stack_bytes && from_text[i].static_shared_bytes);
    if ((*from_cubin)[i].barriers && from_text[i].barriers) {
      EXPECT_EQ((*from_cubin)[i].barriers, from_text[i].barriers);
    }
  }
  const std::vector<ResourceUsage> merged = resource_usage(cubin, outcome->ptxas_output);
  EXPECT_EQ(find_entry(merged, "shared_static")->static_shared_bytes, 1280);
  EXPECT_EQ(find_entry(merged, "shared_dynamic")->static_shared_bytes, 0);
  EXPECT_EQ(find_entry(merged, "spills")->max_threads, 1024);
  EXPECT_GT(find_entry(merged, "spills")->spill_store_bytes.value_or(0), 0);
  EXPECT_GT(find_entry(merged, "spills")->stack_bytes.value_or(0), 0);
  EXPECT_EQ(find_entry(merged, "local_array")->stack_bytes, 128);
  EXPECT_EQ(find_entry(merged, "local_array")->spill_store_bytes, 0);
  EXPECT_EQ(find_entry(merged, "plain")->max_threads, std::nullopt);
  EXPECT_NE(find_entry(merged, "_Z6scaledILi3EEvPf"), nullptr);
  // Line information survives, with a name that does not depend on where the project lies.
  const std::string ptx = *read_file(folder.path() / kPtxName);
  EXPECT_NE(ptx.find(".file\t1 \"k.cu\""), std::string::npos);
  EXPECT_EQ(ptx.find(folder.path().string()), std::string::npos);
  EXPECT_NE(ptx.find(".loc"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Targets, RealCompiler, testing::Values("sm_80", "sm_89", "sm_90", "sm_90a"));

TEST(ResourceUsage, DisagreementIsUnknown) {
  const std::string text =
      "ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
      "ptxas info    : Function properties for k\n"
      "    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads\n"
      "ptxas info    : Used 41 registers, used 2 barriers, 512 bytes smem\n";
  const std::vector<ResourceUsage> usages = resource_usage(SmallCubin().bytes(), text);
  ASSERT_EQ(usages.size(), 1u);
  EXPECT_FALSE(usages[0].registers) << "40 in the cubin, 41 in the text";
  EXPECT_EQ(usages[0].static_shared_bytes, 512);
  EXPECT_EQ(usages[0].spill_store_bytes, 8);
  EXPECT_EQ(resource_usage("no cubin", text).at(0).registers, 41);
  EXPECT_EQ(resource_usage(SmallCubin().bytes(), "other words").at(0).registers, 40);
  EXPECT_TRUE(resource_usage("no cubin", "no text").empty());
}

}  // namespace
}  // namespace assay::build
