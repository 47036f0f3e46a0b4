// CRC-32 of the files of a data set, kept when they are made or unpacked, so that a file which has
// changed since is not trained on in silence. Callable from any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/messages/data_catalog.h"

namespace ringside::data {

/// A line `"path" = number` for each of the files under `folder`, as they are now.
Result<std::string> checksums_of(const std::filesystem::path& folder,
                                 const std::vector<std::filesystem::path>& files);

/// Keeps those of a published set that was just unpacked into `root`, in ROOT/.NAME.crc32.
Result<void> keep_checksums(const messages::DataSetDescriptor& set,
                            const std::filesystem::path& root);

/// An error that names the first file which differs from when it was unpacked. No error for a data
/// set that was not unpacked here, or for missing files.
Result<void> check_unpacked(const messages::DataSetDescriptor& set,
                            const std::filesystem::path& root);

}  // namespace ringside::data
