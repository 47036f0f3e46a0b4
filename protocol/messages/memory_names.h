// Names of the Scalars that report a rank's device memory in MiB at the end of a step (FORMAT.md,
// type 12).
#pragma once

namespace ringside::messages {

inline constexpr const char* kMemoryAllocated = "memory/allocated MiB";
inline constexpr const char* kMemoryReserved = "memory/reserved MiB";
inline constexpr const char* kMemoryPeak = "memory/peak MiB";
inline constexpr const char* kMemoryParameters = "memory/parameters MiB";
inline constexpr const char* kMemoryGradients = "memory/gradients MiB";
inline constexpr const char* kMemoryOptimizer = "memory/optimizer MiB";

}  // namespace ringside::messages
