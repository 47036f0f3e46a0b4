#include "tests/support/paths.h"

namespace ringside::testing {

std::filesystem::path source_dir() { return RINGSIDE_SOURCE_DIR; }
std::filesystem::path bin_dir() { return RINGSIDE_BIN_DIR; }
std::filesystem::path test_bin_dir() { return RINGSIDE_TEST_BIN_DIR; }
std::filesystem::path torch_python() { return RINGSIDE_TORCH_PYTHON; }

}  // namespace ringside::testing
