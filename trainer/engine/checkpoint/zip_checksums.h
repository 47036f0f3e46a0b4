// Checks the records of a zip file against the checksums in its directory before anything is
// unpacked. LibTorch does not check them, so a flipped bit on a disk would go unnoticed. Format:
// PKWARE's APPNOTE 6.3.10, sections 4.3 and 4.5.3. Pure but for reading the file.
#pragma once

#include <filesystem>

#include "protocol/base/result.h"

namespace ringside::engine {

/// A bad request when the CRC-32 of a record differs (the first one is named), when the directory
/// cannot be read, or when the records together are many times larger than the file. Compressed
/// records, and those without a checksum (0), are not checked: torch.save writes neither by
/// default.
Result<void> check_zip(const std::filesystem::path& path);

}  // namespace ringside::engine
