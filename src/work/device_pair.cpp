// SPDX-License-Identifier: MIT
#include "work/device_pair.hpp"

#include "device/open/open_device.hpp"
#include "work/kernel.hpp"

namespace assay::work {

Result<DevicePair> device_pair(const spec::KernelSpec& spec, const std::string& named, bool measure) {
  DevicePair pair;
  const bool named_virtual = device::is_virtual(named);
  if (!named_virtual && measure) pair.measures = device_for(spec, named);
  if (device::is_virtual(pair.measures)) pair.measures.clear();
  ASSAY_TRY(pair.counts, virtual_device_for(spec, named_virtual ? named : ""));
  return pair;
}

}  // namespace assay::work
