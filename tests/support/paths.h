// Where tests find the tree, the programs that were built, and a Python with torch. Thread-safe;
// fixed when configured.
#pragma once

#include <filesystem>

namespace ringside::testing {

/// The root of the repository.
std::filesystem::path source_dir();
/// ringside, ringside-agent, ringside-trainer, ringside-dashboard.
std::filesystem::path bin_dir();
/// Programs that only tests start, such as fake_rank.
std::filesystem::path test_bin_dir();
/// A Python that can `import torch`; empty where only the libraries of LibTorch were fetched.
std::filesystem::path torch_python();

}  // namespace ringside::testing
