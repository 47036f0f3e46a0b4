// Compares what the records of a zip file hold with the checksums that its directory states, before
// anything of them is unpacked.
// LibTorch reads such files without looking at them, so that a flipped bit of a disk would be
// trained on in silence. Format: PKWARE's APPNOTE 6.3.10, sections 4.3 and 4.5.3. Pure but for
// reading the file.
#pragma once

#include <filesystem>

#include "protocol/base/result.h"

namespace ringside::engine {

/// A bad request names the first record whose CRC-32 differs, or says that the directory cannot
/// be read, or that the records together are many times larger than the file. Records that are
/// compressed, or were written without a checksum (0), are not checked: torch.save does neither by
/// default.
Result<void> check_zip(const std::filesystem::path& path);

}  // namespace ringside::engine
