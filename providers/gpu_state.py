# SPDX-License-Identifier: MIT
"""Clock of the multiprocessors and reasons to slow down, from NVML; None where the library cannot be opened."""

import ctypes

CLOCK_SM = 1
# Power cap, hardware slowdown, sync boost, thermal slowdown in software and hardware, power brake. Not: idle, clocks
# that somebody set on purpose, display.
SLOWING_REASONS = 0x04 | 0x08 | 0x10 | 0x20 | 0x40 | 0x80


class GpuState:
    def __init__(self, pci_bus_id, library=None):
        self._nvml = library or ctypes.CDLL("libnvidia-ml.so.1")
        self._device = ctypes.c_void_p()
        if self._nvml.nvmlInit_v2() != 0:
            raise OSError("NVML cannot be initialised")
        if self._nvml.nvmlDeviceGetHandleByPciBusId_v2(pci_bus_id.encode(), ctypes.byref(self._device)) != 0:
            raise OSError(f"NVML does not know the device {pci_bus_id}")

    def clock_mhz(self):
        clock = ctypes.c_uint()
        code = self._nvml.nvmlDeviceGetClockInfo(self._device, CLOCK_SM, ctypes.byref(clock))
        return clock.value if code == 0 else None

    def throttled(self):
        reasons = ctypes.c_ulonglong()
        for name in ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"):
            function = getattr(self._nvml, name, None)  # the newer name, then the one of older drivers
            if function is not None and function(self._device, ctypes.byref(reasons)) == 0:
                return bool(reasons.value & SLOWING_REASONS)
        return None


def open_gpu_state(pci_bus_id):
    try:
        return GpuState(pci_bus_id)
    except OSError:
        return None
