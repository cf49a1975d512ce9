// SPDX-License-Identifier: MIT
// The public API: for every command a request, a report and the function between them. docs/api.md shows how.
#pragma once

#include "assay/bench.hpp"
#include "assay/build.hpp"
#include "assay/calibrate.hpp"
#include "assay/check.hpp"
#include "assay/compare.hpp"
#include "assay/context.hpp"
#include "assay/diagnose.hpp"
#include "assay/doctor.hpp"
#include "assay/estimate.hpp"
#include "assay/explain.hpp"
#include "assay/gate.hpp"
#include "assay/invert.hpp"
#include "assay/log.hpp"
#include "assay/new.hpp"
#include "assay/profile.hpp"
#include "assay/report.hpp"
#include "assay/run.hpp"
#include "assay/sanitize.hpp"
#include "assay/suite.hpp"
#include "assay/tune.hpp"
