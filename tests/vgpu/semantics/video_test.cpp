// SPDX-License-Identifier: MIT
#include "vgpu/semantics/video.hpp"

#include <gtest/gtest.h>

namespace assay::vgpu::semantics {
namespace {

using enum VideoOperation;

TEST(Video, AbsoluteDifferencesOfBytes) {
  EXPECT_EQ((video(VideoForm{absolute_difference, 4, false, false, false, false, false}, 0x01ff0080u, 0x03000180u, 9)),
            0x02ff0100u);
  EXPECT_EQ((video(VideoForm{absolute_difference, 4, false, false, false, false, true}, 0x01ff0080u, 0x03000180u, 9)),
            2u + 255u + 1u + 9u);
  EXPECT_EQ((video(VideoForm{absolute_difference, 4, true, true, true, false, false}, 0x80000000u, 0x7f000000u, 0)),
            0xff000000u);
}

TEST(Video, SumsWrapOrSaturatePerLane) {
  EXPECT_EQ((video(VideoForm{add, 2, true, true, true, false, false}, 0x7fff0001u, 0x00010001u, 0)), 0x80000002u);
  EXPECT_EQ((video(VideoForm{add, 2, true, true, true, true, false}, 0x7fff0001u, 0x00010001u, 0)), 0x7fff0002u);
  EXPECT_EQ((video(VideoForm{sub, 4, false, false, false, true, false}, 0x01010101u, 0x02000200u, 0)), 0x00010001u);
}

TEST(Video, AveragesAndExtremes) {
  EXPECT_EQ((video(VideoForm{average, 4, false, false, false, false, false}, 0x010203ffu, 0x020203ffu, 0)),
            0x020203ffu);
  EXPECT_EQ((video(VideoForm{minimum, 4, true, true, true, false, false}, 0x80017f00u, 0x7fff0001u, 0)), 0x80ff0000u);
  EXPECT_EQ((video(VideoForm{maximum, 2, false, false, false, false, false}, 0x80010001u, 0x7fff0002u, 0)),
            0x80010002u);
}

}  // namespace
}  // namespace assay::vgpu::semantics
