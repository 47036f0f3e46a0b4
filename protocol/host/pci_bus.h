// What the PCI bus of this machine holds, as the kernel lists it, drivers or not. Any thread.
#pragma once

#include <filesystem>

namespace ringside {

/// A graphics or compute device of NVIDIA is there.
bool nvidia_gpu_on_bus(const std::filesystem::path& devices = "/sys/bus/pci/devices");

}  // namespace ringside
