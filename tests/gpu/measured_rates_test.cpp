// SPDX-License-Identifier: MIT
#include "gpu/measured_rates.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace assay::gpu {
namespace {

const Rates& h200() {
  return rates_of(*find_model("h200"));
}

TEST(MeasuredRates, EveryKindIsAFigureOfEveryModel) {
  for (const Rates& rates : all_rates()) {
    for (const RateKind& kind : rate_kinds()) {
      EXPECT_GT(figure(rates, kind.name), 0) << rates.id << ": " << kind.name;
      EXPECT_FALSE(unit_of(kind.name).empty()) << kind.name;
    }
  }
  EXPECT_EQ(figure(h200(), "rumours"), 0);
  EXPECT_EQ(unit_of("rumours"), "");
}

TEST(MeasuredRates, TakeThePlaceOfTheModels) {
  std::vector<MeasuredRate> measured;
  for (const RateKind& kind : rate_kinds())
    measured.push_back({std::string(kind.name), 1.5 * figure(h200(), kind.name)});
  measured.push_back({"rumours", 7});
  const auto rates = with_measured(h200(), measured);
  for (const RateKind& kind : rate_kinds())
    EXPECT_DOUBLE_EQ(figure(*rates, kind.name), 1.5 * figure(h200(), kind.name)) << kind.name;
  EXPECT_DOUBLE_EQ(rates->launch_us, h200().launch_us + 0.5 * h200().launch_floor_us);
  EXPECT_EQ(rates->tensor_rate("wgmma.f16"), h200().tensor_rate("wgmma.f16")) << "not measured";
  EXPECT_EQ(rates->dram_peak, h200().dram_peak);
  EXPECT_EQ(figure(h200(), kMmaRate), 2688) << "the model's own is not touched";
}

TEST(MeasuredRates, OfNoneAreTheModels) {
  const auto rates = with_measured(h200(), {});
  for (const RateKind& kind : rate_kinds()) EXPECT_EQ(figure(*rates, kind.name), figure(h200(), kind.name));
  EXPECT_EQ(rates->launch_us, h200().launch_us);
}

TEST(MeasuredRates, ForABoundTheBetterOneCounts) {
  const std::vector<MeasuredRate> slow{{std::string(kFmaRate), 3}, {std::string(kEmptyLaunch), 2.0}};
  EXPECT_EQ(best_of_both(h200(), slow)->fma, h200().fma);
  EXPECT_EQ(best_of_both(h200(), slow)->launch_floor_us, h200().launch_floor_us);
  const std::vector<MeasuredRate> fast{{std::string(kFmaRate), 5}, {std::string(kEmptyLaunch), 0.2}};
  EXPECT_EQ(best_of_both(h200(), fast)->fma, 5);
  EXPECT_EQ(best_of_both(h200(), fast)->launch_floor_us, 0.2);
}

TEST(MeasuredRates, AreRefusedWhereTheyCannotBeRight) {
  EXPECT_EQ(why_implausible(4100, 4200), "");
  EXPECT_EQ(why_implausible(600, 4200), "") << "a part of a GPU";
  EXPECT_EQ(why_implausible(0, 4200), "0 is no rate");
  EXPECT_EQ(why_implausible(-3, 4200), "-3 is no rate");
  EXPECT_EQ(why_implausible(420000, 4200), "100 times the model's");
  EXPECT_EQ(why_implausible(42, 4200), "a 100th of the model's");
  EXPECT_NE(why_implausible(std::numeric_limits<double>::infinity(), 4200), "");
  EXPECT_NE(why_implausible(std::numeric_limits<double>::quiet_NaN(), 4200), "");
}

}  // namespace
}  // namespace assay::gpu
