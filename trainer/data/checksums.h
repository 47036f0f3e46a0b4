// CRC-32 of the files of a data set, stored when they are generated or unpacked, so that a file
// that has changed since is not used unnoticed. Callable from any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/messages/data_catalog.h"

namespace ringside::data {

/// A line `"path" = number` for each of the files under `folder` in their current state.
Result<std::string> checksums_of(const std::filesystem::path& folder,
                                 const std::vector<std::filesystem::path>& files);

/// Stores the checksums of a published set that was just unpacked into `root`, in ROOT/.NAME.crc32.
Result<void> keep_checksums(const messages::DataSetDescriptor& set,
                            const std::filesystem::path& root);

/// An error that names the first file that has changed since it was unpacked. No error for missing
/// files, or for a data set that was not unpacked here.
Result<void> check_unpacked(const messages::DataSetDescriptor& set,
                            const std::filesystem::path& root);

}  // namespace ringside::data
