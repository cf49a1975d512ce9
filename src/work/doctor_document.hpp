// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "assay/doctor.hpp"

namespace assay::work {

nlohmann::json doctor_document(const DoctorReport& report);  // without the head

}  // namespace assay::work
