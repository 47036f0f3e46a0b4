// Devices on the PCI bus of this machine as the kernel lists them, with or without a driver. Any
// thread.
#pragma once

#include <filesystem>

namespace ringside {

/// Whether there is a graphics or compute device by NVIDIA.
bool nvidia_gpu_on_bus(const std::filesystem::path& devices = "/sys/bus/pci/devices");

}  // namespace ringside
