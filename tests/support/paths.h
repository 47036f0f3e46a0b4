// Paths of the source tree, of the built programs, and of a Python with torch, for tests.
// Thread-safe; fixed at configuration.
#pragma once

#include <filesystem>

namespace ringside::testing {

/// Root of the repository.
std::filesystem::path source_dir();
/// Folder of ringside, ringside-agent, ringside-trainer and ringside-dashboard.
std::filesystem::path bin_dir();
/// Folder of programs that only tests start, such as fake_rank.
std::filesystem::path test_bin_dir();
/// A Python that can `import torch`; empty if only LibTorch's libraries were fetched.
std::filesystem::path torch_python();

}  // namespace ringside::testing
