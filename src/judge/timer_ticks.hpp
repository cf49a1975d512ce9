// SPDX-License-Identifier: MIT
// What the ticks of a timer hide.
//
// A level between two ticks shows if samples scatter over several of them: their mean is finer than a tick. Samples
// that all read the same say no more than that the time lies within half a tick of the reading, however many of them
// and however many processes agree, so no scatter shows this error. A batch whose middle half (of which its level is
// made) is one reading is known to half a tick; the error of a side's level is at most that, times its share of such
// batches. The tick is the smallest difference between two readings; of a timer that has given one reading only, it is
// that reading.
#pragma once

#include "judge/units.hpp"

namespace assay::judge {

struct TimerTicks {
  double tick_us = 0;
  double hidden = 0;  // the logarithm of the ratio of the two sides may be off by so much
};

TimerTicks timer_ticks(const Units& units);

}  // namespace assay::judge
