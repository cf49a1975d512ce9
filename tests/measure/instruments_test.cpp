// SPDX-License-Identifier: MIT
// The instruments on the virtual GPU: what every provider launches beside what it times.
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "device/device.hpp"
#include "device/open/open_device.hpp"
#include "measure/embedded_files.hpp"
#include "measure/fingerprint.hpp"

namespace assay::measure {
namespace {

constexpr uint64_t kSeed = 21;

template <class T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

class InstrumentsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string_view ptx;
    for (const EmbeddedFile& file : provider_files()) {
      if (file.name == "instruments.ptx") ptx = file.text;
    }
    ASSERT_FALSE(ptx.empty()) << "the program carries the instruments";
    auto opened = device::open_device("vgpu:a100");
    ASSERT_TRUE(opened.ok()) << to_string(opened.error());
    device_ = std::move(*opened);
    auto loaded = device_->load(ptx, "instruments.ptx");
    ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
    module_ = std::move(*loaded);
  }

  // Memory checks are on: an instrument that reads or writes one byte too many is found.
  void launch(const std::string& entry, uint32_t grid, uint32_t block, std::vector<std::vector<std::byte>> arguments) {
    device::LaunchRequest request;
    request.module = module_.get();
    request.entry = entry;
    request.grid.x = grid;
    request.block.x = block;
    request.arguments = std::move(arguments);
    request.checks = {gpu::kMemcheck};
    const auto outcome = device_->launch(request);
    ASSERT_TRUE(outcome.ok()) << to_string(outcome.error());
    ASSERT_TRUE(outcome->clean()) << entry << " <<<" << grid << ", " << block << ">>>: "
                                  << (outcome->fault ? outcome->fault->message : outcome->findings[0].message);
  }

  uint64_t upload(const std::vector<uint8_t>& bytes) {
    const auto address = device_->allocate(std::max<size_t>(1, bytes.size()), "data");
    EXPECT_TRUE(address.ok());
    EXPECT_TRUE(device_->upload(*address, std::as_bytes(std::span(bytes))).ok());
    return *address;
  }
  template <class T>
  std::vector<T> download(uint64_t address, size_t count) {
    std::vector<T> values(count);
    EXPECT_TRUE(device_->download(address, std::as_writable_bytes(std::span(values))).ok());
    return values;
  }

  static std::vector<uint8_t> random_bytes(size_t size) {
    Random random(kSeed + size);
    std::vector<uint8_t> bytes(size);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.next());
    return bytes;
  }

  std::unique_ptr<device::Device> device_;
  std::unique_ptr<device::Module> module_;
};

struct Geometry {
  uint32_t grid;
  uint32_t block;
};

TEST_F(InstrumentsTest, fingerprint_is_that_of_the_parent_in_every_geometry) {
  for (const size_t size : {1u, 2u, 3u, 4u, 5u, 7u, 31u, 127u, 128u, 129u, 1000u, 4099u, 8192u}) {
    const std::vector<uint8_t> bytes = random_bytes(size);
    const uint64_t data = upload(bytes);
    for (const Geometry& geometry :
         {Geometry{1, 1}, {1, 31}, {1, 32}, {2, 33}, {3, 64}, {5, 100}, {7, 257}, {2, 1024}}) {
      const uint64_t slot = upload(std::vector<uint8_t>(8));
      launch("assay_fingerprint", geometry.grid, geometry.block,
             {bytes_of(data), bytes_of(uint64_t{size}), bytes_of(slot)});
      ASSERT_FALSE(HasFatalFailure());
      EXPECT_EQ(download<uint64_t>(slot, 1)[0], fingerprint(bytes))
          << size << " bytes <<<" << geometry.grid << ", " << geometry.block << ">>>";
      ASSERT_TRUE(device_->release(slot).ok());
    }
    ASSERT_TRUE(device_->release(data).ok());
  }
}

TEST_F(InstrumentsTest, fingerprint_adds_to_the_slot) {
  const std::vector<uint8_t> one = random_bytes(40);
  const std::vector<uint8_t> other = random_bytes(23);
  const uint64_t slot = upload(std::vector<uint8_t>(8));
  for (const std::vector<uint8_t>* bytes : {&one, &other})
    launch("assay_fingerprint", 2, 64, {bytes_of(upload(*bytes)), bytes_of(uint64_t{bytes->size()}), bytes_of(slot)});
  EXPECT_EQ(download<uint64_t>(slot, 1)[0], fingerprint(one) + fingerprint(other));
}

TEST_F(InstrumentsTest, fingerprint_of_nothing_is_nothing) {
  const uint64_t slot = upload(std::vector<uint8_t>(8));
  launch("assay_fingerprint", 3, 96, {bytes_of(upload({})), bytes_of(uint64_t{0}), bytes_of(slot)});
  EXPECT_EQ(download<uint64_t>(slot, 1)[0], 0u);
}

TEST_F(InstrumentsTest, fingerprint_sees_one_changed_byte) {
  std::vector<uint8_t> bytes = random_bytes(515);
  const uint64_t before = fingerprint(bytes);
  bytes.back() ^= 1;
  const uint64_t slot = upload(std::vector<uint8_t>(8));
  launch("assay_fingerprint", 2, 48, {bytes_of(upload(bytes)), bytes_of(uint64_t{bytes.size()}), bytes_of(slot)});
  EXPECT_NE(download<uint64_t>(slot, 1)[0], before);
  EXPECT_EQ(download<uint64_t>(slot, 1)[0], fingerprint(bytes));
}

TEST_F(InstrumentsTest, flush_writes_every_sixteen_bytes) {
  for (const size_t size : {16u, 48u, 1000u, 4096u, 5u}) {
    const std::vector<uint8_t> bytes = random_bytes(size);
    for (const Geometry& geometry : {Geometry{1, 1}, {2, 33}, {4, 256}}) {
      const uint64_t data = upload(bytes);
      launch("assay_flush", geometry.grid, geometry.block, {bytes_of(data), bytes_of(uint64_t{size})});
      ASSERT_FALSE(HasFatalFailure());
      const std::vector<uint8_t> after = download<uint8_t>(data, size);
      const size_t whole = size / 16 * 16;
      for (size_t at = 0; at < whole; at += 4) {
        uint32_t old_word = 0;
        uint32_t new_word = 0;
        std::memcpy(&old_word, bytes.data() + at, 4);
        std::memcpy(&new_word, after.data() + at, 4);
        ASSERT_EQ(new_word, old_word + 1) << "at " << at << " of " << size;
      }
      for (size_t at = whole; at < size; ++at) ASSERT_EQ(after[at], bytes[at]) << "the rest is left alone: " << at;
      ASSERT_TRUE(device_->release(data).ok());
    }
  }
}

TEST_F(InstrumentsTest, spin_ends) {
  for (const uint64_t cycles : {uint64_t{0}, uint64_t{1}, uint64_t{5000}}) {
    launch("assay_spin", 1, 1, {bytes_of(cycles)});
    launch("assay_spin", 2, 64, {bytes_of(cycles)});
  }
}

TEST_F(InstrumentsTest, spin_waits_the_longer_the_more_cycles) {
  const auto instructions = [&](uint64_t cycles) {
    device::LaunchRequest request;
    request.module = module_.get();
    request.entry = "assay_spin";
    request.arguments = {bytes_of(cycles)};
    const auto outcome = device_->launch(request);
    return outcome.ok() && !outcome->fault ? outcome->instructions : 0;
  };
  EXPECT_GT(instructions(0), 0u);
  EXPECT_GT(instructions(100'000), instructions(0));
}

}  // namespace
}  // namespace assay::measure
