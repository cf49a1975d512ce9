// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include "assay/calibrate.hpp"
#include "measure/trials.hpp"

namespace assay::work {

struct CalibrateDetails {
  measure::TrialReport trials;
  judge::Calibration calibration;  // with the spread of earlier ones on this machine
  nlohmann::json document;
};

}  // namespace assay::work
